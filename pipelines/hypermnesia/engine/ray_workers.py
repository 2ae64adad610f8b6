"""Runs shards on Ray: long-lived actors, and one driver that hands out shards as actors are free.

Ray's own retries are off: the driver knows what each shard gave, so it runs a lost shard again, then its
items alone, and refuses an item that kills its worker every time (notes/engine.md). An actor holds two
shards, so that it works on while the driver commits.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from hypermnesia.engine.commits import Finished
from hypermnesia.engine.isolate import TRIES, Tries, alone, join_parts, refuse, timed
from hypermnesia.engine.ray_session import StalledError, WorkersError, end_ray, start_ray
from hypermnesia.ports import Part, Shard, Stage

#: What a stage survives in all before it gives up: so many deaths are not the data's fault.
MOST_DEATHS = 100
HELD_SHARDS = 2
PARTS_AHEAD = 4

StageFactory = Callable[[str], Stage]


class RayExecutor:
    """`n_workers` actors that live as long as the run; each builds a stage with `factory` from its name."""

    def __init__(self, factory: StageFactory, n_workers: int, stall_s: float) -> None:
        self._factory = factory
        self._n_workers = n_workers
        self._stall_s = stall_s
        self._pool: _Pool | None = None

    def run(self, stage: Stage, shards: Iterable[Shard]) -> Iterator[Finished]:
        """The parts of every shard as they come. Raises `StalledError` or `WorkersError`.

        Workers start with the first shard: a run with nothing to do starts none.
        """
        waiting = iter(shards)
        first = next(waiting, None)
        if first is None:
            return
        if self._pool is None:
            start_ray(self._n_workers)
            self._pool = _Pool(self._factory, self._n_workers, self._stall_s)
            self._pool.start()
        yield from self._pool.run(stage, chain([first], waiting))

    def committed(self, stage: str, shard_ids: Collection[str]) -> None:
        """Nothing is kept: a shard that was lost runs again."""

    def close(self) -> None:
        """Ends the workers and the local Ray, or leaves the cluster."""
        end_ray(self._pool)


class _Worker:
    """What runs in the actor."""

    def __init__(self, factory: StageFactory) -> None:
        self._factory = factory
        self._stages: dict[str, Stage] = {}

    def ready(self) -> int:
        return os.getpid()

    def open(self, name: str) -> None:
        """Builds the stage, models and all; the last one's are let go."""
        self._stages = {name: self._factory(name)}

    def run(self, shard: Shard) -> Iterator[Part]:
        if shard.stage not in self._stages:
            self.open(shard.stage)
        yield from timed(self._stages[shard.stage].run(shard))


@dataclass(slots=True)
class _Group:
    """The items of a shard that run alone, and what they gave."""

    tries: Tries
    n_left: int
    parts: list[Part] = field(default_factory=list)


@dataclass(slots=True)
class _Job:
    """A shard for a worker: a whole one, or one item of a group."""

    tries: Tries
    group: _Group | None = None
    stream: Any = None


