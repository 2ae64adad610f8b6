"""The conformance suite on a real vLLM: in this process, and as an OpenAI server; and what only an engine has."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("vllm.sampling_params", reason="vLLM is in an environment of its own: `make test-vllm`")

from engines import NAME, engines_below, needs_model, server, small_engine

from hypermnesia.adapters.openai import Endpoint, OpenAIGenerator
from hypermnesia.adapters.vllm import VllmGenerator
from hypermnesia.ports import Completion, EngineDeadError, EngineUnavailableError, Generator, Sampling
from tests.conformance.test_generator import SCHEMA_OF_ANSWER, GeneratorConformance, ask

pytestmark = [pytest.mark.vllm, needs_model]

CHUNK = "Ann: we moved to Porto in March. Ben: and the garden has three pear trees. " * 12


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def engine(loop: asyncio.Runner) -> Iterator[VllmGenerator]:
    """One engine for all tests: it takes long to start."""
    generator = VllmGenerator(small_engine())
    loop.run(generator.open([SCHEMA_OF_ANSWER]))
    yield generator
    loop.run(generator.close())


class TestVllm(GeneratorConformance):
    @pytest.fixture
    def make_generator(self) -> Callable[[], Generator]:
        return lambda: VllmGenerator(small_engine())

    @pytest.fixture
    def use(self, engine: VllmGenerator, loop: asyncio.Runner) -> Callable[..., Any]:
        async def scenario(work: Callable[[Generator], Awaitable[Any]]) -> Any:
            return await work(engine)

        return lambda work: loop.run(scenario(work))

    def test_writers_of_one_chunk_find_its_prefix_in_the_cache(self, use: Callable[..., Any]) -> None:
        """Chunk first, instructions after: what the writers share is computed once."""

        async def work(generator: Generator) -> tuple[Completion, list[Completion]]:
            router = await generator.generate(ask("router", f"{CHUNK}\nWhich kinds of facts?"))
            writers = (ask(name, f"{CHUNK}\nList the {name} facts.") for name in ("core", "episodic", "semantic"))
            return router, await asyncio.gather(*map(generator.generate, writers))

        router, writers = use(work)
        shared = router.n_tokens_in - 20
        assert all(writer.n_tokens_cached >= 0.8 * shared for writer in writers), (router, writers)

    def test_answers_are_compact(self, use: Callable[..., Any]) -> None:
        answer = use(lambda generator: generator.generate(ask("one")))
        assert answer.text == "".join(answer.text.splitlines()) and '": ' not in answer.text

    def test_a_call_that_repeats_itself_is_ended_early(self, use: Callable[..., Any]) -> None:
        """The schema asks for the same item 400 times; the engine need not wait for the limit of tokens (B03)."""
        schema = {
            "type": "object",
            "additionalProperties": False,
            "required": ["items"],
            "properties": {"items": {"type": "array", "items": {"const": "x"}, "minItems": 400, "maxItems": 400}},
        }
        request = dataclasses.replace(ask("loop", sampling=Sampling(900)), schema=schema)
        answer = use(lambda generator: generator.generate(request))
        assert answer.status == "truncated" and answer.n_tokens_out < 900, answer


class TestServer(GeneratorConformance):
    @pytest.fixture(scope="module")
    def url(self) -> Iterator[str]:
        with server() as url:
            yield url

    @pytest.fixture
    def make_generator(self, url: str) -> Callable[[], Generator]:
        return lambda: OpenAIGenerator(Endpoint((url,), NAME, slots=8, attempts=2, open_s=180))


def test_both_ways_give_the_same_answer(engine: VllmGenerator, loop: asyncio.Runner) -> None:
    """Greedy, one at a time: in process and over HTTP."""

    async def over_http(url: str) -> str:
        generator = OpenAIGenerator(Endpoint((url,), NAME, open_s=180))
        await generator.open([])
        try:
            return (await generator.generate(ask("same"))).text
        finally:
            await generator.close()

    with server() as url:
        text = asyncio.run(over_http(url))
    assert loop.run(engine.generate(ask("same"))).text == text


def test_an_engine_that_dies_raises_for_every_call() -> None:
    async def scenario() -> list[BaseException]:
        generator = VllmGenerator(small_engine())
        await generator.open([SCHEMA_OF_ANSWER])
        calls = [asyncio.create_task(generator.generate(ask(f"{n}", sampling=Sampling(400)))) for n in range(4)]
        await asyncio.sleep(0.5)
        for pid in engines_below(os.getpid()):
            os.kill(pid, signal.SIGKILL)
        found = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 60)
        found += await asyncio.gather(generator.generate(ask("later")), return_exceptions=True)
        await generator.close()
        return [one for one in found if isinstance(one, BaseException)]

    errors = asyncio.run(scenario())
    assert errors and {type(error) for error in errors} == {EngineDeadError}


def test_a_model_that_is_not_there_is_an_error_that_names_it() -> None:
    generator = VllmGenerator(dataclasses.replace(small_engine(), model="/nowhere/model"))
    with pytest.raises(EngineUnavailableError, match="/nowhere/model"):
        asyncio.run(generator.open([]))
