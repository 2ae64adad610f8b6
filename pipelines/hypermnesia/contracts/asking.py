"""What a model may answer to a question over evidence, and to one about such an answer (DESIGN 7 "Answering")."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hypermnesia.contracts.answers import ANSWERS, Answer, Name, Words

#: The largest number of a row that can be cited: what five retrievals may bring together.
MOST_EVIDENCE = 60

#: Parts that one question may have: each is a retrieval, and two are left for what the checks ask for.
MOST_PARTS = 3

#: Rows that an answer cites, and things that it names: a model that repeats itself runs to the end of a list.
MOST_CITES, MOST_NAMED = 12, 24

RowNumber = Annotated[int, Field(ge=1, le=MOST_EVIDENCE)]


class QuestionAnswer(Answer):
    """An answer from numbered rows, in the order in which a model writes: what it rests on, the words, their list.

    A small model repeats itself in lists: the words come before them, so that they don't.

    `items` are the things that a list or a count names one by one, `count` is their number (0 where nothing is
    counted). `unsure` is true where the rows don't say it; `search` are then other words to look for, else "".
    """

    cites: Annotated[list[RowNumber], Field(max_length=MOST_CITES)]
    answer: Annotated[str, Field(max_length=480)]
    items: Annotated[list[Name], Field(max_length=MOST_NAMED)]
    count: Annotated[int, Field(ge=0, le=100_000)]
    unsure: bool
    search: Words


class Judgement(Answer):
    """Whether an answer says what a reference answer says, and in a few words why."""

    why: Words
    right: bool


class QuestionParts(Answer):
    """The simpler questions that one is made of, each complete by itself; none where it is one already."""

    parts: Annotated[list[Words], Field(max_length=MOST_PARTS)]


#: So that a prompt can name them.
ANSWERS |= {form.__name__: form for form in (QuestionAnswer, Judgement, QuestionParts)}
