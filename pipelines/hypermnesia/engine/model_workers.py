"""Runs model stages on Ray: long-lived async actors that ask for work, each with an engine or an endpoint.

An actor says by a long poll when fewer chunks wait in it than could run; the driver then hands it one more
shard, so that no call slot idles between shards. A worker that dies, or whose engine dies, is replaced and
its shards go to whoever asks next; the answers that it had are in the spool. What ran while it died is
counted there, and an item that keeps killing its worker is refused in the end (notes/engine.md).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator

from hypermnesia.engine.commits import Finished
from hypermnesia.engine.model_pool import MakeGenerator, MakeStage, ModelPool, ModelWorkers
from hypermnesia.engine.model_runs import Spools
from hypermnesia.engine.ray_session import end_ray, start_ray
from hypermnesia.engine.run import Executor
from hypermnesia.ports import PlannedStage, Shard


class ModelExecutor:
    """Actors that live as long as the run; each has a generator of its own."""

    def __init__(
        self, make_stage: MakeStage, make_generator: MakeGenerator, spools: Spools, workers: ModelWorkers
    ) -> None:
        self._made = (make_stage, make_generator, spools)
        self._spools = spools
        self._workers = workers
        self._pool: ModelPool | None = None

    def run(self, stage: PlannedStage, shards: Iterable[Shard]) -> Iterator[Finished]:
        """Every shard's rows as they come. Raises `StalledError` or `WorkersError`.

        What an older plan left in the spool is removed at the end: nothing will ask for it again.
        """
        seen: set[str] = set()
        yield from self._run(stage, _noted(shards, seen))
        spool = self._spools(stage.name)
        spool.drop(spool.shards() - seen)

    def _run(self, stage: PlannedStage, shards: Iterator[Shard]) -> Iterator[Finished]:
        first = next(shards, None)
        if first is None:
            return
        if self._pool is None:
            start_ray(self._workers.local_cpus)
            self._pool = ModelPool(*self._made, self._workers)
        yield from self._pool.run(stage, deque([first]), shards)

    def committed(self, stage: str, shard_ids: Collection[str]) -> None:
        """Their answers are in the lake."""
        self._spools(stage).drop(shard_ids)

    def close(self) -> None:
        """Stops the calls, keeps what was answered, ends the actors and the local Ray."""
        end_ray(self._pool)


class StageExecutors:
    """Sends model stages to one executor, the others to another."""

    def __init__(self, plain: Executor, models: Executor, model_stages: Collection[str]) -> None:
        self._plain = plain
        self._models = models
        self._model_stages = model_stages

    def run(self, stage: PlannedStage, shards: Iterable[Shard]) -> Iterator[Finished]:
        """As the stage's executor does."""
        return self._of(stage.name).run(stage, shards)

    def committed(self, stage: str, shard_ids: Collection[str]) -> None:
        """As the stage's executor does."""
        self._of(stage).committed(stage, shard_ids)

    def close(self) -> None:
        """Closes both."""
        self._models.close()
        self._plain.close()

    def _of(self, stage: str) -> Executor:
        return self._models if stage in self._model_stages else self._plain


def _noted(shards: Iterable[Shard], seen: set[str]) -> Iterator[Shard]:
    for shard in shards:
        seen.add(shard.id)
        yield shard
