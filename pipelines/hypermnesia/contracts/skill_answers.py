"""What a model may answer about task sessions and skills (DESIGN 6): closed and bounded like every answer.

Lines, experiences and skills are named by the numbers that the prompt shows, and steps are written as patterns:
code compares them with what the logs have.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from hypermnesia.contracts.answers import ANSWERS, Answer, Words

#: The largest number of a line of a session, of an experience, and of a skill that a prompt shows.
MOST_LINES, MOST_SHOWN, MOST_SKILLS = 2_000, 20, 12

Line = Annotated[int, Field(ge=1, le=MOST_LINES)]
Pattern = Annotated[str, Field(min_length=1, max_length=240)]
Shown = Annotated[list[Annotated[int, Field(ge=1, le=999)]], Field(min_length=1, max_length=8)]


class SessionStep(Answer):
    """An action by its line, and its pattern."""

    line: Line
    pattern: Pattern


class Lesson(Answer):
    """One failing action (avoid), one and what worked in its place (remedy), or an action and what to do behind it
    where the answer has `word` (condition)."""

    kind: Literal["avoid", "remedy", "condition"]
    steps: Annotated[list[SessionStep], Field(min_length=1, max_length=2)]
    word: Words


class Feature(Answer):
    """Something that this run did or left out and that may have decided it, with words that show it."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    line: Line
    quote: Annotated[str, Field(min_length=1, max_length=240)]


class SessionAnswer(Answer):
    """The distiller's, about one session: what became of the task, with a quote ("" and line 0 where it is unclear);
    the actions that a success needed, in order; lessons and features."""

    outcome: Literal["success", "failure", "unclear"]
    line: Annotated[int, Field(ge=0, le=MOST_LINES)]
    quote: Annotated[str, Field(max_length=320)]
    steps: Annotated[list[SessionStep], Field(max_length=48)]
    lessons: Annotated[list[Lesson], Field(max_length=32)]
    features: Annotated[list[Feature], Field(max_length=8)]


class SkillLine(Answer):
    """A step, or what is to be avoided, and the experiences that show it."""

    pattern: Pattern
    cites: Shown


class SkillLineWhere(SkillLine):
    """A step, taken always (`word` is "") or where the answer before it has a word."""

    word: Words


class SkillAnswer(Answer):
    """The curator's, about one kind of task. `skill` is the number of the one that is changed, deleted or says it
    already; 0 where there is none."""

    decision: Literal["create", "modify", "delete", "defer", "covered", "not_worth"]
    skill: Annotated[int, Field(ge=0, le=999)]
    steps: Annotated[list[SkillLineWhere], Field(max_length=32)]
    whenever: Annotated[list[SkillLineWhere], Field(max_length=8)]
    avoid: Annotated[list[SkillLine], Field(max_length=8)]
    reason: Words


ANSWERS |= {model.__name__: model for model in (SessionAnswer, SkillAnswer)}  # so that prompts can name them
