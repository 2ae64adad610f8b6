"""Whether an answer says what its reference says, where no model is needed to tell: equal words, dates, numbers.

A small model errs here: it takes 6 June for 7 June, and 2023-06-07 for another day.
"""

from __future__ import annotations

import re

from hypermnesia.rules.anchor_keys import fold
from hypermnesia.rules.time import find_times
from hypermnesia.rules.time_intervals import Interval

_WORD = re.compile(r"[^\W_]+")
_FILLERS = "a an the on in at of since from by about it was is to her his their"
_SAYS_NOTHING = frozenset(_FILLERS.split())
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_NUMBERS = {word: n for n, word in enumerate(_ONES.split())}
_TENFOLD = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * n for n, word in enumerate(_TENFOLD.split(), 2)}
_TIMES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_FIGURES = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_TOKEN = re.compile(rf"{_FIGURES.pattern}|[^\W\d_]+")


def verdict_by_code(reference: str, answer: str) -> bool | None:
    """Whether they are the same; None where their words must be understood.

    A date or a number decides where the reference is nothing else, and the answer names exactly one.
    """
    if fold(reference) == fold(answer) or (_words(reference) and _words(reference) == _words(answer)):
        return True
    wanted = _dates(reference)
    if len(wanted) == 1 and not wanted[0][1]:
        named = _dates(answer)
        return _is_within(named[0][0], wanted[0][0]) if len(named) == 1 else None
    numbers, rest = _numbers(reference)
    if len(numbers) == 1 and not rest:
        named_numbers, _ = _numbers(answer)
        return named_numbers == numbers if len(named_numbers) == 1 else None
    return None


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(fold(text)) if word not in _SAYS_NOTHING]


def _dates(text: str) -> list[tuple[Interval, bool]]:
    """The absolute dates of a text, each with whether it says more than its dates; none where one is unresolved."""
    found = find_times(text, None)
    if not found or any(one.interval is None or one.is_recurring or one.yearless for one in found):
        return []
    rest = text
    for one in reversed(found):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    return [(one.interval, bool(_words(rest))) for one in found if one.interval is not None]


def _is_within(said: Interval, wanted: Interval) -> bool:
    return wanted.first <= said.first and said.last <= wanted.last


def _numbers(text: str) -> tuple[list[float], bool]:
    """The numbers of a text, in figures or words, and whether it says anything else."""
    found: list[float] = []
    is_open, says_more = False, False  # whether the next word may be a part of the last number
    for token in _TOKEN.findall(fold(text)):
        if _FIGURES.fullmatch(token):
            found.append(float(token.replace(",", "")))
            is_open = True
        elif token in _TIMES and is_open:
            found[-1] *= _TIMES[token]
        elif token in _NUMBERS or token in _TENS:
            value = _NUMBERS.get(token, _TENS.get(token, 0))
            joins = is_open and found[-1] >= 20 and found[-1] % (10 if value < 10 else 100) == 0 and value < found[-1]
            found[-1:] = [found[-1] + value] if joins else [*found[-1:], float(value)]
            is_open = True
        else:
            is_open = False
            says_more |= token not in _SAYS_NOTHING
    return found, says_more
