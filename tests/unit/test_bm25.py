"""BM25 of one user's rows, and the terms it counts."""

from __future__ import annotations

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.retrieval import bm25
from hypermnesia.retrieval.bm25 import K1, B, Bm25, Field, Part, Vocabulary
from hypermnesia.retrieval.tokens import terms, words

ROWS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=12)


def index(rows: list[list[str]]) -> Bm25:
    vocabulary = Vocabulary()
    return Bm25(len(rows), [Part(Field(rows, vocabulary))], vocabulary)


def by_formula(rows: list[list[str]], query: list[str]) -> list[float]:
    mean = sum(map(len, rows)) / len(rows)
    scores = []
    for row in rows:
        score = 0.0
        for term in query:
            f = row.count(term)
            n = sum(term in other for other in rows)
            if f:
                idf = math.log(1 + (len(rows) - n + 0.5) / (n + 0.5))
                score += idf * f * (K1 + 1) / (f + K1 * (1 - B + B * len(row) / mean))
        scores.append(score)
    return scores


@given(ROWS, st.lists(st.sampled_from("abcdefg"), max_size=4))
def test_scores_are_the_formulas(rows: list[list[str]], query: list[str]) -> None:
    assert index(rows).scores([(t, 1.0) for t in query]) == pytest.approx(by_formula(rows, query))


@given(ROWS, st.integers(1, 8))
def test_an_index_that_is_built_in_blocks_is_the_same(rows: list[list[str]], block: int) -> None:
    with patch.object(bm25, "BLOCK", block):
        in_blocks = index(rows)
    for term in "abcdefg":
        assert in_blocks.scores([(term, 1.0)]).tolist() == index(rows).scores([(term, 1.0)]).tolist()


@given(ROWS, st.randoms())
def test_the_order_of_rows_changes_no_score(rows: list[list[str]], random: object) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    query = [("a", 1.0), ("b", 0.5)]
    assert index([rows[i] for i in order]).scores(query) == pytest.approx(index(rows).scores(query)[order])


def test_a_query_of_unknown_words_and_an_empty_history_score_nothing() -> None:
    assert index([["a"], []]).scores([("z", 1.0)]).tolist() == [0.0, 0.0]
    assert index([[]]).scores([("z", 1.0)]).tolist() == [0.0]
    assert Bm25(0, [Part(Field([], Vocabulary()))], {}).scores([("a", 1.0)]).shape == (0,)


def test_lent_terms_count_by_their_weight_and_only_where_they_are_lent() -> None:
    vocabulary = Vocabulary()
    own = Field([["cat"], ["dog"], ["sun"]], vocabulary)
    lent = Part(own, 0.4, np.array([1, -1, -1]))
    scores = Bm25(3, [Part(own), lent], vocabulary).scores([("cat", 1.0)])
    assert scores[0] > scores[1] > 0
    assert scores[2] == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Running in the RAIN", "runs rain"),
        ("Caroline's dog", "caroline’s dogs"),
        ("Café Müller", "cafe muller"),
        ("ﬁle Ⅳ", "file iv"),
    ],
)
def test_writings_of_one_word_are_one_term(one: str, other: str) -> None:
    assert terms([one]) == terms([other])


def test_function_words_go_and_scripts_without_spaces_are_cut_in_pairs() -> None:
    assert terms(["What is the matter with you?"]) == [["matter"]]
    assert terms(["我喜欢猫", "猫"]) == [["我喜", "喜欢", "欢猫"], ["猫"]]
    assert terms(["हिन्दी भाषा"]) == [["हिन्दी", "भाषा"]]
    assert terms(["", "?!", "  "]) == [[], [], []]


@given(st.text(max_size=100))
def test_any_text_has_terms_and_always_the_same(text: str) -> None:
    assert terms([text]) == terms([text])


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_words_of_ascii_are_those_that_they_are_among_others(text: str) -> None:
    assert [*words(text), "ж"] == words(f"{text} ж")
