"""The head of a WhatsApp message, in the ways that phones write it, and which number is the day.

The order of day, month and year is the whole file's: the reading under which fewest dates are impossible (a
number over 12 is no month), then under which time runs backward least often. Points and dashes write the day
first. Where both readings stay possible, a file written as American phones do (1/31/23, 9:05 AM: no zeros in
front, two digits of year, AM or PM) is read month first, any other day first, and `is_sure` is False.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, time

from hypermnesia.archives.whatsapp_words import MARKS

#: Which of the three numbers are year, month and day.
ORDERS = {"day/month/year": (2, 1, 0), "month/day/year": (2, 0, 1), "year/month/day": (0, 1, 2)}
DAY_FIRST, MONTH_FIRST = "day/month/year", "month/day/year"

_LATE = {"pm", "م", "μμ", "下午", "오후", "午後", "nachm", "ös", "du", "em"}
_HALF = r"[ap]\.?\s?m\.?|[صم]|[πμ]\.?\s?μ\.?|上午|下午|오전|오후|午前|午後|vorm\.?|nachm\.?|öö|ös|d[eu]\.|[fe]m"
_HEADER = re.compile(
    rf"[{MARKS}]*(?P<open>\[)?(?P<written>[{MARKS}]*"
    r"(?P<a>\d{1,4})(?P<mark>[./-])\s?(?P<b>\d{1,2})(?P=mark)\s?(?P<c>\d{1,4})\.?"
    rf"(?P<comma>[,،])?[{MARKS}]*\s+(?:(?:um|kl\.?|klo|at|às|à|a las|alle|om|o)\s)?"
    rf"(?:(?P<early>{_HALF})\s?)?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?"
    rf"(?:\s?(?P<late>{_HALF}))?(?:\s(?:Uhr|h))?[{MARKS}]*)"
    r"(?(open)\]\s?|\s[-–—](?:\s|$))(?P<body>.*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Header:
    """A message's first line, taken apart: its style, the time as written, and what stands behind."""

    style: tuple[bool, str]
    written: str
    numbers: tuple[str, str, str]
    half: str
    clock: tuple[int, int, int]
    body: str
    has_comma: bool

    def local(self, order: str) -> str | None:
        """The civil ISO time under an order of the numbers, None for a time that there is not."""
        day = date_of(self.numbers, order)
        hour, minute, second = self.clock
        if self.half and hour <= 12:
            is_late = re.sub(r"[.\s]", "", self.half).lower() in _LATE
            hour = hour % 12 + (12 if is_late else 0)
        if day is None or hour > 23 or minute > 59 or second > 59:
            return None
        return f"{day.isoformat()}T{time(hour, minute, second).isoformat()}"


def header_of(line: str, style: tuple[bool, str] | None = None) -> Header | None:
    """The head of a message that a line begins, None for one that begins none, or in another style."""
    found = _HEADER.match(line.rstrip("\r\n"))
    if not found:
        return None
    header = Header(
        style=(bool(found["open"]), found["mark"]),
        written=found["written"].strip(),
        numbers=(found["a"], found["b"], found["c"]),
        half=found["early"] or found["late"] or "",
        clock=(int(found["hour"]), int(found["minute"]), int(found["second"] or 0)),
        body=found["body"],
        has_comma=bool(found["comma"]),
    )
    return header if style in (None, header.style) else None


def date_of(numbers: tuple[str, str, str], order: str) -> date | None:
    """The date under an order; None where there is none, or where there was no WhatsApp yet."""
    year_at, month_at, day_at = ORDERS[order]
    written = numbers[year_at]
    year = int(written) + (2000 if len(written) == 2 else 0)
    try:
        return date(year, int(numbers[month_at]), int(numbers[day_at])) if 2009 <= year <= 2100 else None
    except ValueError:
        return None


@dataclass(slots=True)
class _Reading:
    n_impossible: int = 0
    n_backward: int = 0
    last: date | None = None

    def add(self, day: date | None) -> None:
        if day is None:
            self.n_impossible += 1
            return
        self.n_backward += self.last is not None and day < self.last
        self.last = day


@dataclass(slots=True)
class Survey:
    """What a whole file says of its dates, in constant memory."""

    style: tuple[bool, str] | None = None
    readings: dict[str, _Reading] = field(default_factory=lambda: {order: _Reading() for order in ORDERS})
    is_double: bool = False  # some date is another one under each order
    is_american: bool = True

    def add(self, header: Header) -> None:
        """Takes a message's head into account."""
        self.style = self.style or header.style
        days = {order: date_of(header.numbers, order) for order in ORDERS}
        for order, day in days.items():
            self.readings[order].add(day)
        self.is_double |= days[DAY_FIRST] != days[MONTH_FIRST]
        a, b, c = header.numbers
        self.is_american &= header.half in ("AM", "PM") and len(c) == 2 and not (a + "/" + b).startswith("0")
        self.is_american &= not b.startswith("0")

    def decide(self) -> tuple[str, bool]:
        """(order, is_sure)."""
        scores = {order: (r.n_impossible, r.n_backward) for order, r in self.readings.items()}
        best = min(scores, key=lambda order: scores[order])  # the first of equal ones: in `ORDERS`' order
        is_tie = scores[DAY_FIRST] == scores[MONTH_FIRST] == scores[best] and self.is_double
        if not is_tie or (self.style and self.style[1] != "/"):
            return best, True
        return (MONTH_FIRST if self.is_american else DAY_FIRST), False


def survey(lines: Iterable[tuple[int, str | None, str]]) -> Survey:
    """The survey of a file's lines; only heads in the style of the first one count."""
    found = Survey()
    for _, line, _ in lines:
        header = header_of(line, found.style) if line else None
        if header:
            found.add(header)
    return found
