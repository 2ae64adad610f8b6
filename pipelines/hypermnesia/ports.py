"""What we need from outside, as Protocols; `adapters/` implements them and one suite a port tests them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from hypermnesia.rules.secrets import Secret

# --- archives ----------------------------------------------------------------------------------


#: How the name of a conversation begins that its archive does not name.
UNNAMED = "unnamed-"


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as its archive has it, before ids: what a reader yields.

    `written_at` is the time as written; `local` the same wall clock as an ISO time, with an offset
    where the archive gives one. `conversation` is the archive's own id of it; "" where the archive is the
    conversation (a document), and `UNNAMED` with a hash of the content where it has none.
    """

    user: str | None
    conversation: str
    locator: str
    text: str
    speaker: str
    role: str
    kind: str = "utterance"
    native_id: str | None = None
    part: str = ""
    session: str | None = None
    title: str | None = None
    written_at: str | None = None
    local: str | None = None
    timezone: str | None = None
    reply_to: str | None = None
    branch: str = ""
    revised_at: str | None = None
    is_deleted: bool = False
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """One row that a stage refuses: why, where it stands, and what the person can do about it."""

    reason: str
    locator: str
    remedy: str
    detail: str = ""


class ArchiveReader(Protocol):
    """One archive format. Reads a file as a stream, in memory that does not grow with the file."""

    name: str

    def recognises(self, path: Path, head: str) -> bool:
        """Whether a file is of this format, from its first characters (the name is only a hint)."""
        ...

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages in the archive's order; what can't be read is a `Refusal` and reading goes on."""
        ...


class Archives(Protocol):
    """The formats that there are."""

    def named(self, name: str) -> ArchiveReader:
        """The reader of a format. Raises `ValueError` naming the formats there are."""
        ...

    def recognise(self, path: Path) -> ArchiveReader | None:
        """The reader whose format the file's first characters have, or None."""
        ...

    def find(self, path: Path) -> Iterator[tuple[Path, str]]:
        """The files under a path with the name that messages keep of each: relative to the path given.

        Hidden files are left out. Raises `FileNotFoundError` for a path that is not there.
        """
        ...


# --- lake --------------------------------------------------------------------------------------


class ConcurrentCommitError(RuntimeError):
    """Another writer committed one of the same transactions first."""


class LakeTable(Protocol):
    """A handle of one table at one version: look and commit on the same handle."""

    def transactions(self, names: Iterable[str]) -> set[str]:
        """Those of `names` that were committed, as this handle sees the table."""
        ...

    def append(self, rows: pa.Table, transactions: Sequence[str]) -> None:
        """One commit: the rows (may be none) and the application transactions, all or nothing.

        Raises `ConcurrentCommitError` where one of the transactions was committed meanwhile, and
        `OSError` where the storage refuses (no space, read-only): then nothing is committed.
        """
        ...


class Lake(Protocol):
    """The authority: tables that only grow. Rows of people are partitioned by bucket."""

    n_buckets: int

    def open(self, table: str) -> LakeTable:
        """A fresh handle at the table's newest version."""
        ...

    def read(
        self,
        table: str,
        *,
        columns: Sequence[str] | None = None,
        buckets: Sequence[int] | None = None,
        equals: Mapping[str, str | Sequence[str]] | None = None,
    ) -> pa.Table:
        """Committed rows, by the table's schema; `equals` keeps rows whose column has one of the values."""
        ...

    def buckets(self, table: str) -> list[int]:
        """Buckets in which the table has rows, sorted."""
        ...


# --- models ------------------------------------------------------------------------------------


