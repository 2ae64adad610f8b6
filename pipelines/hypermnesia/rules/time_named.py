"""Forms that name a feast or holiday; those whose day differs between countries stay unresolved."""

from __future__ import annotations

import re
from datetime import date, timedelta

from hypermnesia.rules.time_intervals import Interval, day, easter, month, nth_weekday
from hypermnesia.rules.time_periods import by_tense, read_year, yearless
from hypermnesia.rules.time_reading import UNRESOLVED, Reading, Setting, UnknownTimeError, form
from hypermnesia.rules.time_words import IN_YEAR

_FIXED = {
    "christmas eve": (12, 24), "xmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25),
    "xmas": (12, 25), "boxing day": (12, 26), "new year's eve": (12, 31), "new years eve": (12, 31),
    "nye": (12, 31), "new year's day": (1, 1), "new years day": (1, 1), "new year's": (1, 1), "new years": (1, 1),
    "valentine's day": (2, 14), "valentines day": (2, 14), "valentine's": (2, 14), "halloween": (10, 31),
    "st patrick's day": (3, 17), "st. patrick's day": (3, 17), "saint patrick's day": (3, 17),
    "april fools' day": (4, 1), "april fool's day": (4, 1), "april fools day": (4, 1), "april fools": (4, 1),
    "juneteenth": (6, 19), "fourth of july": (7, 4), "independence day": (7, 4),
}  # fmt: skip
# Month, weekday (0 is Monday), which one of the month, days after it. Thanksgiving as in the United States.
_FLOATING = {
    "memorial day": (5, 0, -1, 0), "labor day": (9, 0, 1, 0), "thanksgiving day": (11, 3, 4, 0),
    "thanksgiving": (11, 3, 4, 0), "black friday": (11, 3, 4, 1), "cyber monday": (11, 3, 4, 4),
    "father's day": (6, 6, 3, 0), "fathers day": (6, 6, 3, 0),
}  # fmt: skip
_EASTER = {"good friday": -2, "easter sunday": 0, "easter monday": 1, "easter": 0}
_ELSEWHERE = "mother's day|mothers day|hanukkah|ramadan|diwali|passover|lunar new year|chinese new year"
_NAMES = "|".join(sorted([*_FIXED, *_FLOATING, *_EASTER], key=lambda n: (-len(n), n))).replace(" ", r"\s")
# "Christmas tree" is no time.
_NO_COMPOUND = (
    r"(?!'s| (?:tree|trees|presents?|gifts?|cards?|lights?|decor\w*|party|parties|dinner|movies?|songs?|carols?|"
    r"shopping|"
    r"cookies?|sweaters?|markets?|costumes?|candy|eggs?|bunny|deals?|sales?|music|spirit|ornaments?|village|resolutions?|"
    r"story|stories|stockings?|list)\b)"
)
_AT = r"\b(?:at|on|over|for|since|until|till|by|before|after|around|during|from|it's|was|is) "


def holiday(name: str, year: int) -> Interval:
    """The day of a named holiday in a year. Raises `KeyError` for a name that is none of ours."""
    if name in _FIXED:
        return day(date(year, *_FIXED[name]))
    if name in _FLOATING:
        number, weekday, nth, more = _FLOATING[name]
        return day(nth_weekday(month(year, number), weekday, nth) + timedelta(days=more))
    return day(easter(year) + timedelta(days=_EASTER[name]))


def _holiday(match: re.Match[str], setting: Setting) -> Reading:
    name = re.sub(r"\s", " ", match["name"].lower())
    of_any_year = yearless(match, setting, "day", *_FIXED[name]) if name in _FIXED else None
    try:
        year = read_year(match, setting)
        if year is not None:
            return Reading(holiday(name, year))
        near = range(setting.today.year - 2, setting.today.year + 3)
        return Reading(by_tense(match, setting, [holiday(name, y) for y in near]), yearless=of_any_year)
    except UnknownTimeError:
        return Reading(yearless=of_any_year)


def _unresolved(_: re.Match[str], __: Setting) -> Reading:
    return UNRESOLVED


_WHICH = r"(?:(?P<which>last|this past|past|this|next|this coming|coming|upcoming) )?"

NAMED_FORMS = (
    form("holiday", rf"\b{_WHICH}(?P<name>{_NAMES})(?!\w){IN_YEAR}", _holiday),
    form("holiday", rf"{_AT[:-1]}(?: the)? (?P<t>(?P<name>{_NAMES}))(?!\w){_NO_COMPOUND}", _holiday),
    form(
        "holiday",
        r"\b(?P<which>last|this past|past|this|next|this coming|coming|upcoming) "
        rf"(?P<name>{_NAMES})(?!\w){_NO_COMPOUND}",
        _holiday,
    ),
    form("holiday", rf"\b(?P<name>{_NAMES})(?!\w)(?= (?:was|is|will|went)\b|[.,;!?)]? ?$)", _holiday),
    form(
        "holiday",
        rf"\b(?:on|for|since|until|by|before|after|last|this|next|during|at) (?P<t>{_ELSEWHERE})\b",
        _unresolved,
    ),
)