class _Pool:
    def __init__(self, factory: StageFactory, n_workers: int, stall_s: float) -> None:
        self._factory = factory
        self._n_workers = n_workers
        self._stall_s = stall_s
        self._held: dict[Any, deque[_Job]] = {}
        self._again: deque[_Job] = deque()
        self._n_deaths = 0

    def start(self) -> None:
        """Starts the actors. Raises `WorkersError` at once where they can't: nothing ran, nothing is poison."""
        actors = [self._actor() for _ in range(self._n_workers)]
        self._wait([actor.ready.remote() for actor in actors], "start")
        self._held = {actor: deque() for actor in actors}

    def stop(self) -> None:
        import ray

        for actor in self._held:
            ray.kill(actor)

    def run(self, stage: Stage, shards: Iterator[Shard]) -> Iterator[Finished]:
        import ray

        self._stage, self._n_deaths = stage, 0
        self._wait([actor.open.remote(stage.name) for actor in self._held], f"open {stage.name}")
        self._hand_out(shards)
        while any(self._held.values()):
            streams = {job.stream: actor for actor, jobs in self._held.items() for job in jobs}
            ready, _ = ray.wait(list(streams), num_returns=1, timeout=self._stall_s, fetch_local=False)
            if not ready:
                raise StalledError(f"{stage.name}: no worker gave anything for {self._stall_s:.0f} s")
            yield from self._take(streams[ready[0]])
            self._hand_out(shards)

    def _wait(self, answers: list[Any], what: str) -> None:
        import ray

        try:
            ray.get(answers, timeout=self._stall_s)
        except ray.exceptions.GetTimeoutError as error:
            raise StalledError(f"a worker did not {what} in {self._stall_s:.0f} s") from error
        except ray.exceptions.RayError as error:
            raise WorkersError(f"a worker can't {what}: {error}") from error

    def _actor(self) -> Any:
        import ray

        options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0}
        return ray.remote(_Worker).options(**options).remote(self._factory)

    def _hand_out(self, shards: Iterator[Shard]) -> None:
        """Fills the free places, idle workers' first; shards that failed before go first."""
        for n_held in range(HELD_SHARDS):
            for actor, jobs in self._held.items():
                if len(jobs) > n_held:
                    continue
                job = self._again.popleft() if self._again else self._next(shards)
                if job is None:
                    return
                options = {"num_returns": "streaming", "_generator_backpressure_num_objects": PARTS_AHEAD}
                job.tries.restart()
                job.stream = actor.run.options(**options).remote(job.tries.shard)
                jobs.append(job)

    def _next(self, shards: Iterator[Shard]) -> _Job | None:
        shard = next(shards, None)
        return _Job(Tries(shard)) if shard is not None else None

    def _take(self, actor: Any) -> Iterator[Finished]:
        """One step of the actor's oldest job: shards of an actor run in the order in which it got them."""
        import ray

        job = self._held[actor][0]
        try:
            part = ray.get(next(job.stream))
        except StopIteration:
            self._held[actor].popleft()
            yield from self._given(job, job.tries.end())
        except ray.exceptions.RayTaskError as error:
            self._held[actor].popleft()
            yield from self._failed(job, error.cause if isinstance(error.cause, Exception) else error)
        except ray.exceptions.RayActorError:
            yield from self._died(actor)
        else:
            yield from self._given(job, job.tries.push(part))

    def _given(self, job: _Job, finished: Finished | None) -> Iterator[Finished]:
        """A part of a whole shard is handed on; one of an item waits for the other items."""
        if finished is None:
            return
        if job.group is None:
            yield finished
            return
        job.group.parts.append(finished.part)
        if finished.is_last:
            job.group.n_left -= 1
            if not job.group.n_left:
                yield job.group.tries.close(join_parts(job.group.parts))

    def _failed(self, job: _Job, error: Exception | None) -> Iterator[Finished]:
        """A job raised, or (without an error) its worker died: again, then its items alone, then refused."""
        job.tries.n_failed += 1
        if job.tries.n_failed < TRIES:
            self._again.append(job)
        elif len(job.tries.shard.items) == 1:
            yield from self._given(job, job.tries.close(refuse(self._stage, job.tries.shard, error)))
        else:
            items = alone(job.tries.shard)
            group = _Group(job.tries, len(items))
            self._again.extend(_Job(Tries(one), group) for one in items)

    def _died(self, actor: Any) -> Iterator[Finished]:
        """A worker died: its oldest job is to blame, the one behind it only waits again."""
        jobs = self._held.pop(actor)
        self._n_deaths += 1
        if self._n_deaths > MOST_DEATHS:
            raise WorkersError(f"{self._stage.name}: {self._n_deaths} workers died; see their logs")
        self._again.extendleft(list(jobs)[1:])
        self._held[self._actor()] = deque()
        yield from self._failed(jobs[0], None)
