"""Civil intervals and the calendar that makes them: days, weeks, months, seasons, years (DESIGN 3 "Time")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

#: From fine to coarse.
PRECISIONS = ("instant", "day", "week", "month", "season", "year", "unknown")
#: First month of a season; meteorological and of the northern half, since a text seldom tells the other.
SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class Interval:
    """A civil interval, ISO, in the author's own zone and never moved out of it.

    Both ends are inclusive: `end` is the last day ("2023-05-07"). An instant has the same moment at both
    ends ("2023-05-07T20:00:00"). `precision` is one of `PRECISIONS`; a window of several units has its unit's.
    """

    start: str
    end: str
    precision: str

    @property
    def first(self) -> date:
        """The first day."""
        return date.fromisoformat(self.start[:10])

    @property
    def last(self) -> date:
        """The last day, inclusive."""
        return date.fromisoformat(self.end[:10])

    @property
    def is_day(self) -> bool:
        """Whether this is one single day."""
        return self.precision == "day" and self.start == self.end


def days(first: date, last: date, precision: str) -> Interval:
    """From one day to another, both inclusive."""
    return Interval(first.isoformat(), last.isoformat(), precision)


def day(d: date) -> Interval:
    """One day."""
    return days(d, d, "day")


def week_of(d: date, n_weeks: int = 0) -> Interval:
    """The calendar week (Monday to Sunday) of a day, or the one `n_weeks` later."""
    monday = d + timedelta(days=7 * n_weeks - d.weekday())
    return days(monday, monday + timedelta(days=6), "week")


def weekend_of(d: date, n_weeks: int = 0) -> Interval:
    """Saturday and Sunday of the calendar week of a day, or of the one `n_weeks` later; its precision is a week's."""
    sunday = week_of(d, n_weeks).last
    return days(sunday - timedelta(days=1), sunday, "week")


def month_after(d: date, n_months: int) -> date:
    """The first day of the month `n_months` after that of a day (before it, where negative)."""
    index = d.year * 12 + d.month - 1 + n_months
    return date(index // 12, index % 12 + 1, 1)


def months(first: date, n_months: int, precision: str) -> Interval:
    """Whole months, from that of `first`."""
    return days(first.replace(day=1), month_after(first, n_months) - timedelta(days=1), precision)


def month(year: int, number: int) -> Interval:
    """One calendar month."""
    return months(date(year, number, 1), 1, "month")


def season(year: int, number: int) -> Interval:
    """The season that starts with a month of a year; a winter ends in the year after."""
    return months(date(year, number, 1), 3, "season")


def years(first: int, last: int) -> Interval:
    """Whole years, both inclusive."""
    return days(date(first, 1, 1), date(last, 12, 31), "year")


def around(d: date, n_days: int, precision: str) -> Interval:
    """A day with some days at both sides."""
    return days(d - timedelta(days=n_days), d + timedelta(days=n_days), precision)


def same_day(d: date, n_months: int) -> date:
    """The same day of the month, some months later; the month's last day where there is none."""
    first = month_after(d, n_months)
    return first.replace(day=min(d.day, (month_after(first, 1) - timedelta(days=1)).day))


def coarser(*precisions: str) -> str:
    """The coarsest of some precisions."""
    return max(precisions, key=PRECISIONS.index)


def cover(parts: Iterable[Interval]) -> Interval:
    """From the first day of some intervals to the last one, as precise as the coarsest of them."""
    found = list(parts)
    first, last = min(p.first for p in found), max(p.last for p in found)
    return days(first, last, coarser("day", *(p.precision for p in found)))


def third_of(whole: Interval, part: str) -> Interval:
    """The early, mid or late third of an interval; its precision stays the whole's."""
    length = (whole.last - whole.first).days + 1
    one, two = length // 3, length - length // 3
    cuts = {"early": (0, one - 1), "mid": (one, two - 1), "late": (two, length - 1)}
    low, high = cuts[part]
    return days(whole.first + timedelta(days=low), whole.first + timedelta(days=high), whole.precision)


def easter(year: int) -> date:
    """Easter Sunday of the Western churches (the anonymous Gregorian computus, Meeus/Jones/Butcher)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    number, day_before = divmod(h + m - 7 * n + 114, 31)
    return date(year, number, day_before + 1)


def nth_weekday(whole: Interval, weekday: int, n: int) -> date:
    """The n-th such weekday (0 is Monday) of an interval, from 1; the last one for n = -1. `ValueError` if none."""
    if n < 0:
        found = whole.last - timedelta(days=(whole.last.weekday() - weekday) % 7)
    else:
        found = whole.first + timedelta(days=(weekday - whole.first.weekday()) % 7 + 7 * (n - 1))
    if not whole.first <= found <= whole.last:
        raise ValueError("no such weekday in the interval")
    return found
