"""Counting in units of the calendar: the last week, two months before a day, the next Friday."""

from __future__ import annotations

import re
from datetime import date, timedelta

from hypermnesia.rules.time_intervals import (
    Interval,
    day,
    days,
    month_after,
    months,
    same_day,
    week_of,
    weekend_of,
    years,
)
from hypermnesia.rules.time_words import VAGUE, number


def unit_at(unit: str, today: date, n: int) -> Interval:
    """The calendar day, week, weekend, month, year or decade `n` units from that of `today`."""
    if unit in {"day", "night"}:
        return day(today + timedelta(days=n))
    if unit == "week":
        return week_of(today, n)
    if unit == "weekend":
        return weekend_of(today, n)
    if unit == "month":
        return months(month_after(today, n), 1, "month")
    if unit == "decade":
        first = (today.year // 10 + n) * 10
        return years(first, first + 9)
    return years(today.year + n, today.year + n)


def counted(unit: str, low: int, high: int, today: date) -> Interval:
    """From `low` to `high` units after `today` (before it, where negative): a window as wide as the words say.

    One count of days is a day; one of weeks is seven days around it; one of months or years is that
    month or year of the calendar. A vague count takes the next coarser precision.
    """
    is_one = low == high
    if unit in {"day", "night"}:
        first, last = today + timedelta(days=low), today + timedelta(days=high)
        return day(first) if is_one else days(first, last, "week")
    if unit == "week":
        near, far = today + timedelta(days=7 * low - 3), today + timedelta(days=7 * high + 3)
        return days(near, far, "week" if is_one else "month")
    if unit == "month":
        return months(month_after(today, low), high - low + 1, "month" if is_one else "season")
    if unit == "decade":
        return years(today.year + 10 * low - 2, today.year + 10 * high + 2)
    return years(today.year + low, today.year + high)


def back(unit: str, n: int, today: date) -> date:
    """The day `n` units before `today`."""
    if unit in {"day", "night", "week"}:
        return today - timedelta(days=n * (7 if unit == "week" else 1))
    return same_day(today, -n * {"month": 1, "year": 12, "decade": 120}[unit])


def weekday_after(d: date, weekday: int, direction: int) -> date:
    """The nearest such weekday strictly after a day (direction 1) or strictly before it (-1)."""
    gap = (weekday - d.weekday()) * direction % 7 or 7
    return d + timedelta(days=direction * gap)


def read_amount(match: re.Match[str]) -> tuple[str, int, int]:
    """The unit and the least and most of it that a match names; half units are counted in the next finer one."""
    unit = {"yr": "year", "fortnight": "week", "night": "day"}.get(match["unit"].lower(), match["unit"].lower())
    if vague := match.groupdict().get("vague"):
        low, high = VAGUE[re.sub(r"\s+", " ", vague.lower())]
    else:
        low, high = (number(n), number(n)) if (n := match["n"]) else VAGUE["few"]  # "the coming weeks"
    if match["unit"].lower() == "fortnight":
        return unit, 2 * low, 2 * high
    if match.groupdict().get("half") or match.groupdict().get("half2"):
        finer, per = {"year": ("month", 12), "month": ("week", 4), "week": ("day", 7)}.get(unit, (unit, 1))
        return finer, low * per + per // 2, high * per + per // 2
    return unit, low, high


def until_now(match: re.Match[str], today: date) -> Interval | None:
    """The span that a match's amount of time makes up to `today`; its precision is that of the unit, or coarser."""
    unit, low, high = read_amount(match)
    if unit == "weekend":
        return None
    precision = "week" if unit == "day" and low != high else unit.replace("decade", "year")
    return days(back(unit, high, today), today, precision)
