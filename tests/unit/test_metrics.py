"""Measures of retrieved evidence and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.retrieval.metrics import interval, mcnemar, precision, recall, reciprocal_rank, separation

IDS = st.lists(st.sampled_from("abcdef"), max_size=6, unique=True)


@given(IDS, IDS.filter(bool))
def test_measures_are_shares_and_agree_on_nothing_and_on_all(found: list[str], evidence: list[str]) -> None:
    values = [recall(found, evidence), precision(found, evidence), reciprocal_rank(found, evidence)]
    assert all(0 <= value <= 1 for value in values)
    assert len({value > 0 for value in values}) == 1
    assert recall(evidence, evidence) == precision(evidence, evidence) == reciprocal_rank(evidence, evidence) == 1


def test_the_first_evidence_found_counts_by_its_place() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)


def test_an_interval_holds_the_mean_and_is_wider_by_groups_that_differ() -> None:
    differences = np.array([0.1, 0.1, 0.1, 0.1, -0.1, -0.1] * 10)
    low, high = interval(differences)
    assert low < differences.mean() < high
    groups = ["up" if d > 0 else "down" for d in differences]
    wide = interval(differences, groups)
    assert wide[0] == pytest.approx(-0.1) and wide[1] == pytest.approx(0.1)
    assert interval(differences) == (low, high)
    assert interval(np.array([])) == (0.0, 0.0)


def test_mcnemar_counts_only_questions_that_differ() -> None:
    assert mcnemar([True] * 5 + [False], [True] * 5 + [False])["p"] == 1.0
    found = mcnemar([True] * 8 + [False], [False] * 8 + [True])
    assert (found["only_first"], found["only_second"]) == (8, 1)
    assert found["p"] == pytest.approx(2 * (1 + 9) / 2**9)


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=9), st.lists(st.floats(-9, 9), min_size=1, max_size=9))
def test_separation_is_the_chance_of_being_above(higher: list[float], lower: list[float]) -> None:
    pairs = [(a > b) + (a == b) / 2 for a in higher for b in lower]
    assert separation(higher, lower) == pytest.approx(sum(pairs) / len(pairs))
