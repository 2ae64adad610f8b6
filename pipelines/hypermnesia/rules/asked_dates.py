"""The days a question asks about, and how near a day is to them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from hypermnesia.rules.time import TimeExpression, find_times
from hypermnesia.rules.time_intervals import month_after
from hypermnesia.rules.time_words import MONTH_NAMES as MONTH_NAMES


@dataclass(frozen=True, slots=True)
class AskedDate:
    """A day, a month, a season or a year that was asked about; without a `year`, that of any year.

    `start` and `end` are set instead where the question counts from its own day ("last week").
    """

    precision: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    start: date | None = None
    end: date | None = None

    def interval(self, year: int) -> tuple[date, date] | None:
        """First and last day, in `year` where the question names none; None where there is no such day."""
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


def nearness(asked: AskedDate, day: date) -> float:
    """1 for a day in the asked interval (.3 in an asked year or season, which says little), .5 just outside, else 0."""
    inside = 0.3 if asked.precision in ("year", "season") else 1.0
    spans = [span for year in (day.year - 1, day.year, day.year + 1) if (span := asked.interval(year))]
    distance = min((max((first - day).days, (day - last).days, 0) for first, last in spans), default=None)
    if distance is None or distance > _REACH[asked.precision]:
        return 0.0
    return min(0.5, inside) if distance else inside


def asked_dates(question: str, today: date | None) -> tuple[AskedDate, ...]:
    """Dates named in an English question, in its order; relative ones only where `today`, its own day, is given."""
    said = datetime.combine(today, time()) if today else None
    return tuple(asked for found in find_times(question, said) if (asked := _asked(found)) is not None)


def _asked(found: TimeExpression) -> AskedDate | None:
    """A date without a year asks for that of any year; what recurs or only lasts asks for none."""
    if found.is_recurring or found.relation == "for":
        return None
    if found.yearless:
        return AskedDate(found.yearless.precision, None, found.yearless.month, found.yearless.day)
    if found.interval is None:
        return None
    precision = "day" if found.interval.precision == "instant" else found.interval.precision
    return AskedDate(precision, start=found.interval.first, end=found.interval.last)


def _last_day(year: int, month: int, n_months: int) -> date:
    """The last day of a span of months that starts with `month`."""
    return month_after(date(year, month, 1), n_months) - timedelta(days=1)
