"""Asking a model about a passage: what becomes of each completion, and what a second attempt changes (DESIGN 5.3).

The same request again would fail again: an answer that was cut gets a larger budget, one that is no answer gets
a smaller piece of the passage. A refusal is final, and so is what the smallest piece gives.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hypermnesia.contracts.answers import Answer
from hypermnesia.rules.answer_reading import UnreadableAnswerError, parse_answer
from hypermnesia.rules.answer_status import OK, TRUNCATED
from hypermnesia.rules.extraction import Passage
from hypermnesia.rules.grounding_reasons import FAILED_CALLS
from hypermnesia.rules.prompting import WINDOW_LEAD, WINDOW_TURNS, Call, Prompt, Window, passage_call, windows
from hypermnesia.rules.verbatim import why_no_record

#: The status of a call that never got through (`ports/generation.py`).
ENGINE_ERROR = "engine_error"
#: What a smaller piece of the passage may cure.
TOO_MUCH = frozenset(FAILED_CALLS)
#: How much larger the budget of an answer becomes that was cut.
LARGER_BY = 2
LARGER, SMALLER = "larger", "smaller"


class Said(Protocol):
    """A completion, as the reading needs it."""

    @property
    def status(self) -> str:
        """One of `ports.STATUSES`."""
        ...

    @property
    def text(self) -> str:
        """What the model wrote."""
        ...

    @property
    def detail(self) -> str:
        """Why it has its status."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a passage: `first` and `n_turns` are the window that it shows, `change` what the attempt changed.

    `about` are the texts of the records that it asks about, in the prompt's order.
    """

    prompt: Prompt
    call: Call
    first: int
    n_turns: int
    attempt: int = 1
    change: str = ""
    about: tuple[str, ...] = ()


#: Answers one call; None where there is no answer, and none will come.
Ask = Callable[[Asked], Awaitable[Said | None]]


@dataclass(frozen=True, slots=True)
class Failure:
    """A prompt whose call gave no answer over a window: its last status, and whether it may come later."""

    prompt: str
    status: str
    detail: str

    @property
    def is_transient(self) -> bool:
        """Whether nobody answered, which another run may mend."""
        return self.status == ENGINE_ERROR


#: What one call gave.
Result = Answer | Failure


async def once(ask: Ask, asked: Asked) -> Result:
    """One call, and once more with a larger budget where the answer was cut."""
    result = _result(asked.prompt, await ask(asked))
    if isinstance(result, Failure) and result.status == TRUNCATED:
        call = replace(asked.call, max_tokens=asked.call.max_tokens * LARGER_BY)
        result = _result(asked.prompt, await ask(replace(asked, call=call, attempt=asked.attempt + 1, change=LARGER)))
    return result


async def best(ask: Ask, prompt: Prompt, piece: Window) -> list[tuple[Window, Result]]:
    """A writer's answers over a piece: of the whole, else of its windows."""
    result = await once(ask, Asked(prompt, passage_call(prompt, piece.passage), piece.first, len(piece.passage.turns)))
    if isinstance(result, Failure) and result.status in TOO_MUCH and (parts := smaller(piece)):
        return await of_each(ask, prompt, parts)
    return [(piece, result)]


async def of_each(ask: Ask, prompt: Prompt, parts: Sequence[Window]) -> list[tuple[Window, Result]]:
    """A writer's answers over the windows of a piece, at once."""
    calls = [
        Asked(prompt, passage_call(prompt, w.passage), w.first, len(w.passage.turns), attempt=2, change=SMALLER)
        for w in parts
    ]
    return list(zip(parts, await asyncio.gather(*(once(ask, call) for call in calls)), strict=True))


def smaller(piece: Window) -> list[Window]:
    """The windows of a piece in which somebody says something; none where the piece can't be cut.

    Places count in the passage that the piece is of.
    """
    n = len(piece.passage.turns)
    size = min(WINDOW_TURNS, n - 1)
    return in_windows(piece.passage, size, min(WINDOW_LEAD, size), piece.first) if size else []


def in_windows(passage: Passage, n_turns: int, n_lead: int, first: int = 0) -> list[Window]:
    """The windows in which somebody says something; `first` is the place of the passage's first turn."""
    parts = [replace(window, first=first + window.first) for window in windows(passage, n_turns, n_lead)]
    return [part for part in parts if says_anything(part.passage)]


def says_anything(passage: Passage) -> bool:
    """Whether there is anything to ask about."""
    return any(why_no_record(turn) is None for turn in passage.turns)


def _result(prompt: Prompt, said: Said | None) -> Result:
    if said is None:
        return Failure(prompt.name, ENGINE_ERROR, "there is no answer")
    if said.status != OK:
        return Failure(prompt.name, said.status, said.detail)
    try:
        return parse_answer(said.text, prompt.model)
    except UnreadableAnswerError as error:
        return Failure(prompt.name, error.status, str(error))
