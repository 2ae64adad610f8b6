"""Stages: units of work, what workers give back, and what the engine runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from hypermnesia.ports.generation import Completion, Request


class VersionDriftError(RuntimeError):
    """What is stored, or what another process planned, is of another version than what runs here."""


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
    """What a worker gives back: rows by table, and counts that must add up (DESIGN 1, promise 3).

    `measures` are sums that a run reports beside its counts, such as distinctive words in and kept.
    """

    tables: dict[str, pa.Table]
    n_in: int = 0
    n_out: int = 0
    n_rejected: int = 0
    n_merged: int = 0
    n_deferred: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    measures: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0


class PlannedStage(Protocol):
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

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """The part that stands for an item that could not be run at all."""
        ...


class Stage(PlannedStage, Protocol):
    """A stage that computes."""

    def run(self, shard: Shard) -> Iterator[Part]:
        """The shard's rows, in parts of bounded size; the same for the same shard, whatever was done before."""
        ...


#: One model call: through the answers that are kept, else to the generator.
Call = Callable[[Request], Awaitable[Completion]]


class ModelStage(PlannedStage, Protocol):
    """A stage whose items (chunks) wait for a model most of the time: many of them run at once in a worker."""

    @property
    def schemas(self) -> Sequence[Mapping[str, Any]]:
        """Every answer schema that its requests name."""
        ...

    def open(self, shard: Shard) -> OpenShard:
        """Reads what the shard's items need. Called in a thread, one shard at a time, before its items run."""
        ...


class OpenShard(Protocol):
    """A shard whose inputs are read; the engine lets go of it when the last item is done."""

    @property
    def answers(self) -> Mapping[str, Completion]:
        """Answers that are committed, by request id: they are not asked for again."""
        ...

    async def run_item(self, item: str, call: Call) -> Part:
        """The item's rows; the same for the same answers. Parts are joined in the order of the shard's items."""
        ...
