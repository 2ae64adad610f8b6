"""The days a question asks about, and how near a day is to them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import zip_longest

from hypermnesia.rules.time import TimeExpression, find_times
from hypermnesia.rules.time_intervals import month_after
from hypermnesia.rules.time_words import MONTH_NAMES as MONTH_NAMES


@dataclass(frozen=True, slots=True)
class AskedDate:
    """A day, a month, a season or a year that was asked about; without a `year`, that of any year.

    `start` and `end` are set instead where the question counts from its own day ("last week"). `relation` tells
    where the time lies that is asked about: "at" the date, or "since", "after", "until", "before" it.
    """

    precision: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    start: date | None = None
    end: date | None = None
    relation: str = "at"

    @property
    def is_open(self) -> bool:
        """Whether it asks about all time to one side of the date."""
        return self.relation != "at"

    def interval(self, year: int) -> tuple[date, date] | None:
        """First and last day that are asked about, in `year` where the question names none; None for no such day."""
        span = self._named(year)
        if span is None or not self.is_open:
            return span
        first, last = span
        if self.relation in ("since", "after"):
            return (first if self.relation == "since" or last == date.max else last + _DAY), date.max
        return date.min, (last if self.relation == "until" or first == date.min else first - _DAY)

    def _named(self, year: int) -> tuple[date, date] | None:
        if self.start is not None and self.end is not None:
            return self.start, self.end
        chosen = self.year or year
        try:
            if self.month is None:
                return date(chosen, 1, 1), date(chosen, 12, 31)
            if self.day is not None:
                return (day := date(chosen, self.month, self.day)), day
            return date(chosen, self.month, 1), _last_day(chosen, self.month, 3 if self.precision == "season" else 1)
        except ValueError:
            return None


# How far from the interval a day still counts a little, in days, by precision (retrieval.md, step 6).
_REACH = {"day": 3, "week": 7, "month": 20, "season": 20, "year": 0}


def nearness(asked: AskedDate, first: date, last: date | None = None) -> float:
    """How well a day, or an event from `first` to `last`, fits an asked date: 1 within it, .5 just outside, else 0.

    .3 where that says little: in an asked year or season, on the asked side of a date, and of an event that lasts
    for months beyond what was asked about.
    """
    end = max(last or first, first)
    spans = _spans(asked, first.year)
    if not spans:
        return 0.0
    distance, length = min((max((a - end).days, (first - b).days, 0), (b - a).days) for a, b in spans)
    if distance > (0 if asked.is_open else _REACH[asked.precision]):
        return 0.0
    says_little = asked.is_open or asked.precision in ("year", "season") or (end - first).days > max(length, _LONG)
    inside = 0.3 if says_little else 1.0
    return min(0.5, inside) if distance else inside


_DAY = timedelta(days=1)
_LONG = 31  # days of an event that is no more of one asked day than of another


@lru_cache(maxsize=1_024)  # a question is held to the days of many rows, which lie in few years
def _spans(asked: AskedDate, year: int) -> tuple[tuple[date, date], ...]:
    """Where a date may lie, for a day of a year: without a year of its own near it, or, on one side of it, in it."""
    years = (year,) if asked.is_open else (year - 1, year, year + 1)
    return tuple(dict.fromkeys(span for one in years if (span := asked.interval(one))))


def asked_dates(question: str, today: date | None) -> tuple[AskedDate, ...]:
    """Dates named in an English question, in its order; relative ones only where `today`, its own day, is given.

    "Last weekend before 10 April" counts from the day that it names.
    """
    found = find_times(question, _midnight(today))
    pairs = zip_longest(found, found[1:])
    return tuple(asked for one, after in pairs if (asked := _asked(_counted(one, after, question))) is not None)


def _midnight(day: date | None) -> datetime | None:
    return datetime.combine(day, time()) if day else None


def _counted(one: TimeExpression, after: TimeExpression | None, question: str) -> TimeExpression:
    """An expression as it counts from the day behind it ("last weekend before 10 April")."""
    if after is None or after.relation != "before" or after.interval is None or question[one.end : after.start].strip():
        return one
    again = find_times(one.surface, _midnight(after.interval.first))
    return again[0] if again else one


def _asked(found: TimeExpression) -> AskedDate | None:
    """A date without a year asks for that of any year; what recurs or only lasts asks for none."""
    if found.is_recurring or found.relation == "for":
        return None
    # "As of May" asks how things stood then, not for all that came since.
    relation = "at" if found.surface.lower().startswith("as of") else found.relation
    if found.yearless:
        named = found.yearless
        return AskedDate(named.precision, None, named.month, named.day, relation=relation)
    if found.interval is None:
        return None
    precision = "day" if found.interval.precision == "instant" else found.interval.precision
    return AskedDate(precision, start=found.interval.first, end=found.interval.last, relation=relation)


def _last_day(year: int, month: int, n_months: int) -> date:
    """The last day of a span of months that starts with `month`."""
    return month_after(date(year, month, 1), n_months) - timedelta(days=1)
