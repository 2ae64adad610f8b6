"""Forms that count from the message's own day: yesterday, last week, two months ago, this weekend, next Friday."""

from __future__ import annotations

import re
from datetime import timedelta

from hypermnesia.rules.time_counting import back, counted, read_amount, unit_at, until_now, weekday_after
from hypermnesia.rules.time_intervals import (
    around,
    day,
    days,
    week_of,
    weekend_of,
)
from hypermnesia.rules.time_reading import UNRESOLVED, Reading, Setting, Shift, form
from hypermnesia.rules.time_words import (
    AMOUNT,
    PART_OF_DAY,
    UNIT,
    VAGUE,
    VAGUELY,
    WEEKDAY_NAMES,
    WEEKDAYS,
    any_of,
    number,
)

_LAST = frozenset({"last", "past", "this past", "previous"})
_DAYS = {"yesterday": -1, "yday": -1, "last": -1, "today": 0, "tonight": 0, "tonite": 0, "this": 0}


def _named_day(match: re.Match[str], setting: Setting) -> Reading:
    shift = _DAYS.get(match["word"].lower(), 1)
    return Reading(day(setting.today + timedelta(days=shift)))


def _two_days(match: re.Match[str], setting: Setting) -> Reading:
    return Reading(day(setting.today + timedelta(days=2 if match["after"] else -2)))


def _other_day(_: re.Match[str], setting: Setting) -> Reading:
    return Reading(days(setting.today - timedelta(days=7), setting.today - timedelta(days=1), "week"))


def _before_last(match: re.Match[str], setting: Setting) -> Reading:
    n, what = (2, match["next"]) if match["next"] else (-2, match["last"])
    if what.lower() in WEEKDAYS:
        today, weekday = setting.today, WEEKDAYS[what.lower()]
        return Reading(day(weekday_after(today, weekday, 1 if n > 0 else -1) + timedelta(days=7 if n > 0 else -7)))
    return Reading(unit_at(what.lower(), setting.today, n))


def _which_unit(match: re.Match[str], setting: Setting) -> Reading:
    """ "last week" is the week of the calendar, "the last week" and "the past week" are the seven days up to now."""
    which, unit, today = match["which"].lower(), match["unit"].lower().replace("yr", "year"), setting.today
    is_last, is_this = which in _LAST, which == "this"
    is_rolling = "past" in which or (match["the"] and which in {"last", "next", "coming"})
    if unit == "weekend" or not is_rolling:
        n = 0 if is_this or (which == "this coming" and unit == "weekend") else -1 if is_last else 1
        if is_this and unit == "weekend" and today.weekday() < 5 and not setting.is_future(match, default=True):
            n = -1  # "this weekend was great", said on Monday
        return Reading(unit_at(unit, today, n))
    if is_last:
        return Reading(days(back(unit, 1, today), today, unit))
    return Reading(days(today, back(unit, -1, today), unit))


def _this_unit(match: re.Match[str], setting: Setting) -> Reading:
    return Reading(unit_at(match["unit"].lower(), setting.today, 0))


def _last_units(match: re.Match[str], setting: Setting) -> Reading:
    unit, _, high = read_amount(match)
    if unit == "weekend":
        return UNRESOLVED
    is_vague = not match["n"]
    precision = {"day": "week", "decade": "year", "week": "month" if is_vague else "week"}.get(unit, unit)
    today = setting.today
    if match["which"].lower() in _LAST:
        return Reading(days(back(unit, high, today), today, precision))
    return Reading(days(today, back(unit, -high, today), precision))


def _ago(match: re.Match[str], setting: Setting) -> Reading:
    """ "over a year ago" is before that time, "less than a week ago" between it and now."""
    unit, low, high = read_amount(match)
    if unit == "weekend":
        return Reading(weekend_of(setting.today, -low)) if low == high else UNRESOLVED
    how = (match["how"] or "").lower()
    interval = counted(unit, -high, -low, setting.today)
    if how in {"over", "more than", "at least"}:
        return Reading(interval, "before")
    if how in {"less than", "under"}:
        return Reading(days(interval.first, setting.today, interval.precision))
    if how and interval.is_day:
        return Reading(around(interval.first, 3, "week"))
    return Reading(interval)


def _unresolved(_: re.Match[str], __: Setting) -> Reading:
    return UNRESOLVED


def _half_year_ago(_: re.Match[str], setting: Setting) -> Reading:
    return Reading(counted("month", -6, -6, setting.today))


