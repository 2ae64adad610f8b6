"""Forms that name a day by its date: ISO, in figures, written out, "the 3rd", "Friday the 13th"."""

from __future__ import annotations

import re
from datetime import date, datetime

from hypermnesia.rules.time_intervals import Interval, day, days, month, month_after
from hypermnesia.rules.time_periods import by_tense, read_year, yearless
from hypermnesia.rules.time_reading import UNRESOLVED, Reading, Setting, UnknownTimeError, form
from hypermnesia.rules.time_words import (
    DAY,
    DOUBTFUL_MONTHS,
    IN_YEAR,
    MEASURES,
    MONTH,
    MONTHS,
    NTH,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
)


def _iso(match: re.Match[str], _: Setting) -> Reading | None:
    try:
        found = date(int(match["y"]), int(match["m"]), int(match["d"]))
    except ValueError:
        return None
    if match["hh"] is None:
        return Reading(day(found))
    moment = datetime(found.year, found.month, found.day, int(match["hh"]), int(match["mm"]), int(match["ss"] or 0))
    return Reading(Interval(moment.isoformat(), moment.isoformat(), "instant"))


def _iso_month(match: re.Match[str], _: Setting) -> Reading:
    return Reading(month(int(match["y"]), int(match["m"])))


def _figures(match: re.Match[str], _: Setting) -> Reading | None:
    """Day and month in either order: resolved only where one order is a date, or both are the same one."""
    a, b, written = int(match["a"]), int(match["b"]), match["y"]
    year = int(written) if len(written) == 4 else 2000 + int(written)
    found = {date(year, n, d) for n, d in ((a, b), (b, a)) if _is_date(year, n, d)}
    if not found:
        return None
    return Reading(day(found.pop())) if len(found) == 1 else UNRESOLVED


def _is_date(year: int, number: int, d: int) -> bool:
    return 1 <= number <= 12 and 1 <= d <= month(year, number).last.day


def _written(match: re.Match[str], setting: Setting) -> Reading | None:
    """A written day or run of days of a month. "may 3" without a capital or anything else is no date."""
    parts = match.groupdict()
    name, number, d = match["mon"], MONTHS[match["mon"].lower()], int(match["d"])
    d2 = int(parts.get("d2") or d)
    is_sure = parts.get("sure") is not None or parts.get("y") is not None
    if (name in DOUBTFUL_MONTHS and not is_sure) or not (_is_date(2000, number, d) and _is_date(2000, number, d2)):
        return None
    of_any_year = yearless(match, setting, "day", number, d)
    try:
        year = read_year(match, setting)
        if year is not None:
            return Reading(days(date(year, number, d), date(year, number, d2), "day"))
        near = range(setting.today.year - 8, setting.today.year + 9)
        candidates = [
            days(date(y, number, d), date(y, number, d2), "day")
            for y in near
            if _is_date(y, number, d) and _is_date(y, number, d2)
        ]
        return Reading(by_tense(match, setting, candidates), yearless=of_any_year)
    except UnknownTimeError:
        return Reading(yearless=of_any_year)


def _nth(match: re.Match[str], setting: Setting) -> Reading | None:
    """The n-th of a month that the tense decides, or "of last month"; with a weekday, the nearest one that fits."""
    today, d = setting.today, int(match["d"])
    if which := match.groupdict().get("mw"):
        first = month_after(today, {"last": -1, "this": 0, "next": 1}[which.lower()])
        return Reading(day(first.replace(day=d)))
    weekday = WEEKDAYS[match["wd"].lower()] if match.groupdict().get("wd") else None
    firsts = [month_after(today, n) for n in range(-14, 15)]
    found = [f.replace(day=d) for f in firsts if _is_date(f.year, f.month, d)]
    return Reading(by_tense(match, setting, [day(f) for f in found if weekday in (None, f.weekday())]))


_EDGE = r"(?<![\w.,/$€£#-])"
_TIME = (
    r"(?P<hh>[01][0-9]|2[0-3]):(?P<mm>[0-5][0-9])(?::(?P<ss>[0-5][0-9])(?:\.[0-9]+)?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_TO = r"\s?(?:-|–|—|to|through|thru|until|till)\s?(?:the )?(?P<d2>[0-3]?[0-9])(?:st|nd|rd|th)?"
_WD = rf"(?:{WEEKDAY},? (?:the )?)?"
_ST = "(?:st|nd|rd|th)?"
_NO_AMOUNT = rf"(?![0-9]|:[0-9]|[.,][0-9]|[-–/][0-9]| ?(?:am|pm)\b| (?:{MEASURES})(?!\w))"
# What may follow "the 3rd" where it is no floor, time or place.
_NO_NOUN = (
    r"(?=[.,;!?)]|$| (?:and|but|at|in|with|for|to|we|i|he|she|they|so|because|when|if|as|or|i'm|after|before|by|last|"
    r"this|that|it|which)\b)"
)

DAY_FORMS = (
    form(
        "digit",
        rf"{_EDGE}(?P<y>{YEAR})([-/])(?P<m>[01]?[0-9])\2(?P<d>[0-3]?[0-9])(?:[T ]{_TIME})?(?![\w/]|-[0-9])",
        _iso,
    ),
    form("digit", rf"{_EDGE}(?P<y>{YEAR})-(?P<m>0[1-9]|1[0-2])(?![\w/-]|\.[0-9]| season)", _iso_month),
    form(
        "digit",
        rf"{_EDGE}(?P<a>[0-3]?[0-9])([-/.])(?P<b>[0-3]?[0-9])\2(?P<y>{YEAR}|[0-9]{{2}})(?![\w/%-]|\.[0-9])",
        _figures,
    ),
    form("month", rf"(?<![\w.$-]){_WD}(?:the )?{DAY}{_ST}{_TO}(?P<sure>)(?: of)? {MONTH}(?:{IN_YEAR})?", _written),
    form("month", rf"\b{_WD}{MONTH} {DAY}{_ST}{_TO}(?P<sure>){_NO_AMOUNT}(?:{IN_YEAR})?", _written),
    form("month", rf"(?<![\w.$-]){_WD}(?:the )?{DAY}{_ST}(?: of)? {MONTH}(?:{IN_YEAR})?", _written),
    form("month", rf"\b{_WD}{MONTH} (?:the )?{DAY}{_ST}{IN_YEAR}", _written),
    form("month", rf"\b{_WD}{MONTH} (?:the )?{NTH}(?P<sure>)(?! (?:floor|time|place|grade)\b)", _written),
    form(
        "month",
        rf"\b(?P<sure>on |since |until |till |by |before |after )?(?P<t>{_WD}{MONTH} {DAY}{_NO_AMOUNT})",
        _written,
    ),
    form("weekday", rf"\b{WEEKDAY},? (?:the )?{NTH}\b(?! of\b)", _nth),
    form("digit", rf"\b(?:the )?{NTH} of (?P<mw>last|this|next) month\b", _nth),
    form(
        "digit",
        rf"\b(?:on|since|until|till|by|before|after|around|from) (?P<t>the {NTH}){_NO_NOUN}",
        _nth,
    ),
)
