"""The committer: the one writer of a stage's tables (DESIGN 3 "Commits").

Several finished shards are one Delta commit a table. Each table carries a transaction a part: look and
commit happen on the same handle, so two committers can't both win, and a part that was committed before
a crash is not written again. A row of `commits` comes last: only then is a shard done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc

from hypermnesia.contracts.tables import COMMITS, TABLES
from hypermnesia.engine.counts import Counts
from hypermnesia.engine.keys import KeyIndex
from hypermnesia.ports import ConcurrentCommitError, Lake, LakeTable, Part, PlannedStage, Shard

_STAMPS = ("committed_at", "rejected_at", "decided_at")


@dataclass(frozen=True, slots=True)
class Finished:
    """One part of a shard that a worker gave back; `is_last` closes the shard."""

    shard: Shard
    index: int
    part: Part
    is_last: bool


def never_crash(point: str) -> None:
    """The crash points' default: nothing happens."""


class Committer:
    """Commits a stage's parts; use it under the stage's lease."""

    def __init__(
        self, lake: Lake, stage: PlannedStage, run_id: str, crash: Callable[[str], None] = never_crash
    ) -> None:
        self._lake = lake
        self._stage = stage
        self._run_id = run_id
        self._crash = crash
        self._tables = (*stage.tables, "rejects")
        self._keys = {name: KeyIndex(lake, TABLES[name]) for name in self._tables}
        self._open: dict[str, Counts] = {}
        self._resumed: set[str] = set()

    def done(self) -> dict[str, Counts]:
        """The stage's committed shards and what became of their rows."""
        rows = self._lake.read("commits", equals={"stage": self._stage.name})
        return {row["shard_id"]: Counts.of_commit(row) for row in rows.to_pylist()}

    def commit(self, batch: Sequence[Finished]) -> dict[str, Counts]:
        """Commits the parts; returns the counts of the shards that are whole now."""
        for table in self._tables:
            self._append(table, batch)
        closed = {}
        for finished in batch:
            tally = self._open.setdefault(finished.shard.id, Counts())
            tally.add(finished.part)
            if finished.is_last:
                closed[finished.shard.id] = self._close(finished.shard)
        self._append_commits(closed, {f.shard.id: f.shard for f in batch})
        return closed

    def _append(self, table: str, batch: Sequence[Finished]) -> None:
        """The batch's rows of one table, in one commit with a transaction a part."""
        parts = {f"{self._stage.name}/{f.shard.id}/{f.index}": f for f in batch if _rows(f, table) is not None}
        is_first = table == self._tables[0]
        if not is_first and not any(_rows(f, table) for f in parts.values()):
            return
        handle = self._lake.open(table)
        while True:
            done = handle.transactions(parts)
            todo = {name: f for name, f in parts.items() if name not in done}
            if is_first:
                self._resumed |= {parts[name].shard.id for name in done}
            try:
                self._append_once(table, handle, todo)
                return
            except ConcurrentCommitError:  # somebody else was faster: look again at what is there
                handle = self._lake.open(table)
                self._keys[table] = KeyIndex(self._lake, TABLES[table])

    def _append_once(self, table: str, handle: LakeTable, todo: dict[str, Finished]) -> None:
        if not todo:
            return
        rows = pa.concat_tables(t for f in todo.values() if (t := _rows(f, table)) is not None)
        fresh = self._keys[table].fresh(_stamp(rows, self._run_id))
        self._crash(f"before {table}")
        handle.append(fresh, list(todo))
        self._crash(f"after {table}")
        self._keys[table].add(fresh)
        if table == self._stage.counted_table:
            counted = pc.value_counts(fresh.column("shard_id")).to_pylist()
            new = {c["values"]: c["counts"] for c in counted}
            for shard_id in {f.shard.id for f in todo.values()}:
                self._open.setdefault(shard_id, Counts()).n_new += new.get(shard_id, 0)

    def _close(self, shard: Shard) -> Counts:
        """The shard's counts: rows of the counted table that were there before are merged, not out."""
        counts = self._open.pop(shard.id)
        table = self._stage.counted_table
        if table is not None:
            if shard.id in self._resumed:  # a part of it was committed by a run that died: count what it left
                counts.n_new = self._lake.read(table, columns=["shard_id"], equals={"shard_id": shard.id}).num_rows
            counts.n_merged += counts.n_out - counts.n_new
            counts.n_out = counts.n_new
        counts.check(f"{shard.stage} {shard.id}")
        return counts

    def _append_commits(self, closed: dict[str, Counts], shards: dict[str, Shard]) -> None:
        if not closed:
            return
        names = {f"{self._stage.name}/{shard_id}": shard_id for shard_id in closed}
        handle = self._lake.open("commits")
        todo = {n: s for n, s in names.items() if n not in handle.transactions(names)}
        rows = [
            closed[s].row()
            | {
                "stage": self._stage.name,
                "shard_id": s,
                "version": self._stage.version,
                "shard_bucket": shards[s].bucket,
                "run_id": self._run_id,
                "committed_at": datetime.now(UTC),
            }
            for s in todo.values()
        ]
        if rows:
            self._crash("before commits")
            handle.append(COMMITS.table(rows), list(todo))
            self._crash("after commits")


def _rows(finished: Finished, table: str) -> pa.Table | None:
    return finished.part.tables.get(table)


def _stamp(rows: pa.Table, run_id: str) -> pa.Table:
    """Fills in when the rows are committed, and by which run."""
    for name, value in {**dict.fromkeys(_STAMPS, datetime.now(UTC)), "run_id": run_id}.items():
        index = rows.schema.get_field_index(name)
        if index >= 0:
            field = rows.schema.field(index)
            rows = rows.set_column(index, field, pa.array([value] * rows.num_rows, type=field.type))
    return rows
