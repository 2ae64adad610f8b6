"""A budget of tokens over calls that are all made at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from hypermnesia.ports import Completion, Request, Sampling
from hypermnesia.stages.token_budget import TokenBudget


async def ask_all(budget: TokenBudget, costs: Iterable[int], expected: int) -> tuple[list[str], int]:
    """The ids of the calls that were made, and the most that were in flight."""
    made: list[str] = []
    in_flight, most = 0, 0

    async def ask(name: str, cost: int) -> None:
        nonlocal in_flight, most

        async def call(request: Request) -> Completion:
            nonlocal in_flight, most
            in_flight += 1
            most = max(most, in_flight)
            await asyncio.sleep(0)
            in_flight -= 1
            if cost < 0:
                raise RuntimeError("the engine died")
            return Completion(request.id, "ok", "{}", "m", n_tokens_in=cost - 1, n_tokens_out=1)

        if await budget.call(Request(name, (), Sampling(expected)), call) is not None:
            made.append(name)

    names = (f"c{n}" for n in range(10_000))
    await asyncio.gather(*(ask(name, cost) for name, cost in zip(names, costs, strict=False)), return_exceptions=True)
    return made, most


@pytest.mark.parametrize(
    ("n_tokens", "expected", "n_made", "at_once"),
    [
        (None, 10, 20, 20),
        (1_000, 10, 20, 20),  # there is enough for all
        (100, 10, 10, 10),
        (95, 10, 10, 10),  # the last one goes beyond
        (100, 50, 10, 2),  # whatever is in flight may use up the rest: the others wait
        (100, 5_000, 10, 1),
        (1, 10, 1, 1),  # a night goes on by one call at least
    ],
)
def test_calls_end_when_it_is_spent(n_tokens: int | None, expected: int, n_made: int, at_once: int) -> None:
    made, most = asyncio.run(ask_all(TokenBudget(n_tokens), [10] * 20, expected))
    assert made == [f"c{n}" for n in range(n_made)] and most == at_once


def test_it_is_one_for_all_items() -> None:
    async def run() -> tuple[list[str], list[str]]:
        budget = TokenBudget(60)
        return (await ask_all(budget, [10] * 4, 10))[0], (await ask_all(budget, [10] * 4, 10))[0]

    assert asyncio.run(run()) == (["c0", "c1", "c2", "c3"], ["c0", "c1"])


def test_a_call_that_raises_used_nothing() -> None:
    made, _ = asyncio.run(ask_all(TokenBudget(30), [-1, -1, 10, 10, 10, 10], 20))
    assert made == ["c2", "c3", "c4"]
