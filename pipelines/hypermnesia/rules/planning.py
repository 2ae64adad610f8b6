"""A question to a plan, deterministically: what kind of answer it wants, how many rows, which dates it asks about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from hypermnesia.rules.asked_dates import AskedDate, asked_dates, nearness
from hypermnesia.rules.decomposition import parts

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
    r"|\b(?:what|which)(?: (?!is|was|does|did|has|do|have)[\w+'\u2019-]+){0,2}? (?!is\b|was\b|does\b|has\b)"
    r"\w{2,}(?<![sui])s\b"
    r"|\bwho (?:are|were|else)\b|\bwhere (?:has|have|all)\b",
    re.IGNORECASE,
)
# Wording of habits, of what has added up, of how something went on, and of what somebody is like: the answer may be
# spread over a life, although one thing is asked for.
_SPREAD = re.compile(
    r"\b(?:what|how) (?:do|does)\b|\b(?:has|have)\b(?! to)|\b(?:usually|often)\b|\bways?\b"
    r"|\bwhat (?:activit|hobb|kind|type|sort)"
    r"|\bwhat (?:happened (?:to|with)|became of)\b|\b(?:story|history|course) of\b|\bexamples? of\b"
    r"|\bhow (?:did|was|were)\b.*\b(?:go|end|change|develop|grow|increase|improve|compare|come|get on"
    r"|handled|settled)\b"
    r"|\b(?:known|said|told) about\b|\bwhat (?:is|was|are|were)\b.*\blike\b|\bwho in\b"
    r"|^(?:would|could|might|can|is|are|does|do)\b|\blikely\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b(?:when|how long|(?:what|which) (?:exact )?(?:day|date|month|year|week))\b", re.IGNORECASE)
_PLACE = re.compile(
    r"\bwhere\b|\b(?:what|which) (?:\w+ )?(?:city|cities|country|countries|places?|states?|towns?|locations?|areas?)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\bwhom?\b", re.IGNORECASE)
_NUMBER = re.compile(r"\bhow (?:many|much|often|old)\b", re.IGNORECASE)
_TITLE = re.compile(
    r"\b(?:what|which)(?: [\w'-]+){0,2}? "
    r"(?:books?|novels?|stor(?:y|ies)|poems?|movies?|films?|shows?|series|songs?|albums?|plays|musicals?)\b"
    r"|\b(?:title|name) of (?:the|a|an|his|her|their) (?:\w+ )?"
    r"(?:book|novel|story|poem|movie|film|show|song|album|play)\b",
    re.IGNORECASE,
)
_ANSWERS = (("time", _TIME), ("place", _PLACE), ("person", _PERSON), ("number", _NUMBER), ("title", _TITLE))

# How much lower a row's chance may be where several rows answer (retrieval.md, step 8).
SEVERAL, SPREAD = 2.0, 1.5

_TWO_NAMES = re.compile(r"\b[^\W\d_a-z]\w+ (?:and|&|und|et|y|e) [^\W\d_a-z]\w+")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question asks for; `n_rows` is the sum of both columns of the budgets.

    `answer` is the kind of the answer: time, place, person, number, title, or "" for any. `breadth` is 1 for an
    answer that one row gives, more where several do. `parts` are the questions that it is made of, if several.
    """

    operation: str
    dates: tuple[AskedDate, ...]
    answer: str = ""
    breadth: float = 1.0
    parts: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Rows of the `default` profile, in the mean."""
        return sum(BUDGETS[self.operation])

    @property
    def budgets(self) -> tuple[int, int]:
        """Base rows and relation-cited rows of the `papers` profile, for each memory type."""
        return BUDGETS[self.operation]

    def date_nearness(self, start: str, end: str | None) -> float:
        """How near a civil ISO interval is to the nearest date that is asked about, 0 to 1; 0 where none is."""
        first, last = date.fromisoformat(start[:10]), date.fromisoformat((end or start)[:10])
        return max((nearness(asked, first, last) for asked in self.dates), default=0.0)


def plan(question: str, today: date | None = None) -> Plan:
    """The plan of a question; relative dates ("last week") count from `today` and are dropped without it."""
    asked = operation(question)
    dates, kind, several = asked_dates(question, today), answer_kind(question), parts(question)
    return Plan(asked, dates, kind, _breadth(asked, question, len(several)), several)


def answer_kind(question: str) -> str:
    """time, place, person, number or title by the question's wording; "" where it names none."""
    return next((kind for kind, wording in _ANSWERS if wording.search(question)), "")


def _breadth(asked: str, question: str, n_parts: int) -> float:
    if n_parts or asked in {"union list", "intersection", "count"}:
        return SEVERAL
    return SPREAD if asked == "single value" and _SPREAD.search(question) else 1.0


def operation(question: str) -> str:
    """One of the five operations, by the question's wording; "single value" where nothing else is said."""
    if _COUNT.search(question):
        return "count"
    if _TEMPORAL.search(question):
        return "temporal"
    if _SHARED.search(question) and _TWO_NAMES.search(question):
        return "intersection"
    return "union list" if _LIST.search(question) else "single value"
