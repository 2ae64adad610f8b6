"""Budgets and limits: a run stops cleanly when something is spent, and fails when answers do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from hypermnesia.engine.commits import Finished
from hypermnesia.engine.counts import BudgetSpentError, Counts, StatusLimitError
from hypermnesia.engine.gates import LEAST_RUNNING_CALLS, GatedExecutor, Gates
from hypermnesia.ports import Part, Shard

SHARDS = [Shard("answer", f"s{n}", 0, ("a",)) for n in range(6)]


class Stage:
    name = "answer"


class Measured:
    """An executor whose every shard used the same."""

    def __init__(self, **measures: int) -> None:
        self._measures = measures

    def run(self, stage: Any, shards: Iterable[Shard]) -> Iterator[Finished]:
        for shard in shards:
            yield Finished(shard, 0, Part({}, measures=dict(self._measures)), is_last=True)

    def committed(self, stage: str, shard_ids: Any) -> None:
        return None

    def close(self) -> None:
        return None


def run(executor: GatedExecutor, shards: list[Shard]) -> tuple[list[str], str]:
    """The shards that came back, and why the run stopped."""
    given: list[str] = []
    try:
        run_into(given, executor, shards)
    except BudgetSpentError as spent:
        return given, str(spent)
    return given, ""


def run_into(given: list[str], executor: GatedExecutor, shards: list[Shard] = SHARDS) -> None:
    given.extend(finished.shard.id for finished in executor.run(Stage(), shards))  # type: ignore[arg-type]


def used(**measures: int) -> Measured:
    return Measured(**{name.replace("_", "."): n for name, n in measures.items()})


def test_no_shard_is_begun_once_the_tokens_are_spent() -> None:
    executor = GatedExecutor(used(tokens_in=30, tokens_out=20), Gates(token_budget=100))
    given, why = run(executor, SHARDS)
    assert given == ["s0", "s1"] and "100 tokens is spent (100)" in why
    executor = GatedExecutor(used(tokens_in=30, tokens_out=20), Gates(token_budget=100))
    assert run(executor, SHARDS[:2]) == (["s0", "s1"], ""), "nothing was left to do"


def test_the_tokens_are_those_of_all_stages_of_the_run() -> None:
    executor = GatedExecutor(used(tokens_in=30, tokens_out=20), Gates(token_budget=100))
    assert run(executor, SHARDS[:2]) == (["s0", "s1"], "")
    given, why = run(executor, SHARDS)
    assert given == [] and "is spent (100)" in why


def test_no_shard_is_begun_once_the_time_is_over() -> None:
    clock = iter([0.0, 0.0, 5.0, 11.0])
    given, why = run(GatedExecutor(used(), Gates(time_budget_s=10), lambda: next(clock)), SHARDS)
    assert given == ["s0", "s1"] and "10 s is spent" in why


def test_a_status_over_its_limit_fails_once_there_are_calls_enough() -> None:
    calls = LEAST_RUNNING_CALLS // 2
    gates = Gates(limits={"refusal": 0.1})
    executor = GatedExecutor(used(calls=calls, status_refusal=calls // 5), gates)
    given: list[str] = []
    with pytest.raises(StatusLimitError, match=r"40 of 200 calls ended with refusal, over the limit of 10%"):
        run_into(given, executor)
    assert given == ["s0", "s1"]
    assert run(GatedExecutor(used(calls=calls, status_refusal=calls // 10), gates), SHARDS)[1] == ""


@pytest.mark.parametrize(
    ("calls", "n", "is_over"), [(20, 3, True), (20, 2, False), (19, 3, False), (2, 2, True), (0, 0, False)]
)
def test_limits_at_the_end(calls: int, n: int, is_over: bool) -> None:
    counts = Counts()
    counts.measures.update({"calls": calls, "status.empty": n})
    if is_over:
        with pytest.raises(StatusLimitError):
            counts.check_limits("answer", {"empty": 0.1})
    else:
        counts.check_limits("answer", {"empty": 0.1})
