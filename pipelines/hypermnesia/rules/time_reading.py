"""What a form of time expression is, what it may look at, and what it reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from hypermnesia.rules.time_intervals import Interval, day, months
from hypermnesia.rules.time_tense import tense_at


class UnknownTimeError(Exception):
    """An expression of time that can't be resolved from what is known."""


@dataclass(frozen=True, slots=True)
class Yearless:
    """A month, season or day of any year: `month` is the (first) one."""

    precision: str
    month: int
    day: int | None = None

    def last_before(self, d: date) -> Interval:
        """The latest one that starts before a day."""
        for year in range(d.year, d.year - 9, -1):
            try:
                first = date(year, self.month, self.day or 1)
            except ValueError:
                continue
            if first < d:
                n_months = 3 if self.precision == "season" else 1
                return day(first) if self.day else months(first, n_months, self.precision)
        raise ValueError("no such day in the years before")


@dataclass(frozen=True, slots=True)
class Shift:
    """So many units before (negative) or after another time of the text; `is_next_to` is "the week before"."""

    unit: str
    n: int
    is_next_to: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """What an expression means; without an interval it is an expression that can't be resolved.

    `clock` is (hour, minute, whether the half of its day is sure); `shift` waits for the time it counts from;
    `is_run` is one with both ends told.
    """

    interval: Interval | None = None
    relation: str = "at"
    is_recurring: bool = False
    yearless: Yearless | None = None
    clock: tuple[int, int, bool] | None = None
    shift: Shift | None = None
    is_run: bool = False


UNRESOLVED = Reading()


@dataclass(frozen=True, slots=True)
class Setting:
    """One text with what is known about it."""

    text: str
    said: datetime | None
    tense: str | None = None
    birth_year: int | None = None

    @property
    def today(self) -> date:
        """The message's own day. Raises `UnknownTimeError` where it has none."""
        if self.said is None:
            raise UnknownTimeError
        return self.said.date()

    def is_future(self, match: re.Match[str], default: bool = False) -> bool:
        """Whether the words of a match speak of what is to come: by the hint, else by their sentence."""
        tense = tense_at(self.text, *place(match), self.tense)
        return default if tense is None else tense == "future"


def place(match: re.Match[str]) -> tuple[int, int]:
    """Where the expression of a match stands: the group `t`, or the whole match."""
    return match.span("t" if "t" in match.re.groupindex else 0)


@dataclass(frozen=True, slots=True)
class Form:
    """A pattern, tried where one of its `cues` stands in the text; `read` gives None for what is no time.

    The expression is the group `t`, or the whole match.
    """

    cues: frozenset[str]
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], Setting], Reading | None]


def form(cues: str, pattern: str, read: Callable[[re.Match[str], Setting], Reading | None]) -> Form:
    """A form from its cues ("month digit") and its pattern, whose case does not count."""
    return Form(frozenset(cues.split()), re.compile(pattern, re.IGNORECASE), read)
