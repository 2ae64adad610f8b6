"""A question to a plan, deterministically: what kind of answer it wants, how many rows, which dates it asks about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from hypermnesia.rules.asked_dates import AskedDate, asked_dates, nearness

# Rows by operation, base and relation-cited (DESIGN 7).
BUDGETS: dict[str, tuple[int, int]] = {
    "single value": (6, 4),
    "temporal": (6, 6),
    "intersection": (7, 7),
    "union list": (7, 9),
    "count": (8, 12),
}

_COUNT = re.compile(r"\bhow (?:many|much|often)\b|\bnumber of\b|\bcount\b", re.IGNORECASE)
_TEMPORAL = re.compile(
    r"\b(?:when|how long|how old|since when|until when|what time)\b"
    r"|\b(?:what|which|on what|in which) (?:exact )?(?:date|day|week|weekend|month|year|season|weekday)\b",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"\b(?:both|in common|shared?|mutual|alike|each other|as well as|the same|together)\b", re.IGNORECASE
)
_LIST = re.compile(
    r"\b(?:list|all|every|various|different|other) \w+|\b(?:what|which) (?:are|were)\b"
    r"|\b(?:what|which)(?: \w+){0,2}? (?:kinds?|types?|sorts?) of\b"
    # "which two cities": a plural right behind the question word; not "does", "class", "bus" or "tennis".
    r"|\b(?:what|which)(?: (?!is|was|does|did|has|do|have)\w+){0,2}? (?!is\b|was\b|does\b|has\b)\w{2,}(?<![sui])s\b"
    r"|\bwho (?:are|were|else)\b|\bwhere (?:has|have|all)\b",
    re.IGNORECASE,
)
_TWO_NAMES = re.compile(r"\b[^\W\d_a-z]\w+ (?:and|&|und|et|y|e) [^\W\d_a-z]\w+")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question asks for; `n_rows` is the sum of both columns of the budgets."""

    operation: str
    dates: tuple[AskedDate, ...]

    @property
    def n_rows(self) -> int:
        """Rows of the `default` profile."""
        return sum(BUDGETS[self.operation])

    @property
    def budgets(self) -> tuple[int, int]:
        """Base rows and relation-cited rows of the `papers` profile, for each memory type."""
        return BUDGETS[self.operation]

    def date_nearness(self, day: str) -> float:
        """How near a civil ISO day is to the nearest date that is asked about, 0 to 1; 0 where none is."""
        return max((nearness(asked, date.fromisoformat(day[:10])) for asked in self.dates), default=0.0)


def plan(question: str, today: date | None = None) -> Plan:
    """The plan of a question; relative dates ("last week") count from `today` and are dropped without it."""
    return Plan(operation(question), asked_dates(question, today))


def operation(question: str) -> str:
    """One of the five operations, by the question's wording; "single value" where nothing else is said."""
    if _COUNT.search(question):
        return "count"
    if _TEMPORAL.search(question):
        return "temporal"
    if _SHARED.search(question) and _TWO_NAMES.search(question):
        return "intersection"
    return "union list" if _LIST.search(question) else "single value"
