"""An answer about records holds for fewer of them, with other numbers."""

from __future__ import annotations

import json

from hypermnesia.rules.answer_reuse import renumbered

FRAMES = {
    "entities": [{"id": 0, "name": "Ann"}],
    "frames": [{"record": n, "predicate": f"p{n}"} for n in (1, 2, 3, 3, 9)],
}


def test_frames_of_the_records_that_are_left() -> None:
    said = renumbered(json.dumps(FRAMES), ["a", "b", "c"], ["c", "a"])
    assert said is not None
    assert json.loads(said) == {
        "entities": FRAMES["entities"],
        "frames": [
            {"record": 2, "predicate": "p1"},
            {"record": 1, "predicate": "p3"},
            {"record": 1, "predicate": "p3"},
        ],
    }


def test_equal_records_are_told_apart_by_their_order() -> None:
    repairs = {"records": [{"record": 1, "text": "x"}, {"record": 2, "text": "y"}]}
    said = renumbered(json.dumps(repairs), ["a", "a"], ["a", "a"])
    assert said is not None and json.loads(said) == repairs
    assert renumbered(json.dumps(repairs), ["a", "a"], ["a", "a", "a"]) is None


def test_a_record_that_was_not_asked_about_needs_a_call() -> None:
    assert renumbered(json.dumps(FRAMES), ["a", "b"], ["a", "new"]) is None
    assert renumbered("not json", ["a"], ["a"]) is None and renumbered("[]", ["a"], ["a"]) is None
