"""A shard that fails gives every part once, and only its poison is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.engine.counts import Counts, CountsError, RejectBudgetError
from hypermnesia.engine.inline import InlineExecutor
from hypermnesia.engine.isolate import Tries
from hypermnesia.ports import Part, Shard


class Toy:
    """A stage whose items are numbers; negative ones raise, always or once."""

    name, version, tables, counted_table = "toy", "1", ("records",), None

    def __init__(self, once: bool = False) -> None:
        self.failed: set[str] = set()
        self.once = once

    def plan(self) -> Iterator[Shard]:
        raise NotImplementedError

    def run(self, shard: Shard) -> Iterator[Part]:
        for item in shard.items:
            if item.startswith("-") and not (self.once and item in self.failed):
                self.failed.add(item)
                raise ValueError(f"bad item {item}")
        yield Part({}, n_in=len(shard.items), n_out=len(shard.items))

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        assert item.startswith("-"), "only what fails is refused"
        assert f"bad item {item}" in detail
        return Part({}, n_in=1, n_rejected=1, reasons={reason: 1})


@given(st.lists(st.integers(-3, 9), min_size=1, max_size=9, unique=True))
def test_only_the_items_that_raise_are_refused(numbers: list[int]) -> None:
    items = tuple(map(str, numbers))
    finished = list(InlineExecutor().run(Toy(), [Shard("toy", "s", 0, items)]))
    assert [f.is_last for f in finished] == [True]
    n_bad = sum(n < 0 for n in numbers)
    part = finished[0].part
    assert (part.n_in, part.n_out, part.n_rejected) == (len(items), len(items) - n_bad, n_bad)


def test_a_passing_fault_costs_nothing() -> None:
    finished = list(InlineExecutor().run(Toy(once=True), [Shard("toy", "s", 0, ("-1",))]))
    assert [(f.index, f.part.n_out) for f in finished] == [(0, 1)]


@given(st.lists(st.integers(0, 5), max_size=4), st.integers(1, 5))
def test_a_part_is_given_once_whatever_the_tries(stops: list[int], n_parts: int) -> None:
    """`stops`: after how many parts each try failed; the last try goes through."""
    parts = [Part({}, n_in=i) for i in range(n_parts)]
    tries = Tries(Shard("toy", "s", None, ("file",)))
    given_parts = []
    for stop in stops:
        given_parts += [f for part in parts[:stop] if (f := tries.push(part))]
        tries.restart()
    given_parts += [f for part in parts if (f := tries.push(part))]
    given_parts.append(tries.end())
    assert [(f.index, f.part.n_in, f.is_last) for f in given_parts if f] == [
        (i, i, i == n_parts - 1) for i in range(n_parts)
    ]


def test_rows_that_are_not_explained_fail() -> None:
    with pytest.raises(CountsError, match="5 rows in, but 4 explained"):
        Counts(n_in=5, n_out=3, n_merged=1).check("chunk s1")


@pytest.mark.parametrize(
    ("counts", "is_over"),
    [
        (Counts(n_in=0), False),
        (Counts(n_in=3, n_rejected=3), True),
        (Counts(n_in=30, n_rejected=20), False),
        (Counts(n_in=30, n_rejected=21), True),
        (Counts(n_in=1000, n_rejected=50), False),
        (Counts(n_in=1000, n_rejected=51), True),
    ],
)
def test_the_reject_budget(counts: Counts, is_over: bool) -> None:
    if is_over:
        with pytest.raises(RejectBudgetError, match="rejects"):
            counts.check_budget("ingest", 0.05)
    else:
        counts.check_budget("ingest", 0.05)
