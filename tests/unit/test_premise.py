"""Whether those whom a question names said what it asks for."""

from __future__ import annotations

import pytest
from rows_in_memory import BagOfWords, make_rows

from hypermnesia.retrieval.features import Question
from hypermnesia.retrieval.history import build_history
from hypermnesia.retrieval.premise import premise
from hypermnesia.retrieval.ranking import rank
from hypermnesia.rules.planning import plan

TALK = [
    ("Ann", "I adopted a puppy from the shelter last week."),
    ("Ben", "I am learning to play an old cello this year."),
    ("Ann", "My sister lives in Vienna."),
    ("Ben", "Yesterday I baked bread."),
]


def of(question: str, *, with_graph: bool = True, talk: list[tuple[str, str]] = TALK) -> float:
    vectors, tokens = BagOfWords().embed_tokens([("", question)])
    asked = Question(question, vectors[0], tokens[0], plan(question))
    return premise(rank(build_history(make_rows(talk)), asked, with_graph=with_graph))


@pytest.mark.parametrize("with_graph", [True, False])
@pytest.mark.parametrize(
    ("said_by", "other", "question"),
    [
        ("Ann", "Ben", "When did {} adopt a puppy from the shelter?"),
        ("Ben", "Ann", "Why is {} learning to play the old cello this year?"),
    ],
)
def test_it_falls_where_somebody_else_said_what_fits(said_by: str, other: str, question: str, with_graph: bool) -> None:
    right = of(question.format(said_by), with_graph=with_graph)
    wrong = of(question.format(other), with_graph=with_graph)
    assert 0 <= wrong < right - 0.15


@pytest.mark.parametrize("question", ["Who adopted a puppy?", "What do Ann and Ben like?", "Where does Zoe live?"])
def test_a_question_that_names_nobody_or_everybody_has_no_wrong_premise(question: str) -> None:
    assert of(question) == 1.0


def test_a_user_who_speaks_alone() -> None:
    assert of("Why did Ann adopt a puppy?", talk=TALK[:1]) == 1.0