def _moment_ago(match: re.Match[str], setting: Setting) -> Reading:
    """Hours and minutes ago: the day on which that was."""
    if (said := setting.said) is None:
        return UNRESOLVED
    n = VAGUE[match["vague"].lower()][0] if match["vague"] else number(match["n"])
    hours = n if match["small"].lower().startswith("h") else n / 60
    return Reading(day((said - timedelta(hours=hours)).date()))


# "haven't talked in a few days"
_NOT_YET = re.compile(r"\b(?:haven't|hasn't|have not|has not|have never|has never)\b[^.!?\n]*$", re.IGNORECASE)


def _ahead(match: re.Match[str], setting: Setting) -> Reading:
    """ "in two weeks" is ahead, unless it tells how long something took ("did it in two weeks")."""
    if match.groupdict().get("into") and not setting.is_future(match, default=True):
        is_since = _NOT_YET.search(setting.text, max(0, match.start() - 60), match.start())
        return Reading(until_now(match, setting.today), "for") if is_since else UNRESOLVED
    unit, low, high = read_amount(match)
    if unit == "weekend":
        return Reading(weekend_of(setting.today, low)) if low == high else UNRESOLVED
    return Reading(counted(unit, low, high, setting.today))


def _weekday(match: re.Match[str], setting: Setting) -> Reading:
    """ "last" is the nearest one before, "next" that of the next calendar week, "this" that of the current one."""
    weekday, today = WEEKDAYS[match["wd"].lower()], setting.today
    which = (match["which"] or "").lower()
    if which in _LAST:
        return Reading(day(weekday_after(today, weekday, -1)))
    if which == "next":
        return Reading(day(week_of(today, 1).first + timedelta(days=weekday)))
    if "coming" in which:
        return Reading(day(weekday_after(today, weekday, 1)))
    is_future = setting.is_future(match, default=which == "this")
    found = week_of(today).first + timedelta(days=weekday)
    if which == "this":
        if found < today and is_future:
            return Reading(day(found + timedelta(days=7)))
        return Reading(day(found if found <= today or is_future else found - timedelta(days=7)))
    if found == today and match["part"] and match["part"].lower() in {"night", "evening"} and is_future:
        return Reading(day(today))
    return Reading(day(weekday_after(today, weekday, 1 if is_future else -1)))


def _weekdays_ago(match: re.Match[str], setting: Setting) -> Reading:
    nearest = weekday_after(setting.today, WEEKDAYS[match["wd"].lower()], -1)
    return Reading(day(nearest - timedelta(days=7 * (number(match["n"]) - 1))))


def _short_weekday(match: re.Match[str], setting: Setting) -> Reading | None:
    return _weekday(match, setting) if match["wd"][0].isupper() else None


def _weekend(match: re.Match[str], setting: Setting) -> Reading:
    """The weekend that is over, or on; the coming one where the sentence speaks of what is to come."""
    today = setting.today
    if setting.is_future(match):
        return Reading(weekend_of(today))
    return Reading(weekend_of(today, 0 if today.weekday() >= 5 else -1))


def _shift(match: re.Match[str], _: Setting) -> Reading:
    """ "the week before", "two days after", "the next day": counted from another time of the text."""
    parts = match.groupdict()
    what = (parts.get("unit") or parts.get("wd") or parts.get("part") or "").lower()
    is_back = (parts.get("side") or "").lower() in {"before", "previous", "prior to", "prior", "earlier", "preceding"}
    n = number(parts["n"]) if parts.get("n") else 1
    unit = {"yr": "year", "night": "day", "morning": "day", "evening": "day", "afternoon": "day"}.get(what, what)
    unit, n = ("week", 2 * n) if unit == "fortnight" else (unit, n)
    return Reading(shift=Shift(unit, -n if is_back else n, is_next_to=parts.get("n") is None))


_FULL = any_of(WEEKDAY_NAMES)
_SHORT = any_of([w for w in WEEKDAYS if w not in WEEKDAY_NAMES])
_NAMED = "yesterday|yday|today|tonight|tonite|tomorrow|tmrw|tmr|tommorow|tomorow"
_WHICH = "(?P<which>last|past|this past|this coming|this|next|coming|upcoming|previous)"
_SMALL = "(?P<small>hours?|hrs?|minutes?|mins?)"
_HOW = (
    r"(?:(?P<how>over|more than|at least|less than|under|about|around|roughly|approximately|almost|nearly|like|maybe|"
    r"just)\s)?"
)
_MANY = rf"(?:{VAGUELY}|{AMOUNT})(?P<half> and a half)?\s(?:short |long |whole )?{UNIT}s?(?P<half2> and a half)?"
_NOT_OF = "(?! of\\b(?! (?:this|last|next) ))"
_PART = rf"(?: (?P<part>{PART_OF_DAY}))?\b"
_NO_TRIP = r"(?! (?:of|getaway|trip|warrior|bag|edition|vibes)\b)"

