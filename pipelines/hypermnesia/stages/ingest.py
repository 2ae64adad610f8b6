"""ingest: archives become messages, each written once, and where each was seen; secrets go into the vault."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import xxhash

from hypermnesia.contracts.tables import MESSAGE_SOURCES, MESSAGES, REJECTS, VAULT
from hypermnesia.ports import UNNAMED, Archives, Entry, Part, Refusal, SecretDetector, Shard, Vault
from hypermnesia.rules.identity import Identity, bucket_of
from hypermnesia.rules.text import one_line, repair
from hypermnesia.rules.times import SaidTime, said_time, zone
from hypermnesia.stages.rejects import reject_row
from hypermnesia.stages.secrets_out import SecretsOut

VERSION = "ingest-2"
PART_ENTRIES = 20_000
MOST_USER_BYTES = 1_024


@dataclass(frozen=True)
class ArchiveInput:
    """One path to read and what its owner says of it; a line of a manifest."""

    path: Path
    format: str | None = None
    user: str | None = None
    timezone: str | None = None
    source_id: str = ""


#: The format of files that lie in an export beside its conversations, and how they are counted.
SIDECAR, HOLDS_NO_MESSAGES = "sidecar", "holds_no_messages"


class Ingest:
    """The ingest stage over some archives. `seen_at` is when the run began, in UTC.

    Raises `ValueError` for a format or a time zone that nobody knows.
    """

    name = "ingest"
    version = VERSION
    tables = ("message_sources", "vault", "messages")
    counted_table = "messages"

    def __init__(
        self,
        inputs: Sequence[ArchiveInput],
        archives: Archives,
        identity: Identity,
        n_buckets: int,
        seen_at: datetime,
        detector: SecretDetector,
        vault: Vault,
    ) -> None:
        for given in inputs:
            if given.format:
                archives.named(given.format)
            if given.timezone:
                zone(given.timezone)
        self._inputs = inputs
        self._archives = archives
        self._identity = identity
        self._n_buckets = n_buckets
        self._seen_at = seen_at
        self._detector = detector
        self._vault = vault

    def plan(self) -> Iterator[Shard]:
        """A shard a file. Its id holds the file's bytes, name and what was said of it."""
        for given in self._inputs:
            for path, archive in self._archives.find(given.path):
                reader = self._archives.named(given.format) if given.format else self._archives.recognise(path)
                details = {
                    "path": str(path.resolve()),
                    "archive": repair(archive)[0],
                    "format": reader.name if reader else "",
                    "user": given.user or "",
                    "timezone": given.timezone or "",
                    "source_id": given.source_id,
                    "digest": _digest(path),
                }
                stable = [value for key, value in sorted(details.items()) if key != "path"]
                shard_id = self._identity.make("shard", self.name, self.version, *stable)
                yield Shard(self.name, shard_id, None, (details["archive"],), details)

    def run(self, shard: Shard) -> Iterator[Part]:
        """Parts of at most `PART_ENTRIES` entries of the file."""
        rows = self._rows(shard)
        if not shard.details["format"]:
            rows.refuse(Refusal("unknown_format", "file", "name the format with --format"))
            yield rows.part()
            return
        for entry in self._archives.named(shard.details["format"]).read(Path(shard.details["path"])):
            rows.add(entry)
            if rows.n_in >= PART_ENTRIES:
                yield rows.part()
        part = rows.part()
        if shard.details["format"] == SIDECAR:
            part.reasons[HOLDS_NO_MESSAGES] = 1
        yield part

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """The whole file, refused."""
        rows = self._rows(shard)
        rows.refuse(Refusal(reason, "file", f"look at {item}: reading it ended the worker", detail))
        return rows.part()

    def _rows(self, shard: Shard) -> _Rows:
        secrets = SecretsOut(self._detector, self._vault, self._identity, shard.id)
        return _Rows(self._identity, self._n_buckets, shard, self._seen_at, secrets)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Rows:
    """Entries become rows, a part at a time; ordinals run on over the whole file."""

    def __init__(
        self, identity: Identity, n_buckets: int, shard: Shard, seen_at: datetime, secrets: SecretsOut
    ) -> None:
        self._identity = identity
        self._n_buckets = n_buckets
        self._shard = shard
        self._seen_at = seen_at
        self._secrets = secrets
        self._position = 0
        self._ordinals: dict[str, _Ordinals] = {}
        self._clear()

    def _clear(self) -> None:
        self.n_in = 0
        self._messages: list[dict[str, Any]] = []
        self._sources: list[dict[str, Any]] = []
        self._rejects: list[dict[str, Any]] = []

    def part(self) -> Part:
        vaulted = self._secrets.take(self._messages, self._sources, self._rejects)
        part = Part(
            tables={
                "vault": VAULT.table(vaulted.rows),
                "messages": MESSAGES.table(self._messages),
                "message_sources": MESSAGE_SOURCES.table(self._sources),
                "rejects": REJECTS.table(self._rejects),
            },
            n_in=self.n_in,
            n_out=len(self._messages),
            n_rejected=len(self._rejects),
            reasons=dict(Counter(row["reason"] for row in self._rejects)) | vaulted.reasons(),
        )
        self._clear()
        return part

    def add(self, entry: Entry | Refusal) -> None:
        if isinstance(entry, Refusal):
            self.refuse(entry)
            return
        user = repair(entry.user or self._shard.details["user"])[0].strip()
        if not user:
            self.refuse(Refusal("no_user", entry.locator, "say whose memory it is with --user"))
            return
        if len(user.encode()) > MOST_USER_BYTES:
            self.refuse(Refusal("user_too_long", entry.locator, f"a user's name has at most {MOST_USER_BYTES} bytes"))
            return
        try:
            said = _said(entry, self._shard.details["timezone"] or None)
            revised = said_time(entry.revised_at, entry.timezone, None).at if entry.revised_at else None
        except ValueError as error:
            self.refuse(Refusal("bad_time", entry.locator, "write times as ISO 8601", one_line(str(error))))
            return
        self._keep(entry, user, said, revised)

    def refuse(self, refusal: Refusal) -> None:
        self.n_in += 1
        self._position += 1
        self._rejects.append(
            reject_row(
                self._identity,
                stage=Ingest.name,
                reason=refusal.reason,
                remedy=refusal.remedy,
                shard_id=self._shard.id,
                archive=self._shard.details["archive"],
                locator=repair(refusal.locator)[0],
                detail=refusal.detail,
                occurrence=f"{self._shard.details['digest']} {self._position}",
            )
        )

    def _keep(self, entry: Entry, user: str, said: SaidTime | None, revised: datetime | None) -> None:
        text, is_repaired = repair(entry.text)
        speaker = repair(entry.speaker)[0].strip()
        native, conversation = _clean(entry.native_id), self._conversation(entry.conversation)
        details = self._shard.details
        source = ":".join(filter(None, (details["format"], details["source_id"])))
        conversation_id = self._identity.conversation(user, source, conversation)
        ordinals = self._ordinals.setdefault(conversation_id, _Ordinals())
        sequence, ordinal = ordinals.next(entry, speaker, text)
        unnamed = (_clean(entry.written_at), speaker, text if not entry.part else ordinals.head_text, ordinal)
        content_hash = self._identity.content(text)
        message_id = self._identity.message(conversation_id, entry.part, native, unnamed)
        head_id = self._identity.message(conversation_id, "", native, unnamed) if entry.part else None
        owner = {"user_id": user, "bucket": bucket_of(user, self._n_buckets), "shard_id": self._shard.id}
        self._messages.append(
            owner
            | {
                "message_id": message_id,
                "content_hash": content_hash,
                "source": source,
                "conversation_id": conversation_id,
                "conversation": conversation,
                "native_id": native,
                "part": entry.part,
                "parent_message_id": head_id,
                "kind": entry.kind,
                "text": text,
                "written_at": _clean(entry.written_at),
                "reply_to": _clean(entry.reply_to),
                "attributes": [{"key": k, "value": repair(v)[0]} for k, v in entry.attributes],
            }
        )
        self._sources.append(
            owner
            | {
                "message_id": message_id,
                "content_hash": content_hash,
                "archive": details["archive"],
                "position": self._position,
                "locator": repair(entry.locator)[0],
                "title": _clean(entry.title),
                "session": _clean(entry.session),
                "branch": entry.branch,
                "speaker": speaker,
                "role": entry.role,
                "revised_at": revised,
                "is_deleted": entry.is_deleted,
                "is_repaired": is_repaired,
                "sequence": sequence,
                "said_at": said.at if said else None,
                "said_local": said.local if said else None,
                "timezone": said.timezone if said else None,
                "is_tz_known": bool(said and said.is_tz_known),
                "seen_at": self._seen_at,
            }
        )
        self.n_in += 1
        self._position += 1

    def _conversation(self, name: str) -> str:
        """The conversation's name: the archive's where it is the conversation, a keyed hash where it has none."""
        if name.startswith(UNNAMED):  # a plain hash of a short content could be guessed
            return UNNAMED + self._identity.content(name)
        return repair(name)[0] or self._shard.details["archive"]


def _said(entry: Entry, assumed_zone: str | None) -> SaidTime | None:
    return said_time(entry.local, entry.timezone, assumed_zone) if entry.local else None


def _clean(text: str | None) -> str | None:
    return None if text is None else repair(text)[0]


class _Ordinals:
    """Counts of one conversation at one written time: the order of messages, and of equal ones.

    Only the current time's counts are held, so memory grows with conversations, not with messages.
    """

    def __init__(self) -> None:
        self._written: str | None = None
        self._n = 0
        self._equals: Counter[int] = Counter()
        self._ordinal = 0
        self.head_text = ""

    def next(self, entry: Entry, speaker: str, text: str) -> tuple[int, int]:
        """(sequence, ordinal among equals) of an entry; a part has those of its head."""
        if entry.part:
            return self._n - 1, self._ordinal
        if entry.written_at != self._written:
            self._written, self._n = entry.written_at, 0
            self._equals.clear()
        self.head_text = text
        said = xxhash.xxh3_64_intdigest(f"{speaker}\0{text}".encode())
        self._ordinal = self._equals[said]
        self._equals[said] += entry.native_id is None  # a named one needs no ordinal, and takes none
        self._n += 1
        return self._n - 1, self._ordinal
