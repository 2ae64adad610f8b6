"""Forms that name a month, quarter, season, year or decade by its place in the calendar."""

from __future__ import annotations

import re
from datetime import date, timedelta

from hypermnesia.rules.time_intervals import SEASON_MONTHS, Interval, cover, days, month, month_after, years
from hypermnesia.rules.time_intervals import season as season_of
from hypermnesia.rules.time_reading import UNRESOLVED, Reading, Setting, UnknownTimeError, Yearless, form
from hypermnesia.rules.time_words import (
    DECADES,
    DOUBTFUL_MONTHS,
    IN_YEAR,
    MEASURES,
    MONTH,
    MONTHS,
    SEASON,
    YEAR,
    any_of,
)

_WEATHER = re.compile(r"\b(?:degrees?|temps?|temperatures?|weather|forecast|sunny|fahrenheit)\b|°", re.IGNORECASE)


def read_year(match: re.Match[str], setting: Setting) -> int | None:
    """The year that a match names: written, '99, or "last year"; None where it names none."""
    parts = match.groupdict()
    if written := parts.get("y"):
        if written[0] != "'":
            return int(written)
        this = setting.today.year
        year = this // 100 * 100 + int(written[1:])
        return year if year <= this + 1 else year - 100
    if which := parts.get("yw"):
        return setting.today.year + {"last": -1, "this": 0, "next": 1}[which.lower()]
    return None


def by_tense(match: re.Match[str], setting: Setting, candidates: list[Interval]) -> Interval:
    """Of the same time in several years: the nearest one not after the message, or, of what is to come, not before.

    "last" and "next" are strictly before and after the message's day; "this" is of its year, unless of the past.
    """
    today = setting.today
    which = (match.groupdict().get("which") or "").lower()
    if "next" in which or "coming" in which:
        return min((c for c in candidates if c.first > today), key=lambda c: c.first)
    if which in {"last", "past", "this past"}:
        return max((c for c in candidates if c.last < today), key=lambda c: c.first)
    if which == "this" and setting.is_future(match, default=True):
        return min((c for c in candidates if c.first.year == today.year), key=lambda c: c.first)
    if setting.is_future(match):
        return min((c for c in candidates if c.last >= today), key=lambda c: c.first)
    return max((c for c in candidates if c.first <= today), key=lambda c: c.first)


def _near(setting: Setting) -> range:
    return range(setting.today.year - 2, setting.today.year + 3)


def yearless(
    match: re.Match[str], setting: Setting, precision: str, number: int, d: int | None = None
) -> Yearless | None:
    """The month, season or day of any year that a match names; None where its words choose the year."""
    parts = match.groupdict()
    is_chosen = parts.get("yw") or (parts.get("which") and setting.said is not None)
    return None if is_chosen else Yearless(precision, number, d)


def _month(match: re.Match[str], setting: Setting) -> Reading | None:
    number = MONTHS[match["mon"].lower()]
    try:
        year = read_year(match, setting)
        if year is not None:
            return Reading(month(year, number))
        found = by_tense(match, setting, [month(y, number) for y in _near(setting)])
        return Reading(found, yearless=yearless(match, setting, "month", number))
    except UnknownTimeError:
        return Reading(yearless=yearless(match, setting, "month", number))


def _bare_month(match: re.Match[str], setting: Setting) -> Reading | None:
    """A short form needs a capital; "this may" is the verb, and a letter "from June" is one of a person."""
    name, before = match["mon"], (match.groupdict().get("at") or "").lower()
    if len(name) <= 4 and name.lower() not in {"may", "june", "july"} and not name[0].isupper():
        return None
    if name == "may" and (match.groupdict().get("which") or "").lower() == "this":
        return None
    is_loose = before in {"and", "or", "to"}
    if (name.lower() in DOUBTFUL_MONTHS and (is_loose or before in {"from", "about"})) or (is_loose and name.islower()):
        return None
    return _month(match, setting)


def _month_range(match: re.Match[str], setting: Setting) -> Reading | None:
    first, second = MONTHS[match["m1"].lower()], MONTHS[match["mon"].lower()]
    if not (match["m1"][0].isupper() and match["mon"][0].isupper()):
        return None
    year, turn = read_year(match, setting), int(second < first)
    starts = [year - turn] if year is not None else list(_near(setting))
    candidates = [cover([month(y, first), month(y + turn, second)]) for y in starts]
    found = candidates[0] if year is not None else by_tense(match, setting, candidates)
    return Reading(found, is_run=True)


def _season(match: re.Match[str], setting: Setting) -> Reading | None:
    number = SEASON_MONTHS[match["season"].lower()]
    try:
        year = read_year(match, setting)
        if year is not None:
            return Reading(season_of(year, number))
        candidates = [season_of(y, number) for y in _near(setting)]
        if (match.groupdict().get("which") or "").lower() == "this":
            found = min(candidates, key=lambda c: _distance(c, setting.today))
        else:
            found = by_tense(match, setting, candidates)
        return Reading(found, yearless=yearless(match, setting, "season", number))
    except UnknownTimeError:
        return Reading(yearless=yearless(match, setting, "season", number))


def _distance(interval: Interval, d: date) -> int:
    return max((interval.first - d).days, (d - interval.last).days, 0)


