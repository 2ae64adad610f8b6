"""Counting right and wrong answers by kind of pair."""

from __future__ import annotations

import pytest

from hypermnesia.contracts.labelled import LabelledPair
from hypermnesia.rules.name_quality import evaluate_pairs, rates, total_of

ROWS = [
    LabelledPair(**row)
    for row in (
        {"a": "Jim Rice", "b": "Rice, Jim", "type": "person", "label": 1, "kind": "comma"},
        {"a": "Jim Rice", "b": "Rice, Jim", "type": "person", "label": 0, "kind": "comma"},
        {"a": "Jim Rice", "b": "Tom Rice", "type": "person", "label": 0, "kind": "given"},
        {"a": "Jim Rice", "b": "Tom Rice", "type": "person", "label": 1, "kind": "given"},
        {"a": "Jim", "b": "Jim Rice", "type": "person", "label": 1},
    )
]


def test_counts_by_kind() -> None:
    found = evaluate_pairs(ROWS)
    assert list(found) == ["comma", "given", "person"]
    assert found["comma"] == {
        "n": 2, "n_same": 1, "same_right": 1, "same_wrong": 1, "different_right": 0, "different_wrong": 0, "unsure": 0,
    }  # fmt: skip
    assert (found["given"]["different_right"], found["given"]["different_wrong"]) == (1, 1)
    assert found["person"]["unsure"] == 1
    assert total_of(found) == {
        "n": 5, "n_same": 3, "same_right": 1, "same_wrong": 1, "different_right": 1, "different_wrong": 1, "unsure": 1,
    }  # fmt: skip


def test_rates_are_of_same_alone_and_none_where_nothing_counts() -> None:
    found = evaluate_pairs(ROWS)
    assert rates(found["comma"])["precision"] == 0.5
    assert rates(found["comma"])["recall"] == 1.0
    assert rates(found["given"]) == {"precision": None, "precision_low": None, "recall": 0.0}
    many = rates({"n": 1000, "n_same": 1000, "same_right": 1000, "same_wrong": 0})
    assert many["precision_low"] == pytest.approx(0.9962, abs=1e-4)


def test_facts_of_a_row_count() -> None:
    row = {"a": "Jim Rice", "b": "Jim Rice", "type": "person", "label": 0}
    facts = {"facts_a": {"birth_date": "1990-01-02"}, "facts_b": {"birth_date": "1980-05-06"}}
    assert evaluate_pairs([LabelledPair(**row)])["person"]["same_wrong"] == 1
    assert evaluate_pairs([LabelledPair(**row, **facts)])["person"]["different_right"] == 1
