"""Forms of what recurs ("every Friday", "on weekends", "twice a week"): it tells no time of one event."""

from __future__ import annotations

import re

from hypermnesia.rules.time_reading import Reading, Setting, form
from hypermnesia.rules.time_words import MONTH_NAMES, NUMBERS, PART_OF_DAY, WEEKDAY_NAMES, WEEKDAYS, any_of


def _recurring(_: re.Match[str], __: Setting) -> Reading:
    return Reading(is_recurring=True)


_FULL = any_of(WEEKDAY_NAMES)
_COUNT = rf"(?:[0-9]{{1,3}}|{any_of(NUMBERS)})"
_PERIOD = (
    rf"(?:{any_of(WEEKDAYS)}|day|night|week|weekend|weekday|month|year|morning|evening|afternoon|summer|winter|spring|"
    r"fall|autumn|christmas|halloween|thanksgiving|easter|new year's eve|fourth of july)"
)
_PER = "(?:day|week|month|year|night|weekend)"

RECURRING_FORMS = (
    form(
        "recurring",
        rf"\b(?:every|each) (?:other |second |single |few |{_COUNT} )?(?:{_PERIOD}|{any_of(MONTH_NAMES)})s?\b"
        rf"(?: {PART_OF_DAY}s?)?(?: (?:and|or) (?:{_FULL}))?(?!-)",
        _recurring,
    ),
    form("weekday", rf"\b(?:(?:on|most|some) )?(?P<t>(?:{_FULL})s)\b(?!'| ago\b)", _recurring),
    form("weekday", rf"\b(?:{_FULL}) (?:mornings|afternoons|evenings|nights)\b", _recurring),
    form(
        "recurring",
        r"\b(?:on |at |most |during )?(?P<t>(?:the )?(?:weekends|weekdays|weeknights))\b(?! (?:ago|from)\b)",
        _recurring,
    ),
    form(
        "recurring",
        rf"\b(?:once|twice|(?:{_COUNT}|a few|several|a couple of|couple) times|{_COUNT} days) "
        rf"(?:a|an|per|each|every) {_PER}\b",
        _recurring,
    ),
    form("recurring", r"\b(?:daily|weekly|monthly|yearly|annually|biweekly|fortnightly|nightly)\b", _recurring),
    form("recurring", r"\b(?:in the|most) (?:mornings|evenings|afternoons)\b", _recurring),
)