def _year(match: re.Match[str], setting: Setting) -> Reading | None:
    year = read_year(match, setting)
    return Reading(years(year, year)) if year is not None else None


def _year_range(match: re.Match[str], _: Setting) -> Reading | None:
    first, last = int(match["y1"]), int(match["y"])
    return Reading(years(first, last), is_run=True) if first < last else None


def _decade(match: re.Match[str], setting: Setting) -> Reading | None:
    """Ten years, or the early (0 to 3), mid (4 to 6) or late (7 to 9) ones; "the 20s" may be two decades."""
    low, high = max(0, match.start() - 120), match.end() + 120
    if _WEATHER.search(setting.text, low, high):
        return None
    word, figures = match["word"], match["n"] or ""
    if word or len(figures) == 2:
        tens = DECADES[word.lower()] if word else int(figures[0])
        if tens < 3:
            return UNRESOLVED
        first = 1900 + 10 * tens
    else:
        first = int(figures)
    early, late = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}.get((match["part"] or "").lower(), (0, 9))
    return Reading(years(first + early, first + late))


def _quarter(match: re.Match[str], _: Setting) -> Reading:
    first = date(int(match["y"]), 3 * int(match["q"]) - 2, 1)
    return Reading(days(first, month_after(first, 3) - timedelta(days=1), "season"))


_TO = r"\s?(?:-|–|—|to|through|thru|until|till)\s?"
_WHICH = r"\b(?:the )?(?P<which>last|this past|past|this coming|this|next|coming|upcoming) "
_AT = (
    r"\b(?P<at>in|since|until|till|by|during|of|from|before|after|around|about|through|throughout|early|mid|late|"
    r"between|and|or|to)(?: early| mid| late)?[ -]"
)
_DURING = r"\b(?:in|during|over|since|until|by the|before|after|for|through|throughout|of|early|mid|late)"
# What makes "May" a verb or a person, and "fall" or "summer" the first half of something else.
_NO_VERB = r"(?!'s\b| (?:be|have|not|help|take|sound|seem|come|get|look|also|still|never)\b)"
_NO_COMPOUND = (
    r"(?!-| (?:break|rolls?|cleaning|onions?|water|camp|school|jobs?|internship|house|dress|sports|mattress|"
    r"of (?!(?:[0-9']|last|next|this)))\b)"
)
_FIGURES = r"'?(?P<n>(?:1[5-9]|20)[0-9]0|[2-9]0)'?s"
_NO_AMOUNT = rf"(?![\w%:/-]|[.,][0-9]| (?:{MEASURES})(?!\w))"

PERIOD_FORMS = (
    form("month", rf"\b(?:from )?(?P<t>(?P<m1>{any_of(MONTHS)})\b\.?{_TO}{MONTH}(?:{IN_YEAR})?)", _month_range),
    form("month", rf"\bbetween (?P<t>(?P<m1>{any_of(MONTHS)})\b\.? and {MONTH}(?:{IN_YEAR})?)", _month_range),
    form("month", rf"\b{MONTH}{IN_YEAR}", _month),
    form("season", rf"\b{SEASON}{IN_YEAR}", _season),
    form("month", rf"{_WHICH}{MONTH}{_NO_VERB}", _bare_month),
    form("month", rf"{_AT}(?P<t>{MONTH}){_NO_VERB}", _bare_month),
    form("season", rf"{_WHICH}{SEASON}\b{_NO_COMPOUND}", _season),
    form("season", rf"{_DURING}[ -](?:the )?(?:early |late |mid[ -])?(?P<t>{SEASON})\b{_NO_COMPOUND}", _season),
    form(
        "digit decade",
        rf"\b(?:the |in )(?P<t>(?:(?P<part>early|mid|late)[ -])?(?:{_FIGURES}|(?P<word>{any_of(DECADES)})))\b",
        _decade,
    ),
    form("digit", rf"\b(?P<part>early|mid|late)[ -](?:the )?{_FIGURES}(?P<word>(?!))?\b", _decade),
    form(
        "digit",
        rf"\b(?:from )?(?P<t>(?<![\w$.-])(?P<y1>{YEAR}){_TO}(?P<y>{YEAR})){_NO_AMOUNT}",
        _year_range,
    ),
    form("digit", rf"\bbetween (?P<t>(?P<y1>{YEAR}) and (?P<y>{YEAR})){_NO_AMOUNT}", _year_range),
    form("digit", rf"\bQ(?P<q>[1-4]) (?:of )?(?P<y>{YEAR})\b", _quarter),
    form(
        "digit",
        r"\b(?:in|since|until|till|by|before|after|from|of|during|around|circa|about|early|mid|late|year|through)[ -]"
        rf"(?:early |mid |late |mid-)?(?P<t>(?P<y>{YEAR})){_NO_AMOUNT}",
        _year,
    ),
    form("digit", r"\b(?:in|of|since) (?P<t>(?P<y>'[0-9]{2}))\b(?!')", _year),
    form("digit", rf"\((?P<t>(?P<y>{YEAR}))\)", _year),
    form("digit", rf"(?:^|[.!?,;] )(?P<t>(?P<y>{YEAR}))(?= (?:was|is|has been|will be)\b)", _year),
)
