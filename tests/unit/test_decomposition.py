"""Questions that ask several things, and whom a question names by what they are to somebody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.decomposition import parts
from hypermnesia.rules.planning import SEVERAL, plan
from hypermnesia.rules.relatives import MY, Relative, asked_relatives


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do Anna and Ben have in common?", ("What do Anna have in common?", "What do Ben have in common?")),
        ("Which sport do both Anna and Ben play?", ("Which sport do Anna play?", "Which sport do Ben play?")),
        ("Where did Anna move and what does she do there?", ("Where did Anna move?", "What does Anna do there?")),
        ("Where does Anna live, and who is her boss?", ("Where does Anna live?", "Who is Anna's boss?")),
        ("When and where did Anna move?", ()),
        ("What did Anna cook and why?", ()),
        ("What does Anna like to read and write?", ()),
        ("Which Dolce and Gabbana bag does Anna own?", ()),
        ("Where does Anna live?", ()),
        ("", ()),
    ],
)
def test_a_question_is_taken_apart_where_each_part_can_be_searched(question: str, expected: tuple[str, ...]) -> None:
    assert parts(question) == expected
    assert plan(question).parts == expected
    assert not expected or plan(question).breadth == SEVERAL


@given(st.text(max_size=120))
def test_parts_are_questions_that_are_whole_by_themselves(question: str) -> None:
    for part in parts(question):
        assert part.strip() and parts(part) != parts(question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does Nadia's cousin live?", [Relative("Nadia", ("cousin",))]),
        ("What is my sister's son called?", [Relative(MY, ("sister", "son"))]),
        ("What did Anna\u2019s older brother cook for her mum?", [Relative("Anna", ("brother",))]),
        ("What do Ben's mum and Anna's dad do?", [Relative("Ben", ("mother",)), Relative("Anna", ("father",))]),
        ("Where is Nadia's bike?", []),
        ("Where is the cousin?", []),
    ],
)
def test_somebody_may_be_named_by_what_they_are_to_another(question: str, expected: list[Relative]) -> None:
    assert list(asked_relatives(question)) == expected
