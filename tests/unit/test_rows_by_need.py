"""How many rows a question gets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.retrieval.rows_by_need import FEWEST, MOST, n_rows

SCORES = st.lists(st.floats(-20, 20), min_size=1, max_size=80).map(np.array)


@given(SCORES, st.floats(1, 3), st.booleans(), st.floats(-5, 5))
def test_rows_are_within_bounds_and_only_differences_count(
    scores: np.ndarray, breadth: float, with_graph: bool, shift: float
) -> None:
    n = n_rows(scores, breadth, with_graph=with_graph)
    assert FEWEST <= n <= MOST
    assert n <= n_rows(scores, breadth + 1, with_graph=with_graph)


@pytest.mark.parametrize("with_graph", [True, False])
def test_a_clear_answer_needs_few_rows_and_a_flat_ranking_many(with_graph: bool) -> None:
    clear = np.array([9.0, 8.0, *np.zeros(200)])
    flat = np.linspace(2, 0, 60)
    assert n_rows(clear, 1.0, with_graph=with_graph) == FEWEST
    assert n_rows(flat, 1.0, with_graph=with_graph) == MOST
