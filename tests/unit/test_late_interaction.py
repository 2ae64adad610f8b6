"""Token vectors: their packing, and the best match of each question word in each row."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hypermnesia.ports import Tokens
from hypermnesia.ports.models import unpack
from hypermnesia.retrieval import late_interaction
from hypermnesia.retrieval.late_interaction import TokenTable

TOKENS = (
    st.integers(0, 5)
    .flatmap(
        lambda n: st.tuples(
            arrays.arrays(np.uint16, n, elements=st.integers(0, 9)),
            arrays.arrays(np.int8, (n, 3), elements=st.integers(-127, 127).filter(bool)),
        )
    )
    .map(lambda pair: Tokens(*pair))
)


def cosine(a: Any, b: Any) -> float:
    a, b = a.astype(float), b.astype(float)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@given(TOKENS)
def test_what_is_packed_comes_back(tokens: Tokens) -> None:
    found = unpack(tokens.pack())
    assert found.pieces.tolist() == tokens.pieces.tolist()
    assert found.vectors.tolist() == tokens.vectors.tolist()


@pytest.mark.parametrize("packed", [b"", b"\x03", b"\x03\x00abcd"])
def test_bytes_that_are_no_tokens_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="no tokens"):
        unpack(packed)


@given(st.lists(TOKENS, min_size=1, max_size=6), TOKENS, st.data())
def test_the_best_of_a_row_is_its_greatest_cosine(rows: list[Tokens], question: Tokens, data: Any) -> None:
    packed = [row.pack() if len(row.pieces) else b"" for row in rows]
    with patch.object(late_interaction, "READ", data.draw(st.integers(1, 7))):
        table = TokenTable(packed)
    chosen = np.array(sorted(data.draw(st.sets(st.integers(0, len(rows) - 1)))), np.int64)
    found = table.best(question, chosen)
    assert found.shape == (len(chosen), len(question.pieces))
    for place, row in zip(found, chosen, strict=True):
        for value, asked in zip(place, question.vectors, strict=True):
            best = max((cosine(asked, own) for own in rows[row].vectors), default=0.0)
            assert value == pytest.approx(best, abs=1e-4)
    weights = table.weights(question)
    assert weights.tolist() == TokenTable(packed).weights(question).tolist()
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1.0 if len(weights) else 0.0)


def test_a_rare_word_weighs_more() -> None:
    rows = [Tokens(np.array([1, 2 if n else 3], np.uint16), np.ones((2, 3), np.int8)).pack() for n in range(9)]
    common, rare = TokenTable(rows).weights(Tokens(np.array([1, 3], np.uint16), np.ones((2, 3), np.int8)))
    assert rare > 10 * common