RELATIVE_FORMS = (
    form(
        "unit part",
        r"\bthe (?:day|night|evening|morning) (?:before (?:yesterday|last)|(?P<after>after tomorrow))\b",
        _two_days,
    ),
    form("named", rf"\b(?:(?:earlier|later|early|late) )?(?P<word>{_NAMED}){_PART}", _named_day),
    form("part", r"\b(?P<word>last|this) (?:night|evening|morning|afternoon)\b", _named_day),
    form("unit part", r"\bthe other (?:day|night|evening|morning|afternoon|week)\b", _other_day),
    form(
        "unit weekday",
        rf"\bthe (?:(?P<last>{_FULL}|week|weekend|month|year) before last|"
        rf"(?P<next>{_FULL}|week|weekend|month|year) after next)\b",
        _before_last,
    ),
    form(
        "unit part weekday",
        rf"\bthe (?:(?P<wd>{_FULL})|(?P<unit>day|week|weekend|month|year)|(?P<part>night|morning|evening|afternoon)) "
        r"(?P<side>before|after|prior to|prior)\b",
        _shift,
    ),
    form(
        "unit part",
        r"\bthe (?P<side>next|following|previous|preceding) "
        r"(?:(?P<unit>day|weekend)|(?P<part>morning|night|evening))\b",
        _shift,
    ),
    form("unit", r"\bthe (?P<side>following|previous|preceding) (?P<unit>week|month|year)\b", _shift),
    form("unit", r"\bhalf (?:a )?year ago\b", _half_year_ago),
    form("unit", rf"\b{_HOW}{_MANY} (?:ago|back(?! (?:to|in|from|at|home)\b))\b", _ago),
    form("unit", rf"\b{_HOW}(?:{VAGUELY}|{AMOUNT}) {_SMALL} ago\b", _moment_ago),
    form(
        "ago",
        r"\b(?:a while|a long time|some time|(?:not )?(?:so |too |that )?long|ages|(?:many )?years|months|"
        r"weeks|days) ago\b",
        _unresolved,
    ),
    form("unit", rf"\b{_MANY} from (?:now|today)\b", _ahead),
    form(
        "unit",
        rf"\b(?P<into>in) (?P<t>(?:about |around |like |just )?{_MANY})\b(?:'s?)?(?: time)?(?! of\b| old\b)",
        _ahead,
    ),
    form(
        "unit",
        rf"\b(?:the |these )?(?P<which>last|past|next|coming|previous) (?:(?:{VAGUELY}|{AMOUNT}) )?{UNIT}s\b(?! of\b)",
        _last_units,
    ),
    form(
        "unit",
        r"\b(?P<the>the )?(?P<which>last|past|this past|this coming|this|next|coming|upcoming) "
        rf"(?:long )?(?P<unit>week|weekend|month|year|decade)\b(?!-){_NOT_OF}",
        _which_unit,
    ),
    form("unit", r"\b(?:end|beginning|start|middle) of (?P<t>the (?P<unit>week|month|year))\b", _this_unit),
    form("unit", rf"\b{AMOUNT} {UNIT}s? (?P<side>before|after|later|earlier|prior to|prior)\b", _shift),
    form("weekday", rf"\b{AMOUNT} (?P<wd>{_FULL})s ago\b", _weekdays_ago),
    form("weekday", rf"\b(?:(?:the )?{_WHICH} )?(?P<wd>{_FULL}){_PART}", _weekday),
    form("weekday", rf"\b(?:the )?{_WHICH} (?P<wd>{_SHORT})\b\.?{_PART}", _short_weekday),
    form(
        "weekday",
        rf"\b(?:on|by|until|since|and|or) (?P<t>(?P<which>(?!))?(?P<wd>{_SHORT})\b\.?{_PART})",
        _short_weekday,
    ),
    form("unit", rf"\b(?:all|(?:over |at |during |for )?the) weekend\b{_NO_TRIP}", _weekend),
)
