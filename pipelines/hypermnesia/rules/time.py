"""Expressions of time in English text, as civil intervals (DESIGN 3 "Time").

Everything counts from the message's own wall clock: never from today, a zone, the worker's clock or its locale.
What can't be resolved is found without an interval. The language is a list of forms (`time_*.py`), tried in
order of how much they say; the words that one has taken are closed to the next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from hypermnesia.rules.time_clock import CLOCK_FORMS
from hypermnesia.rules.time_days import DAY_FORMS
from hypermnesia.rules.time_intervals import Interval
from hypermnesia.rules.time_joins import Found, join
from hypermnesia.rules.time_life import LIFE_FORMS
from hypermnesia.rules.time_named import NAMED_FORMS
from hypermnesia.rules.time_periods import PERIOD_FORMS
from hypermnesia.rules.time_reading import UNRESOLVED, Form, Reading, Setting, UnknownTimeError, Yearless, place
from hypermnesia.rules.time_recurring import RECURRING_FORMS
from hypermnesia.rules.time_relative import RELATIVE_FORMS
from hypermnesia.rules.time_words import CUES, WEEKDAY_NAMES

RELATIONS = ("at", "since", "until", "for", "before", "after")


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """Words of a text that tell a time: `text[start:end] == surface`.

    `interval` is None where they can't be resolved, and for what recurs. `relation` tells how the event stands
    to the interval: in it (at), from it on (since), up to it (until, before), later (after); "for" is a
    duration, whose interval ends with the message. `yearless` is set where the words name no year, so that the
    tense chose it.
    """

    start: int
    end: int
    surface: str
    interval: Interval | None
    relation: str = "at"
    is_recurring: bool = False
    yearless: Yearless | None = None


_WORD = re.compile(r"o'clock|[a-z]+|[0-9]")
_DAY = "|".join(d.capitalize() for d in WEEKDAY_NAMES)
# Names and phrases with a word of time that tell no time.
_TRAPS = re.compile(
    r"\b24/7\b|\b(?:TGI|T\.G\.I\.) ?Friday'?s\b|\b[Aa]t Friday's\b(?! [a-z])|\b[Ss]unday (?:[Ss]chool|[Bb]est|Times)\b|"
    r"\bMonday [Bb]lues\b|\bSaturday Night (?:Live|Fever)\b|\bFriday Night Lights\b|\bWednesday Addams\b|"
    r"\b(?:[Gg]irl|[Mm]an) Friday\b|"
    rf"\b(?:Ash|Spy|Holy|Fat|Palm|Ruby|Freaky|[Cc]asual|Giving|[Tt]aco|[Mm]anic|[Bb]loody) (?:{_DAY})s?\b"
)
_FORMS = (
    *CLOCK_FORMS,
    *RECURRING_FORMS,
    *DAY_FORMS,
    *NAMED_FORMS,
    *PERIOD_FORMS,
    *LIFE_FORMS,
    *RELATIVE_FORMS,
)
_NEVER: frozenset[str] = frozenset()


def find_times(
    text: str, said_local: datetime | None, *, tense: str | None = None, birth_year: int | None = None
) -> list[TimeExpression]:
    """The expressions of time in a text, in its order, resolved against the wall clock at which it was said.

    Without `said_local` only absolute times have an interval. `tense` ("past" or "future") settles "in May" and
    "on Tuesday" for the whole text; without it each sentence's verbs do, and a sentence without any is of the
    past. `birth_year` is the speaker's, for "when I was 12". Raises `ValueError` for a clock with a zone or a
    tense that is neither.
    """
    if said_local is not None and said_local.tzinfo is not None:
        raise ValueError("said_local has a zone: pass the author's wall clock (said_local.replace(tzinfo=None))")
    if tense not in (None, "past", "future"):
        raise ValueError(f"unknown tense {tense!r}: use 'past', 'future' or None")
    cues = _cues(text)
    if not cues:
        return []
    text = text.replace("’", "'")
    setting = Setting(text, said_local, tense, birth_year)
    found = join(_read_all(cues, setting), setting)
    return [_expression(item, text) for item in found]


def _cues(text: str) -> set[str]:
    cues: set[str] = set()
    for word in set(_WORD.findall(text.lower())):
        cues |= {"digit"} if word.isdigit() else CUES.get(word, _NEVER)
    return cues


def _read_all(cues: set[str], setting: Setting) -> list[Found]:
    rest = _TRAPS.sub(_blank, setting.text)
    found = []
    for form in _FORMS:
        if cues.isdisjoint(form.cues):
            continue
        taken = []
        for match in form.pattern.finditer(rest):
            reading = _read(form, match, setting)
            if reading is not None:
                taken.append(Found(*place(match), reading))
        rest = _without(rest, taken)
        found += taken
    return found


def _without(text: str, taken: list[Found]) -> str:
    """The text with the words that were taken blanked, so that offsets stay."""
    pieces, end = [], 0
    for item in taken:
        pieces += [text[end : item.start], "\0" * (item.end - item.start)]
        end = item.end
    return "".join([*pieces, text[end:]])


def _blank(match: re.Match[str]) -> str:
    return "\0" * len(match.group())


def _read(form: Form, match: re.Match[str], setting: Setting) -> Reading | None:
    """What a form reads; a time that can't be known, or is out of the calendar, stays unresolved."""
    try:
        return form.read(match, setting)
    except (UnknownTimeError, OverflowError, ValueError):
        return UNRESOLVED


def _expression(item: Found, text: str) -> TimeExpression:
    r = item.reading
    return TimeExpression(
        item.start, item.end, text[item.start : item.end], r.interval, r.relation, r.is_recurring, r.yearless
    )
