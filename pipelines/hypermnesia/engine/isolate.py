"""What to do with a shard that fails: run it again, then its items one by one, and refuse only the poison.

A shard of one item (an archive) can't be split: what it gave before it failed stays, and the rest of it is
refused.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from hypermnesia.engine.commits import Finished
from hypermnesia.engine.counts import N_ROWS, Counts
from hypermnesia.ports import Part, Shard, Stage

#: Runs of a whole shard before its items run alone.
TRIES = 2

RAISED, DIED = "stage_failed", "worker_died"


class Tries:
    """One shard over its tries: how often it failed, and what it gave, so that no part is given twice."""

    def __init__(self, shard: Shard) -> None:
        self.shard = shard
        self.n_failed = 0
        self._n_given = 0
        self.restart()

    def restart(self) -> None:
        """A new try begins: it will make the same parts again."""
        self._index = -1
        self._held: Part | None = None

    def push(self, part: Part) -> Finished | None:
        """Takes the try's next part; returns the one before it, unless an earlier try gave that."""
        before = self._flush(is_last=False)
        self._held = part
        self._index += 1
        return before

    def end(self) -> Finished | None:
        """The try's last part, which closes the shard."""
        if self._held is None:
            self.push(Part({}))
        return self._flush(is_last=True)

    def close(self, part: Part) -> Finished:
        """Closes the shard with a part that stands for what could not be run whole."""
        return Finished(self.shard, self._n_given, part, is_last=True)

    def _flush(self, *, is_last: bool) -> Finished | None:
        held, self._held = self._held, None
        if held is None or self._index < self._n_given:
            return None
        self._n_given = self._index + 1
        return Finished(self.shard, self._index, held, is_last)


def refuse(stage: Stage, one: Shard, error: BaseException | None) -> Part:
    """The part that stands for a shard of one item; without an error its worker died."""
    reason, detail = (DIED, "") if error is None else (RAISED, f"{type(error).__name__}: {error}")
    return stage.refuse(one, one.items[0], reason, detail)


def alone(shard: Shard) -> list[Shard]:
    """Each of the shard's items as a shard with the same id."""
    return [replace(shard, items=(item,)) for item in shard.items]


def join_parts(parts: Sequence[Part]) -> Part:
    """One part out of several of one shard."""
    total = Counts()
    tables: dict[str, list[pa.Table]] = {}
    for part in parts:
        total.add(part)
        for name, rows in part.tables.items():
            tables.setdefault(name, []).append(rows)
    joined = Part({name: pa.concat_tables(rows) for name, rows in tables.items()})
    joined.reasons, joined.measures = dict(total.reasons), dict(total.measures)
    for name in N_ROWS:
        setattr(joined, name, getattr(total, name))
    joined.seconds, joined.cpu_seconds = total.seconds, total.cpu_seconds
    return joined


def timed(parts: Iterator[Part]) -> Iterator[Part]:
    """The parts, each stamped with the wall and processor seconds that it took to make."""
    wall, cpu = time.perf_counter(), time.process_time()
    for part in parts:
        part.seconds, part.cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
        yield part
        wall, cpu = time.perf_counter(), time.process_time()
