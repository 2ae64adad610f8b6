"""The actors behind a `ModelExecutor`: what runs in one, and who hands them shards and replaces the dead."""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from hypermnesia.engine.commits import Finished
from hypermnesia.engine.model_runs import ShardRunner, Spools
from hypermnesia.engine.ray_session import StalledError, WorkersError
from hypermnesia.ports import EngineDeadError, Generator, ModelStage, Part, PlannedStage, Shard

MakeStage = Callable[[str], ModelStage]
MakeGenerator = Callable[[], Generator]

CLOSE_S = 10.0
#: Workers in a row that die before they are open: the next one would too.
MOST_FAILED_STARTS = 3
_CALLS_AT_ONCE = 1_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ModelWorkers:
    """How many workers, what each holds, and when to give up.

    `num_gpus` is the engine's tensor parallel size; `num_cpus` is what Ray keeps free for a worker (0: none, it
    mostly waits). `local_cpus` is the size of a local Ray, which other stages' workers share.
    """

    n_workers: int = 1
    num_cpus: float = 0.0
    num_gpus: float = 0.0
    local_cpus: int = 1
    most_deaths: int = 20
    stall_s: float = 600.0


class _ModelWorker:
    """What runs in the actor."""

    def __init__(self, make_stage: MakeStage, make_generator: MakeGenerator, spools: Spools, life: str) -> None:
        pa.array(["imports pandas here, and not while calls wait"])
        self._make_stage = make_stage
        self._make_generator = make_generator
        self._spools = spools
        self._life = life
        self._generator: Generator | None = None
        self._runner: ShardRunner | None = None

    async def open(self, name: str) -> int:
        """Opens the generator for a stage. Raises `EngineUnavailableError`."""
        if self._runner is not None:
            await self._runner.stop()
        stage = await asyncio.to_thread(self._make_stage, name)
        if self._generator is None:
            self._generator = self._make_generator()
        await self._generator.open(stage.schemas)
        self._runner = ShardRunner(stage, self._generator, self._spools(name), self._life)
        return os.getpid()

    async def want(self) -> None:
        assert self._runner is not None
        await self._runner.wants()

    async def run(self, shard: Shard) -> Part:
        assert self._runner is not None
        try:
            return await self._runner.run(shard)
        except EngineDeadError:  # the driver ends this process: nothing of the engine may outlive it
            self._runner.flush()
            await self._close_generator()
            raise

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.stop()
        await self._close_generator()

    async def _close_generator(self) -> None:
        if self._generator is not None:
            await asyncio.wait_for(self._generator.close(), CLOSE_S)


@dataclass(slots=True)
class _Actor:
    """An actor as the driver sees it; `asked` is its open or its long poll, None when it waits for a shard."""

    handle: Any
    life: str
    asked: Any = None
    is_open: bool = False
    running: dict[Any, Shard] = field(default_factory=dict)


class ModelPool:
    """The actors of one run."""

    def __init__(
        self, make_stage: MakeStage, make_generator: MakeGenerator, spools: Spools, workers: ModelWorkers
    ) -> None:
        self._made = (make_stage, make_generator, spools)
        self._spools = spools
        self._workers = workers
        self._actors: list[_Actor] = []

    def run(self, stage: PlannedStage, again: deque[Shard], shards: Iterator[Shard]) -> Iterator[Finished]:
        """Every shard's rows as they come, those of `again` first. Raises `StalledError` or `WorkersError`."""
        self._stage, self._again, self._shards = stage, again, shards
        self._is_planned = False
        self._n_deaths = self._n_failed_starts = 0
        self._actors = self._actors or [self._start() for _ in range(self._workers.n_workers)]
        for actor in self._actors:
            actor.asked = actor.handle.open.remote(stage.name)
        while True:
            self._hand_out()
            if self._is_planned and not self._again and not any(actor.running for actor in self._actors):
                return
            yield from self._take(*self._next_report())

    def stop(self) -> None:
        """Stops the calls, keeps what was answered, ends the actors."""
        import ray

        try:
            ray.get([actor.handle.stop.remote() for actor in self._actors], timeout=CLOSE_S)
        except ray.exceptions.RayError as error:  # it is dead or does not hear: its spool has what was flushed
            _log.warning("a worker did not stop by itself: %s", error)
        for actor in self._actors:
            ray.kill(actor.handle)

    def _start(self) -> _Actor:
        import ray

        options = {
            "num_cpus": self._workers.num_cpus,
            "num_gpus": self._workers.num_gpus,
            "max_restarts": 0,
            "max_task_retries": 0,
            "max_concurrency": _CALLS_AT_ONCE,
        }
        life = uuid.uuid4().hex
        return _Actor(ray.remote(_ModelWorker).options(**options).remote(*self._made, life), life)

    def _hand_out(self) -> None:
        """One shard to each actor that waits for one; shards that were lost go first."""
        for actor in self._actors:
            if actor.asked is not None:
                continue
            shard = self._again.popleft() if self._again else next(self._shards, None)
            if shard is None:
                self._is_planned = True
                return
            actor.running[actor.handle.run.remote(shard)] = shard
            actor.asked = actor.handle.want.remote()

    def _next_report(self) -> tuple[_Actor, Any]:
        import ray

        reports = {actor.asked: actor for actor in self._actors if actor.asked is not None}
        reports |= {ref: actor for actor in self._actors for ref in actor.running}
        ready, _ = ray.wait(list(reports), num_returns=1, timeout=self._workers.stall_s)
        if not ready:
            n_open = sum(len(actor.running) for actor in self._actors)
            raise StalledError(
                f"{self._stage.name}: no worker reported for {self._workers.stall_s:.0f} s, {n_open} shards are running"
            )
        return reports[ready[0]], ready[0]

    def _take(self, actor: _Actor, ref: Any) -> Iterator[Finished]:
        import ray

        try:
            given = ray.get(ref)
        except ray.exceptions.RayTaskError as error:
            if not isinstance(error.cause, EngineDeadError):
                raise WorkersError(f"{self._stage.name}: {error.cause or error}") from error
            ray.kill(actor.handle)
            self._died(actor, error.cause, is_our_fault=True)
        except ray.exceptions.RayActorError as error:
            self._died(actor, error, is_our_fault=not getattr(error, "preempted", False))
        else:
            if ref == actor.asked:
                actor.asked, actor.is_open, self._n_failed_starts = None, True, 0
            else:
                yield Finished(actor.running.pop(ref), 0, given, is_last=True)

    def _died(self, actor: _Actor, error: BaseException, *, is_our_fault: bool) -> None:
        """Another actor takes the place; a machine that was taken away is nobody's fault."""
        self._actors.remove(actor)
        if is_our_fault:
            self._n_deaths += 1
            for shard in actor.running.values():
                self._spools(self._stage.name).blame(shard.id, actor.life)
        _log.warning("%s: a worker died with %d shards: %s", self._stage.name, len(actor.running), error)
        self._n_failed_starts += not actor.is_open
        if self._n_deaths > self._workers.most_deaths or self._n_failed_starts >= MOST_FAILED_STARTS:
            raise WorkersError(f"{self._stage.name}: {self._n_deaths} workers died, the last one of: {error}")
        self._again.extendleft(actor.running.values())
        new = self._start()
        new.asked = new.handle.open.remote(self._stage.name)
        self._actors.append(new)
