"""extract: chunks become records. The extractor so far is `verbatim`: what was said, or a section, is the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from hypermnesia.contracts.tables import EXTRACTIONS, RECORDS, REJECTS
from hypermnesia.ports import Lake, Part, Shard
from hypermnesia.rules import verbatim
from hypermnesia.rules.chunking import Chunk, cut_chunks, in_sittings
from hypermnesia.rules.cutting import natural_runs
from hypermnesia.rules.identity import Identity, hash_number
from hypermnesia.stages.rejects import reject_row
from hypermnesia.views import Buckets

Message = dict[str, Any]


class Extract:
    """The extract stage over the chunks in force."""

    name = "extract"
    version = verbatim.VERSION
    tables = ("extractions", "records")
    counted_table = None

    def __init__(self, lake: Lake, identity: Identity, shard_messages: int) -> None:
        self._buckets = Buckets(lake, identity)
        self._identity = identity
        self._shard_messages = shard_messages
        self._chunks: tuple[int, dict[str, Chunk], dict[str, Message]] | None = None

    def plan(self) -> Iterator[Shard]:
        """Shards of chunks of one bucket, about `shard_messages` messages each; a long history is many shards."""
        for number in self._buckets.numbers():
            runs = natural_runs(
                self._open(number)[0].values(),
                size=lambda chunk: len(chunk.messages),
                number=lambda chunk: hash_number(chunk.chunk_id),
                modulus=4,
                least=self._shard_messages // 4,
                most=self._shard_messages,
            )
            for run in runs:
                content = [part for chunk in run for part in (chunk.chunk_id, chunk.content_hash)]
                shard_id = self._identity.make("shard", self.name, self.version, *content)
                yield Shard(self.name, shard_id, number, tuple(chunk.chunk_id for chunk in run))

    def run(self, shard: Shard) -> Iterator[Part]:
        """One extraction a chunk, and its records."""
        assert shard.bucket is not None
        chunks, messages = self._open(shard.bucket)
        extractions: list[dict[str, Any]] = []
        records: list[dict[str, Any]] = []
        part = Part(tables={})
        reasons: Counter[str] = Counter()
        for chunk_id in shard.items:
            chunk = chunks[chunk_id]
            made = _records(chunk, messages, self._identity, reasons, part)
            extraction = _extraction(chunk, made, self._identity)
            owner = {"user_id": chunk.user_id, "bucket": shard.bucket, "shard_id": shard.id}
            extractions.append(owner | extraction)
            origin = {"chunk_id": chunk_id, "extraction_id": extraction["extraction_id"]}
            records.extend(owner | row | origin for row in made)
        part.tables = {"extractions": EXTRACTIONS.table(extractions), "records": RECORDS.table(records)}
        part.reasons = dict(reasons)
        yield part

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A chunk that could not be read: its messages stay, its records are missing until a replay."""
        assert shard.bucket is not None
        chunk = self._open(shard.bucket)[0][item]
        row = reject_row(
            self._identity,
            stage=self.name,
            reason=reason,
            remedy="look at the chunk with `show`; its messages are kept",
            shard_id=shard.id,
            user_id=chunk.user_id,
            bucket=shard.bucket,
            subject_id=item,
            detail=detail,
        )
        n = len(chunk.messages)
        return Part(tables={"rejects": REJECTS.table([row])}, n_in=n, n_rejected=n, reasons={reason: n})

    def _open(self, bucket: int) -> tuple[dict[str, Chunk], dict[str, Message]]:
        """The bucket's chunks in force, and its messages in force by id."""
        if self._chunks is None or self._chunks[0] != bucket:
            said = in_sittings(self._buckets.open(bucket).messages)
            chunks = {chunk.chunk_id: chunk for chunk in cut_chunks(said, self._identity)}
            columns = ["message_id", "content_hash", "head_id", "part", "kind", "speaker", "role", "text"]
            columns += ["said_at", "said_local", "attributes", "user_id"]
            messages = {row["message_id"]: row for row in said.select(columns).iter_rows(named=True)}
            self._chunks = (bucket, chunks, messages)
        return self._chunks[1], self._chunks[2]


