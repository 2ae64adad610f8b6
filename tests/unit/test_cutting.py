"""Natural cuts: nothing lost, sizes in bounds, and a late item moves only what stands before the next cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.cutting import natural_runs

Item = tuple[int, int]  # (number, size)
LEAST, MOST, MODULUS = 3, 8, 4


def cut(items: list[Item]) -> list[list[Item]]:
    return list(
        natural_runs(items, size=lambda i: i[1], key=lambda i: f"{i[0]:x}", modulus=MODULUS, least=LEAST, most=MOST)
    )


def total(run: list[Item]) -> int:
    return sum(size for _, size in run)


items_of = st.lists(st.tuples(st.integers(0, 1 << 40), st.sampled_from([1, 1, 1, 2, 3, 7, 9])), max_size=80)


@given(items_of)
def test_the_runs_are_the_input(items: list[Item]) -> None:
    runs = cut(items)
    assert [item for run in runs for item in run] == items
    assert all(runs)


@given(items_of)
def test_sizes_are_in_bounds(items: list[Item]) -> None:
    runs = cut(items)
    for run, after in pairwise([*runs, None]):
        assert run is not None
        assert total(run) <= MOST or len(run) == 1  # an item is never split
        if total(run) < LEAST and after is not None:  # short only at the end, or where the next item did not fit
            assert total(run) + after[0][1] > MOST


@given(items_of)
def test_a_run_ends_at_its_first_natural_end(items: list[Item]) -> None:
    for run in cut(items):
        ends = [n for n in range(len(run)) if total(run[: n + 1]) >= LEAST and run[n][0] % MODULUS == 0]
        assert ends in ([], [len(run) - 1])


@given(items_of, st.tuples(st.integers(0, 1 << 40), st.integers(1, 3)), st.data())
def test_a_late_item_moves_nothing_behind_the_next_common_cut(
    items: list[Item], late: Item, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(items)))
    before, after = cut(items), cut([*items[:at], late, *items[at:]])

    def ends(runs: list[list[Item]], shift: int) -> dict[int, int]:
        """Where each run ends, as a place in the old list -> the number of the run."""
        places: dict[int, int] = {}
        n = 0
        for number, run in enumerate(runs):
            n += len(run)
            places[n - shift] = number
        return places

    behind_old = {place: number for place, number in ends(before, 0).items() if place >= at}
    behind_new = {place: number for place, number in ends(after, 1).items() if place >= at}
    common = sorted(behind_old.keys() & behind_new.keys())
    assert common or not items, "the end of the list is common"
    if common:
        assert before[behind_old[common[0]] + 1 :] == after[behind_new[common[0]] + 1 :]
    untouched = [run for place, run in zip(ends(before, 0), before, strict=True) if place < at]
    assert after[: len(untouched)] == untouched


def test_common_cuts_come_soon() -> None:
    """Ids are as good as random: a late item moves few of a long list's runs."""
    items = [((n * 2654435761) % (1 << 32), 1) for n in range(2_000)]
    before = cut(items)
    for at in (0, 500, 1_999):
        after = cut([*items[:at], (1, 1), *items[at:]])
        assert sum(run not in before for run in after) <= 4
