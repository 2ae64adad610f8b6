"""The days a question asks about, and how near a day is to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS_IN_ORDER = "january february march april may june july august september october november december"
MONTH_NAMES = tuple(_MONTHS_IN_ORDER.split())
_MONTHS = {form: i for i, name in enumerate(MONTH_NAMES, 1) for form in (name, name[:3], name[:4])} | {"sept": 9}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=lambda m: (-len(m), m))) + r")\.?"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"

# First match wins at each place of the question, so a whole date comes before its parts.
_FORMS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_YEAR}-(?P<month>0[1-9]|1[0-2])-{_DAY}\b",
        rf"\b{_YEAR}-(?P<month>0[1-9]|1[0-2])\b",
        rf"\b{_DAY}(?: of)? {_MONTH},? {_YEAR}\b",
        rf"\b{_MONTH} {_DAY},? {_YEAR}\b",
        rf"\b{_DAY}(?: of)? {_MONTH}\b",
        rf"\b{_MONTH} {_DAY}\b",
        rf"\b{_MONTH}(?: of|,)? {_YEAR}\b",
        rf"\b(?P<season>spring|summer|autumn|fall|winter)(?: of|,)? {_YEAR}\b",
        rf"\b(?:in|during|of|since|until|by|late|early|mid|last|this|next)[ -]{_MONTH}\b",
        r"\b(?:in|during|of|last|this|next) (?:the )?(?P<season>spring|summer|autumn|fall|winter)\b",
        rf"(?<![\d$€£#.,-]){_YEAR}(?![\d%.,-]\d|%)\b",
    )
]
_RELATIVE = re.compile(
    r"\b(?:(?P<named>yesterday|today|tonight|last night)"
    r"|(?P<which>last|past|previous|this) (?P<unit>week|weekend|month|year)"
    r"|(?P<n>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten) (?P<units>day|week|month|year)s? ago)\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = "one two three four five six seven eight nine ten"
_NUMBERS = {"a": 1, "an": 1} | {word: i for i, word in enumerate(_NUMBER_WORDS.split(), 1)}
_UNIT_DAYS = {"day": 1, "week": 7, "weekend": 7, "month": 30, "year": 365}


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
    """1 for a day in the asked interval (.3 in an asked year, which says little), .5 just outside, else 0."""
    inside = 0.3 if asked.precision == "year" else 1.0
    spans = [span for year in (day.year - 1, day.year, day.year + 1) if (span := asked.interval(year))]
    distance = min((max((first - day).days, (day - last).days, 0) for first, last in spans), default=None)
    if distance is None or distance > _REACH[asked.precision]:
        return 0.0
    return 0.5 if distance else inside


def asked_dates(question: str, today: date | None) -> tuple[AskedDate, ...]:
    """Dates named in an English question, in its order; relative ones only where `today`, its own day, is given."""
    found = sorted([*_explicit(question), *(_relative(question, today) if today else ())], key=lambda p: p[0])
    return tuple(asked for _, asked in found)


def _explicit(question: str) -> Iterator[tuple[int, AskedDate]]:
    rest = question
    for form in _FORMS:
        for match in form.finditer(rest):
            part = match.groupdict()
            if (month := part.get("month")) is not None:
                number: int | None = int(month) if month.isdigit() else _MONTHS[month.lower()]
            else:
                number = _SEASONS[part["season"].lower()] if part.get("season") else None
            year = int(part["year"]) if part.get("year") else None
            day = int(part["day"]) if part.get("day") else None
            precision = "season" if part.get("season") else "day" if day else "month" if number else "year"
            yield match.start(), AskedDate(precision, year, number, day)
        rest = form.sub(lambda m: "\0" * len(m.group()), rest)


def _relative(question: str, today: date) -> Iterator[tuple[int, AskedDate]]:
    for match in _RELATIVE.finditer(question):
        if named := match["named"]:
            day = today - timedelta(days=0 if named.lower() in {"today", "tonight"} else 1)
            yield match.start(), AskedDate("day", start=day, end=day)
            continue
        unit = (match["unit"] or match["units"]).lower()
        days = _UNIT_DAYS[unit]
        if match["n"]:
            n = int(match["n"]) if match["n"].isdigit() else _NUMBERS[match["n"].lower()]
            if n * days >= today.toordinal():
                continue
            day = today - timedelta(days=n * days)
            yield match.start(), AskedDate("week" if unit == "weekend" else unit, start=day, end=day)
        else:
            yield match.start(), _calendar(unit, today, is_this=match["which"].lower() == "this")


def _calendar(unit: str, today: date, *, is_this: bool) -> AskedDate:
    """The calendar week, month or year of `today`, or the one before it."""
    if unit == "year":
        return AskedDate("year", today.year - (not is_this))
    if unit == "month":
        inside = today if is_this else today.replace(day=1) - timedelta(days=1)
        return AskedDate("month", inside.year, inside.month)
    monday = today - timedelta(days=today.weekday() + (0 if is_this else 7))
    first = monday + timedelta(days=5) if unit == "weekend" else monday
    return AskedDate("week", start=first, end=monday + timedelta(days=6))


def _last_day(year: int, month: int, n_months: int) -> date:
    """The last day of a span of months that starts with `month`."""
    index = year * 12 + month - 1 + n_months
    return date(index // 12, index % 12 + 1, 1) - timedelta(days=1)
