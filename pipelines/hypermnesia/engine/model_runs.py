"""Runs shards of a model stage in one process: many items at once, each item's calls through the spool."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator

from hypermnesia.engine.calls import MOST_DEATHS, ChunkWindow, ShardCalls, window_size
from hypermnesia.engine.commits import Finished
from hypermnesia.engine.isolate import DIED, RAISED, join_parts
from hypermnesia.engine.spool import AnswerSpool
from hypermnesia.ports import Generator, ModelStage, OpenShard, Part, Shard, VersionDriftError

#: Where a stage's answers in flight are kept, by the stage's name.
Spools = Callable[[str], AnswerSpool]

#: A kill loses the answers of so long: a flush costs 30 microseconds a shard that has any.
FLUSH_S = 0.2


class ShardRunner:
    """One stage, one generator and one life of the spool; use it inside an event loop."""

    def __init__(self, stage: ModelStage, generator: Generator, spool: AnswerSpool, life: str) -> None:
        self._stage = stage
        self._generator = generator
        self._spool = spool
        self._life = spool.life(life)
        self._window = ChunkWindow(window_size(generator.slots))
        self._opening = asyncio.Lock()
        self._running: set[asyncio.Task[Part]] = set()
        self._doom: Exception | None = None
        self._flushing = asyncio.create_task(self._keep_flushed())

    async def wants(self) -> None:
        """Returns when another shard should come."""
        await self._window.wants()

    async def run(self, shard: Shard) -> Part:
        """The shard's rows. Raises `EngineDeadError` or `EngineUnavailableError`; then the spool has what came back.
        Raises `VersionDriftError` where the stage is another one than the driver's.

        An item whose code raises is refused: its answers are kept, so that a replay asks nothing twice.
        """
        self._window.expect(len(shard.items))
        task = asyncio.create_task(self._run(shard))
        self._running.add(task)
        try:
            return await task
        finally:
            self._running.discard(task)
            self._life.close(shard.id)

    def flush(self) -> None:
        """Keeps what was answered so far."""
        self._life.flush()

    async def stop(self) -> None:
        """Stops asking, then keeps what was answered."""
        self._flushing.cancel()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._life.flush()

    async def _run(self, shard: Shard) -> Part:
        try:
            async with self._opening:
                opened, call, deaths = await asyncio.to_thread(self._open, shard)
        except VersionDriftError:
            raise
        except Exception as error:
            self._window.expect(-len(shard.items))
            return join_parts([self._stage.refuse(shard, item, RAISED, _line(error)) for item in shard.items])
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._item(opened, shard, item, call, deaths.get(item, 0)))
                    for item in shard.items
                ]
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return join_parts([task.result() for task in tasks])

    def _open(self, shard: Shard) -> tuple[OpenShard, ShardCalls, dict[str, int]]:
        opened = self._stage.open(shard)
        call = ShardCalls(self._generator, shard.id, self._life, opened.answers, self._spool.answers(shard.id))
        return opened, call, dict(self._spool.deaths(shard.id))

    async def _item(self, opened: OpenShard, shard: Shard, item: str, call: ShardCalls, n_deaths: int) -> Part:
        if n_deaths >= MOST_DEATHS:
            self._window.expect(-1)
            return self._stage.refuse(shard, item, DIED, f"{n_deaths} workers died while it ran")
        async with self._window.place(n_deaths):
            if self._doom is not None:  # nothing begins on a dead engine: it would be counted against the item
                raise self._doom
            self._life.begin(shard.id, item)
            clock = time.perf_counter()
            try:
                part = await opened.run_item(item, call)
            except Exception as error:
                if call.doom is not None:  # however the stage wrapped it
                    self._doom = call.doom
                    raise call.doom from None
                part = self._stage.refuse(shard, item, RAISED, _line(error))
            part.seconds = time.perf_counter() - clock
            self._life.end(shard.id, item)
            return part

    async def _keep_flushed(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_S)
            self._life.flush()


class InlineModelExecutor:
    """Runs shards in this process, one after the other: for tests, and for small archives on an endpoint."""

    def __init__(self, make_generator: Callable[[], Generator], spools: Spools) -> None:
        self._make_generator = make_generator
        self._spools = spools
        self._loop: asyncio.Runner | None = None
        self._generator: Generator | None = None

    def run(self, stage: ModelStage, shards: Iterable[Shard]) -> Iterator[Finished]:
        """Every shard's rows in order. Raises `EngineDeadError` or `EngineUnavailableError`."""
        spool, runner, seen = self._spools(stage.name), None, set()
        for shard in shards:
            if self._loop is None:
                self._loop, self._generator = asyncio.Runner(), self._make_generator()
            if runner is None:
                runner = self._loop.run(self._open(stage, spool))
            seen.add(shard.id)
            yield Finished(shard, 0, self._loop.run(runner.run(shard)), is_last=True)
        if runner is not None and self._loop is not None:
            self._loop.run(runner.stop())
        spool.drop(spool.shards() - seen)

    def committed(self, stage: str, shard_ids: Collection[str]) -> None:
        """Their answers are in the lake."""
        self._spools(stage).drop(shard_ids)

    def close(self) -> None:
        """Closes the generator."""
        if self._loop is not None and self._generator is not None:
            self._loop.run(self._generator.close())
            self._loop.close()
            self._loop = self._generator = None

    async def _open(self, stage: ModelStage, spool: AnswerSpool) -> ShardRunner:
        assert self._generator is not None
        await self._generator.open(stage.schemas)
        return ShardRunner(stage, self._generator, spool, uuid.uuid4().hex)


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
