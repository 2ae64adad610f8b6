"""Ids: keyed hashes of content and source (DESIGN 3 "The lake key", 4).

An id is a prefix and 32 hex digits: HMAC-SHA256 under the lake key of the kind and the parts, each
with its length in front, so that no two lists of parts read the same. Absent and empty differ.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable

import xxhash

PREFIXES = {
    "message": "msg",
    "conversation": "cnv",
    "chunk": "chk",
    "extraction": "ext",
    "answer": "ans",
    "record": "row",
    "reject": "rej",
    "shard": "shd",
    "content": "txt",
    "vault": "vlt",
    "mention": "men",
    "anchor": "anc",
    "frame": "frm",
    "decision": "dec",
    "activation": "act",
    "session": "ses",
    "experience": "exp",
    "skill": "skl",
    "edit": "edt",
    "task": "tsk",
    "use": "use",
}


class Identity:
    """Makes the ids of one lake. Two lakes with one key give the same ids."""

    def __init__(self, lake_key: bytes) -> None:
        if len(lake_key) < 16:
            raise ValueError("the lake key must have at least 16 bytes")
        self._key = lake_key

    def make(self, kind: str, *parts: str | None) -> str:
        """The id of `parts` as a `kind` (a key of `PREFIXES`)."""
        prefix = PREFIXES[kind]
        message = [prefix.encode()]
        for part in parts:
            data = b"" if part is None else part.encode()
            message.append(f"{'n' if part is None else 's'}{len(data)}:".encode() + data)
        return f"{prefix}_{hmac.digest(self._key, b'|'.join(message), 'sha256')[:16].hex()}"

    def content(self, text: str) -> str:
        """The content hash of a repaired text: a message's revision."""
        return self.make("content", text)

    def conversation(self, user: str, source: str, native: str) -> str:
        """A conversation of one user: the same export under two users shares nothing."""
        return self.make("conversation", need_user(user), source, native)

    def message(
        self,
        conversation_id: str,
        part: str,
        native_id: str | None,
        unnamed: tuple[str | None, str, str, int] | None = None,
    ) -> str:
        """A message of one conversation (whose id holds user and source).

        Named by its native id, else by `unnamed` = (written time, author, text, ordinal among equals).
        """
        if native_id is not None:
            return self.make("message", conversation_id, part, "native", native_id)
        if unnamed is None:
            raise ValueError("a message needs a native id, or time, author, text and ordinal")
        written, author, text, ordinal = unnamed
        return self.make("message", conversation_id, part, "unnamed", written, author, text, str(ordinal))

    def record(
        self, user: str, memory_type: str, cited: Iterable[tuple[str, str]], extractor_version: str, text: str
    ) -> str:
        """A record: the same claim of the same revisions by the same extractor is one row."""
        flat = [part for revision in sorted(cited) for part in revision]
        return self.make("record", need_user(user), memory_type, *flat, extractor_version, text)

    def anchor(self, user: str, anchor_type: str, key: str) -> str:
        """An anchor: names with one key are one anchor of their type (Jordan the person is not the country)."""
        return self.make("anchor", need_user(user), anchor_type, key)

    def frame(self, user: str, predicate: str, roles: Iterable[tuple[str, str]], occurrence: str) -> str:
        """A frame over the anchors as they were written, by (role, anchor_id); `occurrence` is "" for a state."""
        flat = [part for role in sorted(roles) for part in role]
        return self.make("frame", need_user(user), predicate, *flat, occurrence)


def need_user(user: str | None) -> str:
    """The user, or `ValueError`: an empty user is an error, never "all" (DESIGN 1)."""
    if user is None or not user.strip():
        raise ValueError("a user is needed: an empty user never means all")
    return user


def bucket_of(user: str, n_buckets: int) -> int:
    """The user's bucket: xxh64(user_id) mod n_buckets (DESIGN 3)."""
    return xxhash.xxh64_intdigest(need_user(user).encode()) % n_buckets


def hash_number(identifier: str) -> int:
    """The number in an id's hex digits: what natural cuts are decided by."""
    return int(identifier.rsplit("_", 1)[-1], 16)
