"""How many rows a question gets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.retrieval.rows_by_need import FEWEST, MOST, TEXT, WITH_GRAPH, chances, n_rows

SCORES = st.lists(st.floats(-10, 15), min_size=1, max_size=80).map(lambda scores: np.array(sorted(scores)[::-1]))


@given(SCORES, st.floats(1, 3), st.booleans())
def test_rows_are_within_bounds_and_a_broader_question_gets_no_fewer(
    scores: np.ndarray, breadth: float, with_graph: bool
) -> None:
    n = n_rows(scores, breadth, with_graph=with_graph)
    assert FEWEST <= n <= MOST
    assert n <= n_rows(scores, breadth + 1, with_graph=with_graph)


@pytest.mark.parametrize("with_graph", [True, False])
def test_a_clear_answer_needs_few_rows_and_a_flat_ranking_many(with_graph: bool) -> None:
    clear = np.array([9.0, 1.0, *np.zeros(200)])
    flat = np.linspace(7, 6, 60)
    assert n_rows(clear, 1.0, with_graph=with_graph) == FEWEST
    assert n_rows(flat, 2.0, with_graph=with_graph) == MOST


@given(SCORES, st.floats(1, 3), st.booleans())
def test_chances_fall_along_the_rows(scores: np.ndarray, breadth: float, with_graph: bool) -> None:
    found = chances(scores, len(scores), breadth, WITH_GRAPH if with_graph else TEXT)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) <= 1e-12).all()
