"""What every generator does, whatever engine or endpoint is behind it.

`make test-vllm` runs the same suite on vLLM, in process and as a server (tests/vllm).
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from hypermnesia.adapters.openai import Endpoint, OpenAIGenerator
from hypermnesia.ports import STATUSES, Completion, EngineUnavailableError, Generator, Request, Sampling
from hypermnesia.rules.answer_schemas import first_mismatch
from hypermnesia.rules.answer_status import read_answer
from tests.fixtures import paced_endpoint
from tests.fixtures.paced_endpoint import SCHEMA_OF_ANSWER, Pace, serving
from tests.fixtures.scripted import ScriptedGenerator

SYSTEM = "You read conversations and list the facts in them as compact JSON."


def ask(name: str, text: str = "Tomas moved to Porto.", **changes: Any) -> Request:
    request = Request(
        name, (("system", SYSTEM), ("user", text)), Sampling(max_tokens=96), SCHEMA_OF_ANSWER, prefix_key="chunk"
    )
    return dataclasses.replace(request, **changes)


class GeneratorConformance:
    """The suite; a subclass gives `make_generator`, and says what its engine can be made to do."""

    @pytest.fixture
    def make_generator(self) -> Callable[[], Generator]:
        raise NotImplementedError

    @pytest.fixture
    def use(self, make_generator: Callable[[], Generator]) -> Callable[..., Any]:
        """Runs some calls on an open generator, and closes it."""

        def run(work: Callable[[Generator], Awaitable[Any]]) -> Any:
            async def scenario() -> Any:
                generator = make_generator()
                await generator.open([SCHEMA_OF_ANSWER])
                try:
                    return await work(generator)
                finally:
                    await generator.close()

            return asyncio.run(scenario())

        return run

    def test_an_answer_of_the_schema_is_ok_with_its_tokens_and_seconds(self, use: Callable[..., Any]) -> None:
        answer: Completion = use(lambda generator: generator.generate(ask("one")))
        assert (answer.id, answer.status) == ("one", "ok"), answer
        assert first_mismatch(read_answer(answer.text), SCHEMA_OF_ANSWER) is None
        assert answer.n_tokens_in > 0 and answer.n_tokens_out > 0 and answer.seconds >= 0

    def test_the_same_request_gives_the_same_text(self, use: Callable[..., Any]) -> None:
        async def twice(generator: Generator) -> list[str]:
            return [(await generator.generate(ask(name))).text for name in ("one", "two")]

        first, second = use(twice)
        assert first == second

    def test_many_at_once_keep_their_ids(self, use: Callable[..., Any]) -> None:
        async def many(generator: Generator) -> list[Completion]:
            names = [f"call {number}" for number in range(3 * generator.slots)]
            return await asyncio.gather(*(generator.generate(ask(name, f"about {name}")) for name in names))

        answers = use(many)
        assert [answer.id for answer in answers] == [f"call {number}" for number in range(len(answers))]
        assert {answer.status for answer in answers} <= set(STATUSES) - {"engine_error"}

    def test_too_few_tokens_is_truncated_and_never_ok(self, use: Callable[..., Any]) -> None:
        request = ask("short", "Tomas moved to Porto.\n!truncated", sampling=Sampling(max_tokens=4))
        assert use(lambda generator: generator.generate(request)).status == "truncated"

    def test_b01_an_over_long_prompt_is_its_own_row_and_the_others_go_on(self, use: Callable[..., Any]) -> None:
        async def work(generator: Generator) -> list[Completion]:
            long = ask("long", "word " * 60_000 + "\n!overflow")
            return await asyncio.gather(*(generator.generate(r) for r in (ask("a"), long, ask("b"))))

        before, long, after = use(work)
        assert (long.status, before.status, after.status) == ("context_overflow", "ok", "ok")
        assert any(character.isdigit() for character in long.detail), "says how many tokens"

    def test_b04_a_schema_that_the_engine_can_t_hold_to_is_an_error_at_the_start(
        self, make_generator: Callable[[], Generator]
    ) -> None:
        bad = {"type": "string", "pattern": "^(|\\d{4})$", "maxLength": 4}

        async def scenario() -> None:
            generator = make_generator()
            with pytest.raises(EngineUnavailableError, match=r"\$\.pattern"):
                await generator.open([bad])
            await generator.close()

        asyncio.run(scenario())

    def test_b04_schemas_of_several_kinds_live_together(self, use: Callable[..., Any]) -> None:
        other = {"enum": ["yes", "no"], "type": "string"}

        async def both(generator: Generator) -> list[Completion]:
            await generator.open([SCHEMA_OF_ANSWER, other])
            requests = [ask("facts"), ask("yes or no", schema=other), ask("free", schema=None)]
            return await asyncio.gather(*map(generator.generate, requests))

        assert {answer.status for answer in use(both)} <= set(STATUSES) - {"engine_error"}

    def test_text_that_can_t_be_encoded_is_no_crash(self, use: Callable[..., Any]) -> None:
        answer = use(lambda generator: generator.generate(ask("odd", "a lone \ud83d surrogate, \x00, \ufeff and 🎉")))
        assert answer.status in set(STATUSES) - {"engine_error"}


class MisbehavingConformance(GeneratorConformance):
    """For generators whose engine can be told to fail: `!name` asks for a fault."""

    @pytest.mark.parametrize(
        "status", ["empty", "truncated", "whitespace_loop", "refusal", "schema_echo", "unparseable"]
    )
    def test_each_way_to_fail_has_its_status_and_keeps_the_text(self, use: Callable[..., Any], status: str) -> None:
        answer = use(lambda generator: generator.generate(ask("bad", f"text\n!{status}")))
        assert (answer.status, answer.text) == (status, paced_endpoint.FAULTS[status][0])

    @pytest.mark.parametrize("fault", ["500", "400"])
    def test_a_failed_call_is_a_row_and_never_an_exception(self, use: Callable[..., Any], fault: str) -> None:
        async def work(generator: Generator) -> list[Completion]:
            bad = [generator.generate(ask(f"bad {n}", f"text {n}\n!{fault}")) for n in range(2)]
            return await asyncio.gather(*bad, generator.generate(ask("good")))

        *bad, good = use(work)
        assert {answer.status for answer in bad} == {"engine_error"}
        assert all(fault in answer.detail for answer in bad)
        assert good.status == "ok"


class TestScripted(MisbehavingConformance):
    @pytest.fixture
    def make_generator(self) -> Callable[[], Generator]:
        return ScriptedGenerator


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(Pace(slots=4, needs_key=True)) as url:
        yield f"{url}/v1"


class TestOpenAI(MisbehavingConformance):
    @pytest.fixture
    def endpoint(self, url: str) -> Endpoint:
        return Endpoint((url,), paced_endpoint.MODEL, paced_endpoint.KEY, slots=2, attempts=2, timeout_s=5, open_s=2)

    @pytest.fixture
    def make_generator(self, endpoint: Endpoint) -> Callable[[], Generator]:
        return lambda: OpenAIGenerator(endpoint)

    @pytest.mark.parametrize("fault", ["429", "500", "cut", "malformed"])
    def test_a_fault_that_passes_is_tried_again(self, use: Callable[..., Any], fault: str) -> None:
        answer = use(lambda generator: generator.generate(ask("again", f"passes {fault}\n!{fault} x1")))
        assert answer.status == "ok"

    def test_a_call_that_waits_holds_no_slot(self, endpoint: Endpoint) -> None:
        """With one slot, a call that is told to wait lets another one through."""

        async def scenario() -> list[str]:
            generator, order = OpenAIGenerator(dataclasses.replace(endpoint, slots=1)), []

            async def call(request: Request) -> None:
                answer = await generator.generate(request)
                order.append(f"{answer.id} {answer.status}")

            await generator.open([])
            waits = asyncio.create_task(call(ask("waits", "told to wait\n!429 x2")))
            await asyncio.sleep(0.05)
            await asyncio.gather(waits, *(call(ask(name)) for name in "abc"))
            await generator.close()
            return order

        assert asyncio.run(scenario()) == ["a ok", "b ok", "c ok", "waits ok"]

    def test_a_hang_ends_with_the_timeout(self, endpoint: Endpoint) -> None:
        async def scenario() -> Completion:
            generator = OpenAIGenerator(dataclasses.replace(endpoint, timeout_s=0.3))
            await generator.open([])
            try:
                return await generator.generate(ask("hangs", "text\n!hang"))
            finally:
                await generator.close()

        answer = asyncio.run(scenario())
        assert answer.status == "engine_error" and "Timeout" in answer.detail

    def test_cached_tokens_are_counted(self, use: Callable[..., Any]) -> None:
        async def work(generator: Generator) -> Completion:
            await generator.generate(ask("first"))
            return await generator.generate(ask("second", "and then?"))

        answer = use(work)
        assert 0 < answer.n_tokens_cached <= answer.n_tokens_in

    @pytest.mark.parametrize(
        ("changes", "why"),
        [
            ({"api_key": "wrong"}, "refuses us .*401.* look at the API key"),
            ({"model": "other"}, "has no model 'other', but paced"),
            ({"urls": ("http://127.0.0.1:9/v1",), "open_s": 0.2}, "127.0.0.1:9/v1 does not answer"),
        ],
    )
    def test_an_endpoint_that_can_t_be_used_fails_at_the_start(
        self, endpoint: Endpoint, changes: dict[str, Any], why: str
    ) -> None:
        async def scenario() -> None:
            generator = OpenAIGenerator(dataclasses.replace(endpoint, **changes))
            try:
                await generator.open([])
            finally:
                await generator.close()

        with pytest.raises(EngineUnavailableError, match=why):
            asyncio.run(scenario())

    def test_a_key_that_is_revoked_or_an_endpoint_that_is_down_stops_the_run(self, endpoint: Endpoint) -> None:
        async def scenario(request: Request, n_calls: int) -> None:
            generator = OpenAIGenerator(dataclasses.replace(endpoint, most_failures=2, attempts=1))
            await generator.open([])
            try:
                for _ in range(n_calls):
                    await generator.generate(request)
            finally:
                await generator.close()

        with pytest.raises(EngineUnavailableError, match="refuses us"):
            asyncio.run(scenario(ask("revoked", "text\n!401"), 1))
        with pytest.raises(EngineUnavailableError, match="2 calls in a row failed, the last one with HTTP 500"):
            asyncio.run(scenario(ask("down", "text\n!500"), 2))

    def test_a_minute_of_429_is_sat_out(self) -> None:
        with serving(Pace(slots=4, busy_first_s=1.5, retry_after_s=0.3)) as url:

            async def scenario() -> list[Completion]:
                generator = OpenAIGenerator(Endpoint((f"{url}/v1",), paced_endpoint.MODEL, slots=4, attempts=2))
                await generator.open([])
                answers = await asyncio.gather(*(generator.generate(ask(f"{n}")) for n in range(6)))
                await generator.close()
                return answers

            assert {answer.status for answer in asyncio.run(scenario())} == {"ok"}

    def test_the_body_is_what_the_standard_says(self, endpoint: Endpoint) -> None:
        generator = OpenAIGenerator(dataclasses.replace(endpoint, extra={"top_k": 1}))
        body = json.loads(generator._body(ask("one")))
        assert body["messages"][0] == {"role": "system", "content": SYSTEM}
        assert body["response_format"]["json_schema"]["schema"] == SCHEMA_OF_ANSWER
        assert (body["temperature"], body["seed"], body["max_tokens"], body["top_k"]) == (0.0, 0, 96, 1)

    def test_requests_of_one_prefix_go_to_one_address(self, endpoint: Endpoint) -> None:
        generator = OpenAIGenerator(dataclasses.replace(endpoint, urls=("http://a/v1", "http://b/v1")))
        urls = {key: {generator._url(ask(f"{n}", prefix_key=key)) for n in range(9)} for key in map(str, range(20))}
        assert all(len(found) == 1 for found in urls.values())
        assert len(set.union(*urls.values())) == 2

    def test_workers_share_the_limits(self, endpoint: Endpoint) -> None:
        whole = dataclasses.replace(endpoint, slots=9, requests_per_minute=120.0)
        share = whole.shared_by(4)
        assert (share.slots, share.requests_per_minute, share.tokens_per_minute) == (2, 30.0, None)


def test_a_rate_limit_spreads_its_calls() -> None:
    """By the loop's own clock, which the test turns: 60 requests and 6,000 tokens a minute."""
    from hypermnesia.adapters.rate_limit import RateLimit

    async def scenario() -> list[float]:
        loop = asyncio.get_running_loop()
        limit, now, waits = RateLimit(60, 6_000), 100.0, []
        loop.time = lambda: now  # type: ignore[method-assign]

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        original, asyncio.sleep = asyncio.sleep, sleep  # type: ignore[assignment]
        try:
            for n_tokens in (10, 1_000, 10, 10):
                await limit.wait(n_tokens)
        finally:
            asyncio.sleep = original
        return waits

    assert asyncio.run(scenario()) == pytest.approx([0, 1, 11, 12])