def _records(
    chunk: Chunk, messages: dict[str, Message], identity: Identity, reasons: Counter[str], part: Part
) -> list[dict[str, Any]]:
    """The records of a chunk; every message of it is counted in `part`."""
    rows = []
    said_before = [turn for turn in _turns(chunk.lead, messages) if not _is_system(turn[0])]
    before = said_before[-1] if said_before else None
    for turn in _turns(chunk.messages, messages):
        part.n_in += len(turn)
        text = _text(turn)
        reason = _why_none(turn[0], text)
        if reason:
            part.n_deferred += len(turn)
            reasons[reason] += len(turn)
        else:
            part.n_out += 1
            part.n_merged += len(turn) - 1
            rows.append(_record(turn, text, before, identity))
        if not _is_system(turn[0]):  # what nobody said stands between no question and its answer
            before = turn
    return rows


def _turns(revisions: Sequence[tuple[str, str]], messages: dict[str, Message]) -> list[list[Message]]:
    rows = (messages[message_id] for message_id, _ in revisions)
    return [list(turn) for _, turn in groupby(rows, key=lambda row: row["head_id"])]


def _text(turn: Sequence[Message]) -> str:
    said = next((m["text"] for m in turn if not m["part"]), "")
    return verbatim.turn_text(said, [(_type(m), m["text"]) for m in turn if m["part"]])


def _type(attachment: Message) -> str:
    return next((a["value"] for a in attachment["attributes"] if a["key"] == "type"), "attachment")


def _is_system(head: Message) -> bool:
    return bool(head["role"] == "system" or head["kind"] == "system")


def _why_none(head: Message, text: str) -> str | None:
    if _is_system(head):
        return verbatim.NOT_SAID
    return None if text else verbatim.SAYS_NOTHING


def _record(turn: Sequence[Message], text: str, before: Sequence[Message] | None, identity: Identity) -> dict[str, Any]:
    head = turn[0]
    cited = [(m["message_id"], m["content_hash"]) for m in turn]
    asked = (before[0]["speaker"], before[0]["text"]) if before else None
    memory_type = verbatim.memory_type(head["kind"])
    is_resource = memory_type == verbatim.RESOURCE
    return {
        "row_id": identity.record(head["user_id"], memory_type, cited, verbatim.VERSION, text),
        "memory_type": memory_type,
        "text": text,
        "event_precision": "unknown",
        "said_at": head["said_at"],
        "said_local": head["said_local"],
        "speaker": head["speaker"],
        "context": None if is_resource else verbatim.answered_question(head["text"], head["speaker"], asked),
        "cited": [{"message_id": m, "content_hash": h} for m, h in cited],
        "quotes": [
            {"message_id": m["message_id"], "content_hash": m["content_hash"], "start": 0, "end": len(m["text"])}
            for m in turn
            if verbatim.says_something(m["text"])
        ],
        "derived_from": [],
        "attributes": [a for a in head["attributes"] if is_resource and a["key"] in verbatim.PLACE_IN_DOCUMENT],
        "trust": verbatim.TRUST["document" if is_resource else head["role"]],
        "extractor": "verbatim",
        "extractor_version": verbatim.VERSION,
    }


def _extraction(chunk: Chunk, rows: Sequence[dict[str, Any]], identity: Identity) -> dict[str, Any]:
    """The one answer for a chunk: a document's chunks are resources, any other may hold sections that were sent."""
    types = {row["memory_type"] for row in rows}
    return {
        "extraction_id": identity.make("extraction", chunk.chunk_id, chunk.content_hash, "", verbatim.VERSION),
        "chunk_id": chunk.chunk_id,
        "chunk_hash": chunk.content_hash,
        "memory_type": verbatim.RESOURCE if types == {verbatim.RESOURCE} else verbatim.EPISODIC,
        "extractor": "verbatim",
        "extractor_version": verbatim.VERSION,
        "status": "ok" if rows else "empty",
        "items": [{"row_id": row["row_id"], "context": row["context"]} for row in rows],
    }
