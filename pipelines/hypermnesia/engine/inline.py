"""Runs shards in this process, one after the other: for tests of the engine and for very small archives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from hypermnesia.engine.commits import Finished
from hypermnesia.engine.isolate import TRIES, Tries, alone, join_parts, refuse, timed
from hypermnesia.ports import Part, Shard, Stage


class InlineExecutor:
    """The simplest executor: no workers, so nothing survives what ends the process."""

    def run(self, stage: Stage, shards: Iterable[Shard]) -> Iterator[Finished]:
        """The parts of every shard in order; an item that raises is refused, the others go on."""
        for shard in shards:
            yield from _run_shard(stage, shard)

    def committed(self, stage: str, shard_ids: Collection[str]) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is held."""


def _run_shard(stage: Stage, shard: Shard) -> Iterator[Finished]:
    tries = Tries(shard)
    while True:
        try:
            for part in timed(stage.run(shard)):
                if finished := tries.push(part):
                    yield finished
        except Exception as error:
            tries.n_failed += 1
            if tries.n_failed < TRIES:
                tries.restart()
                continue
            is_single = len(shard.items) == 1
            yield tries.close(refuse(stage, shard, error) if is_single else _run_items(stage, shard))
        else:
            if finished := tries.end():
                yield finished
        return


def _run_items(stage: Stage, shard: Shard) -> Part:
    parts = []
    for one in alone(shard):
        try:
            parts.append(join_parts(list(timed(stage.run(one)))))
        except Exception as error:
            parts.append(refuse(stage, one, error))
    return join_parts(parts)
