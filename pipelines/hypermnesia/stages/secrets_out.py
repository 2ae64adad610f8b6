"""Takes secrets out of rows before they are written: a placeholder in their place, the value into the vault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypermnesia.ports import SecretDetector, Vault
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.secrets import Secret, placeholder, redact

Row = dict[str, Any]
Found = Mapping[str, Sequence[Secret]]

#: Fields that several messages share: a secret in one belongs to the conversation.
_OF_MESSAGES = ("conversation",)
_OF_SOURCES = ("title", "session", "branch", "speaker", "locator")
_OF_REJECTS = ("detail", "locator")


@dataclass(slots=True)
class Taken:
    """What was taken out of one part: rows of `vault`, and how many secrets of each kind."""

    rows: list[Row] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def reasons(self) -> dict[str, int]:
        """The counts as a part's reasons."""
        return {f"secret: {kind}": n for kind, n in sorted(self.counts.items())}


class SecretsOut:
    """Redacts the rows of one shard, a part at a time."""

    def __init__(self, detector: SecretDetector, vault: Vault, identity: Identity, shard_id: str) -> None:
        self._detector = detector
        self._vault = vault
        self._identity = identity
        self._shard_id = shard_id

    def take(self, messages: Sequence[Row], sources: Sequence[Row], rejects: Sequence[Row]) -> Taken:
        """Redacts the rows in place; the two of one message stand at one place of `messages` and `sources`.

        What stands in a reject is not kept: nobody knows whose it is.
        """
        taken, found = Taken(), self._look(messages, sources, rejects)
        if not found:
            return taken
        shared: dict[tuple[str, str], str] = {}
        for message, source in zip(messages, sources, strict=True):
            self._redact_message(message, found, taken)
            for row, names in ((message, _OF_MESSAGES), (source, _OF_SOURCES)):
                for name in names:
                    if row[name] in found:
                        row[name] = self._redact_shared(row[name], message, found, taken, shared)
        for row in rejects:
            for name in _OF_REJECTS:
                if secrets := found.get(row[name]):
                    taken.counts.update(secret.kind for secret in secrets)
                    row[name] = redact(row[name], secrets)[0]
        return taken

    def _look(self, messages: Sequence[Row], sources: Sequence[Row], rejects: Sequence[Row]) -> Found:
        """The texts that hold secrets, each with them; every text is looked at once."""
        texts: dict[str, None] = {}
        for message in messages:
            texts[message["text"]] = None
            texts.update((pair["value"], None) for pair in message["attributes"])
        for rows, names in ((messages, _OF_MESSAGES), (sources, _OF_SOURCES), (rejects, _OF_REJECTS)):
            texts.update((row[name], None) for row in rows for name in names if row[name])
        asked = list(texts)
        return {text: secrets for text, secrets in zip(asked, self._detector.find(asked), strict=True) if secrets}

    def _redact_message(self, message: Row, found: Found, taken: Taken) -> None:
        """The message's own text and attributes, numbered together."""
        used: dict[str, int] = {}
        subject = (message["message_id"], message["content_hash"])
        for row, name in ((message, "text"), *((pair, "value") for pair in message["attributes"])):
            if secrets := found.get(row[name]):
                row[name] = self._redact(row[name], secrets, message, subject, used, taken)

    def _redact_shared(
        self, text: str, message: Row, found: Found, taken: Taken, shared: dict[tuple[str, str], str]
    ) -> str:
        """A title or name, as its conversation has it: once for all its messages."""
        conversation = message["conversation_id"]
        if (conversation, text) not in shared:
            subject = (conversation, self._identity.content(text))
            shared[conversation, text] = self._redact(text, found[text], message, subject, {}, taken)
        return shared[conversation, text]

    def _redact(
        self,
        text: str,
        secrets: Sequence[Secret],
        message: Row,
        subject: tuple[str, str],
        used: dict[str, int],
        taken: Taken,
    ) -> str:
        redacted, numbered = redact(text, secrets, used)
        for secret, ordinal in numbered:
            taken.counts[secret.kind] += 1
            taken.rows.append(self._row(text[secret.start : secret.end], secret.kind, ordinal, message, subject))
        return redacted

    def _row(self, value: str, kind: str, ordinal: int, message: Row, subject: tuple[str, str]) -> Row:
        vault_id = self._identity.make("vault", *subject, kind, str(ordinal))
        ciphertext, key_id = self._vault.seal(message["user_id"], vault_id, value)
        return {
            "user_id": message["user_id"],
            "bucket": message["bucket"],
            "vault_id": vault_id,
            "message_id": subject[0],
            "content_hash": subject[1],
            "kind": kind,
            "ordinal": ordinal,
            "placeholder": placeholder(kind, ordinal),
            "ciphertext": ciphertext,
            "key_id": key_id,
            "shard_id": self._shard_id,
        }
