"""Model calls of a worker: which chunks may run, and what is asked of the generator (notes/engine.md).

The window counts chunks over all shards of the worker: a window of whole shards would stand still while
one straggler of a shard goes on. Call slots are the generator's own, since only it knows when a call
waits to be tried again and gives its slot back.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from hypermnesia.engine.spool import SpoolLife
from hypermnesia.ports import Completion, EngineDeadError, EngineUnavailableError, Generator, Request

#: Chunks in the window a call slot: a chunk asks one call at its router, several at its writers.
OVER_COMMIT = 1.25

#: An item that ran while this many workers died: runs with no other suspect; with no other item; never again.
SUSPECT_DEATHS, ALONE_DEATHS, MOST_DEATHS = 2, 3, 4


def window_size(slots: int) -> int:
    """Chunks at once that keep `slots` call slots full while every chunk is at its first call."""
    return max(1, round(slots * OVER_COMMIT))


class ChunkWindow:
    """Places for the chunks that run in a worker, and how many wait for one."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._places = asyncio.Semaphore(size)
        self._suspects = asyncio.Lock()
        self._n_waiting = 0
        self._is_hungry = asyncio.Event()
        self._is_hungry.set()

    def expect(self, n_chunks: int) -> None:
        """So many chunks will ask for a place (fewer, where `n_chunks` is negative)."""
        self._n_waiting += n_chunks
        if self._n_waiting < self._size:
            self._is_hungry.set()
        else:
            self._is_hungry.clear()

    async def wants(self) -> None:
        """Returns when fewer chunks wait than could run: it is time for another shard."""
        await self._is_hungry.wait()

    @asynccontextmanager
    async def place(self, n_deaths: int = 0) -> AsyncIterator[None]:
        """A place for an expected chunk. Suspects of several deaths run one at a time, at last with nobody else."""
        if n_deaths < SUSPECT_DEATHS:
            async with self._taken(1):
                yield
        else:
            async with self._suspects, self._taken(self._size if n_deaths >= ALONE_DEATHS else 1):
                yield

    @asynccontextmanager
    async def _taken(self, n_places: int) -> AsyncIterator[None]:
        n_taken = 0
        try:
            while n_taken < n_places:
                await self._places.acquire()
                n_taken += 1
            self.expect(-1)
            yield
        finally:
            for _ in range(n_taken):
                self._places.release()


class ShardCalls:
    """The calls of one shard: an answer that is kept is given again, a new one is kept before it is given."""

    def __init__(self, generator: Generator, shard_id: str, life: SpoolLife, *known: Mapping[str, Completion]) -> None:
        self._generator = generator
        self._shard_id = shard_id
        self._life = life
        self._known = {
            request_id: answer
            for answers in known
            for request_id, answer in answers.items()
            if answer.model == generator.model  # what another model said is no answer of this one
        }
        #: Why no call will be answered any more.
        self.doom: Exception | None = None

    async def __call__(self, request: Request) -> Completion:
        """The answer of one request. Raises `EngineDeadError` or `EngineUnavailableError`."""
        kept = self._known.get(request.id)
        if kept is not None:
            return kept
        try:
            answer = await self._generator.generate(request)
        except (EngineDeadError, EngineUnavailableError) as error:
            self.doom = error
            raise
        if answer.status != "engine_error":  # that is no answer: the next run asks again
            self._known[request.id] = answer
            self._life.keep(self._shard_id, answer)
        return answer
