"""The vector store: what it serves of a record, and how it is built and read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hypermnesia.ports.builds import Build
from hypermnesia.ports.models import Packed


@dataclass(frozen=True, slots=True)
class Source:
    """Where a cited message was seen. `native_id` is the archive's own id of it (LoCoMo: "D1:3")."""

    message_id: str
    archive: str
    conversation: str
    native_id: str | None


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One record as the vector store holds and serves it: all that a question needs.

    Rows of one user, ordered by (`conversation_id`, `order`), are its conversations as they were
    said; `session` tells where one sitting ends. `vector` is of the text, `context_vector` of the
    text with the row before it, both of length 1; `tokens` are packed `Tokens` of the latter's own words, empty
    where the row has none. `said_local` is a civil ISO time. `fingerprint` is of
    all that is served: a row whose fingerprint stays need not be loaded again. `signals` are of `rules/signals.py`.
    A reader's vectors and tokens may be views of what it holds.
    """

    row_id: str
    user_id: str
    memory_type: str
    text: str
    context: str | None
    speaker: str
    role: str
    trust: str
    modality: str | None
    said_at: str | None
    said_local: str | None
    event_start: str | None
    event_end: str | None
    event_precision: str | None
    conversation_id: str
    session: str
    order: int
    sources: tuple[Source, ...]
    signals: tuple[str, ...]
    text_hash: str
    context_hash: str
    fingerprint: str
    model: str
    vector: np.ndarray[Any, np.dtype[np.float32]]
    context_vector: np.ndarray[Any, np.dtype[np.float32]]
    tokens: Packed = b""


@dataclass(frozen=True, slots=True)
class NameRow:
    """The name of one anchor as it was written, with its vector of length 1."""

    anchor_id: str
    user_id: str
    model: str
    text_hash: str
    vector: np.ndarray[Any, np.dtype[np.float32]]


class VectorReader(Protocol):
    """One published generation, read-only. Every call names one user; an empty user is a `ValueError`."""

    generation: str

    def user_rows(self, user_id: str) -> Sequence[IndexRow]:
        """All rows of one user, sorted by (conversation_id, order, row_id)."""
        ...

    def user_names(self, user_id: str) -> Sequence[NameRow]:
        """The names of one user's anchors, sorted by anchor_id."""
        ...

    def close(self) -> None:
        """Gives back what the reader holds."""
        ...


class VectorBuild(Build, Protocol):
    """A generation being made beside the published one; nobody reads it before `publish`."""

    def present(self) -> Mapping[str, str]:
        """row_id -> fingerprint of what the build holds now."""
        ...

    def upsert(self, rows: Iterable[IndexRow]) -> int:
        """Writes rows in bounded batches; a row with the same id is replaced. Returns how many."""
        ...

    def delete(self, row_ids: Iterable[str]) -> int:
        """Drops rows by id. Returns how many were there."""
        ...

    def present_names(self) -> Mapping[str, str]:
        """anchor_id -> text_hash of the names that the build holds now."""
        ...

    def upsert_names(self, names: Iterable[NameRow]) -> int:
        """Writes names in bounded batches; one with the same anchor_id is replaced. Returns how many."""
        ...

    def delete_names(self, anchor_ids: Iterable[str]) -> int:
        """Drops names by id. Returns how many were there."""
        ...

    def publish(self, expected: int, expected_names: int = 0) -> str:
        """Flush, close, reopen, count, then swap the pointer; returns the generation's name.

        Raises `RuntimeError` where the reopened build does not hold so many rows and names: the published
        generation then stays.
        """
        ...


class VectorIndex(Protocol):
    """The vector store: one writer builds generations, many readers follow the published one."""

    def published(self) -> str | None:
        """The published generation's name, or None before the first."""
        ...

    def reader(self) -> VectorReader:
        """A reader of the published generation. Raises `LookupError` before the first."""
        ...

    def build(self, *, is_fresh: bool) -> VectorBuild:
        """A build that starts from the published rows, or from nothing where `is_fresh`."""
        ...

    def entries(self) -> Iterator[tuple[str, str, str]]:
        """(id, model, hash) of every vector published, two a row, one a name: what `digest vectors` covers."""
        ...
