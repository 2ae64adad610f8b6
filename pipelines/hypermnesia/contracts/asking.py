"""What a model may answer to a question over evidence (DESIGN 7 "Answering"): closed and bounded like every answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hypermnesia.contracts.answers import ANSWERS, Answer, Name, Words

#: The largest number of a row that can be cited: what five retrievals may bring together.
MOST_EVIDENCE = 60

RowNumber = Annotated[int, Field(ge=1, le=MOST_EVIDENCE)]


class QuestionAnswer(Answer):
    """An answer from numbered rows.

    `items` are the things that a list or a count names one by one, `count` is their number (0 where nothing is
    counted). `unsure` is true where the rows don't say it; `search` are then other words to look for, else "".
    """

    answer: Annotated[str, Field(max_length=480)]
    cites: Annotated[list[RowNumber], Field(max_length=24)]
    items: Annotated[list[Name], Field(max_length=32)]
    count: Annotated[int, Field(ge=0, le=100_000)]
    unsure: bool
    search: Words


ANSWERS[QuestionAnswer.__name__] = QuestionAnswer  # so that a prompt can name it
