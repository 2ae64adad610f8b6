"""Calls of a worker: windows counted in chunks, suspects apart, an answer that is kept is not asked for again."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hypermnesia.engine.calls import ChunkWindow, ShardCalls, window_size
from hypermnesia.engine.spool import FileSpool
from hypermnesia.ports import Completion, Request, Sampling


class Counting:
    """Answers at once, and counts; `bad` calls fail."""

    model, slots = "m", 4

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def generate(self, request: Request) -> Completion:
        self.asked.append(request.id)
        return Completion(request.id, "engine_error" if request.id.startswith("bad") else "ok", "text", self.model)


def request(name: str) -> Request:
    return Request(name, (("user", "hello"),), Sampling(8))


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_work_is_wanted_while_fewer_chunks_wait_than_could_run() -> None:
    async def scenario() -> None:
        window, gate = ChunkWindow(2), asyncio.Event()

        async def chunk() -> None:
            async with window.place():
                await gate.wait()

        await asyncio.wait_for(window.wants(), 1)
        window.expect(4)
        chunks = [asyncio.create_task(chunk()) for _ in range(4)]
        wanted = asyncio.create_task(window.wants())
        await settle()
        assert not wanted.done(), "two run and two wait: enough"
        gate.set()
        await asyncio.wait_for(wanted, 1)
        await asyncio.gather(*chunks)
        await asyncio.wait_for(window.wants(), 1)

    asyncio.run(scenario())


def test_a_straggler_holds_up_nobody() -> None:
    """Chunks of the next shard run while one chunk of the shard before goes on."""

    async def scenario() -> None:
        window, gate, ran = ChunkWindow(2), asyncio.Event(), []

        async def chunk(name: str) -> None:
            async with window.place():
                if name == "slow":
                    await gate.wait()
                ran.append(name)

        window.expect(6)
        tasks = [asyncio.create_task(chunk(name)) for name in ("slow", "a", "b", "c", "d", "e")]
        await asyncio.gather(*tasks[1:])
        await asyncio.wait_for(window.wants(), 1)
        gate.set()
        await asyncio.gather(*tasks)
        assert ran == ["a", "b", "c", "d", "e", "slow"]

    asyncio.run(scenario())


def test_suspects_run_one_at_a_time_and_the_worst_with_nobody_else() -> None:
    async def scenario() -> None:
        window, running, seen = ChunkWindow(3), set[str](), []

        async def chunk(name: str, n_deaths: int) -> None:
            async with window.place(n_deaths):
                running.add(name)
                seen.append(frozenset(running))
                await settle()
                running.discard(name)

        deaths = {"a": 0, "b": 1, "c": 0, "s": 2, "t": 2, "x": 3, "y": 3, "d": 0}
        window.expect(len(deaths))
        await asyncio.wait_for(asyncio.gather(*(chunk(name, n) for name, n in deaths.items())), 5)
        for together in seen:
            assert len(together & {"s", "t", "x", "y"}) <= 1
            assert len(together) == 1 or not together & {"x", "y"}
        assert any(len(together) == 3 for together in seen)

    asyncio.run(scenario())


def test_an_answer_that_is_kept_or_committed_is_not_asked_for_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        spool, generator = FileSpool(tmp_path), Counting()
        committed = {"done": Completion("done", "ok", "from the lake", "m")}
        other = {"old": Completion("old", "ok", "of another model", "n")}
        call = ShardCalls(generator, "s", spool.life("one"), committed, other)  # type: ignore[arg-type]
        assert (await call(request("done"))).text == "from the lake"
        assert (await call(request("old"))).text == "text"
        for _ in range(2):
            await call(request("new"))
        await call(request("bad"))
        await call(request("bad"))
        assert generator.asked == ["old", "new", "bad", "bad"], "a failed call is no answer"
        life = spool.life("two")
        call = ShardCalls(generator, "s", life, spool.answers("s"))  # type: ignore[arg-type]
        await call(request("new"))
        assert generator.asked[-1] == "new", "nothing was flushed, so it was lost"
        life.flush()
        await ShardCalls(generator, "s", spool.life("three"), spool.answers("s"))(request("new"))  # type: ignore[arg-type]
        assert generator.asked.count("new") == 2

    asyncio.run(scenario())


def test_the_window_is_a_little_more_than_the_slots() -> None:
    assert [window_size(slots) for slots in (1, 4, 64)] == [1, 5, 80]