class Embedder(Protocol):
    """Texts to unit vectors; the same text gives the same vector in any batch."""

    model: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Shape (len(texts), dimension), float32, each row of length 1 (a text without words too)."""
        ...


# --- vectors -----------------------------------------------------------------------------------


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
    text with the row before it, both of length 1. `said_local` is a civil ISO time. `fingerprint` is of
    all that is served: a row whose fingerprint stays need not be loaded again.
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
    text_hash: str
    context_hash: str
    fingerprint: str
    model: str
    vector: np.ndarray[Any, np.dtype[np.float32]]
    context_vector: np.ndarray[Any, np.dtype[np.float32]]


class VectorReader(Protocol):
    """One published generation, read-only. Every call names one user; an empty user is a `ValueError`."""

    generation: str

    def user_rows(self, user_id: str) -> Sequence[IndexRow]:
        """All rows of one user, sorted by (conversation_id, order, row_id)."""
        ...

    def close(self) -> None:
        """Gives back what the reader holds."""
        ...


class VectorBuild(Protocol):
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

    def publish(self, expected: int) -> str:
        """Flush, close, reopen, count, then swap the pointer; returns the generation's name.

        Raises `RuntimeError` where the reopened build does not hold `expected` rows: the published
        generation then stays.
        """
        ...

    def abandon(self) -> None:
        """Drops the build."""
        ...

    def __enter__(self) -> VectorBuild: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Abandons a build that was not published."""
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
        """(row_id, model, hash) of every vector published, two a row: what `digest vectors` covers."""
        ...


# --- tracking ----------------------------------------------------------------------------------


class Tracker(Protocol):
    """Where runs are logged, by the driver alone. A tracker that fails is a warning, never an error."""

    def start(self, run_id: str, command: str, params: Mapping[str, str], tags: Mapping[str, str]) -> None:
        """Opens a run; closes as failed those that a dead driver left open."""
        ...

    def log(self, metrics: Mapping[str, float]) -> None:
        """Adds metrics to the open run."""
        ...

    def attach(self, name: str, content: str) -> None:
        """Adds a text artifact to the open run."""
        ...

    def finish(self, status: str) -> None:
        """Closes the open run: finished, failed or killed."""
        ...


# --- stages ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shard:
    """A unit of a stage's work: planned once, run by one worker, committed whole.

    `items` are what can be run alone when one of them kills its worker. `bucket` is None for an
    archive's shard, which fans out by bucket when written.
    """

    stage: str
    id: str
    bucket: int | None
    items: tuple[str, ...]
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Part:
    """What a worker gives back: rows by table, and counts that must add up (DESIGN 1, promise 3)."""

    tables: dict[str, pa.Table]
    n_in: int = 0
    n_out: int = 0
    n_rejected: int = 0
    n_merged: int = 0
    n_deferred: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0


class Stage(Protocol):
    """One batch pass. The engine plans it, runs its shards in workers and commits what they return."""

    @property
    def name(self) -> str:
        """The stage's one word, everywhere."""
        ...

    @property
    def version(self) -> str:
        """What its rows depend on besides its inputs; part of every shard id."""
        ...

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables it writes, in the order in which they are committed; the engine adds `rejects`."""
        ...

    @property
    def counted_table(self) -> str | None:
        """The table whose rows are `n_out`: a row that was there before counts as merged. None: none is."""
        ...

    def plan(self) -> Iterator[Shard]:
        """All shards of the inputs that are committed, done or not, in a fixed order."""
        ...

    def run(self, shard: Shard) -> Iterator[Part]:
        """The shard's rows, in parts of bounded size; the same for the same shard, whatever was done before."""
        ...

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """The part that stands for an item that could not be run at all."""
        ...


# --- secrets -----------------------------------------------------------------------------------


class SecretDetector(Protocol):
    """What finds secrets in texts; people's names, addresses and phone numbers are none."""

    def find(self, texts: Sequence[str]) -> list[list[Secret]]:
        """The secrets of each text, in order, none overlapping another."""
        ...


class Vault(Protocol):
    """Seals secrets under a key of their user; without that key they are gone."""

    def seal(self, user: str, vault_id: str, value: str) -> tuple[bytes, str]:
        """(ciphertext, id of the data key); the user's key is made when first needed, once for all processes."""
        ...

    def open(self, user: str, vault_id: str, key_id: str, ciphertext: bytes) -> str:
        """The secret. Raises `LookupError` where its key was destroyed, `ValueError` for another row's ciphertext."""
        ...

    def destroy(self, user: str) -> bool:
        """Forgets the user's secrets for good; whether there was a key."""
        ...
