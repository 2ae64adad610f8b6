"""What is said of a thing that tells it from another of its name: a birth date, a phone number (notes: names, 2)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypermnesia.rules.name_facts import BLOCKING_ATTRIBUTES, OWN_IDENTIFIERS, SHARED_IDENTIFIERS, SUPPORTING
from hypermnesia.rules.time_words import MONTHS

#: Predicates of stable facts whose value is one.
_PREDICATES = {"birthday": "birth_date"}
_FACTS = frozenset((*OWN_IDENTIFIERS, *SHARED_IDENTIFIERS, *BLOCKING_ATTRIBUTES, *SUPPORTING))
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")


@dataclass(frozen=True, slots=True)
class Stated:
    """One fact of one anchor, and the messages that state it."""

    fact: str
    value: str
    message_ids: frozenset[str]


def fact_of(name: str, value: str) -> tuple[str, str] | None:
    """(fact, value) of a predicate or attribute with its value as written; None where it tells nobody apart."""
    fact = _PREDICATES.get(name, name)
    if fact not in _FACTS:
        return None
    kept = _birth_date(value) if fact == "birth_date" else value.strip()
    return (fact, kept) if kept else None


def _birth_date(text: str) -> str | None:
    """An ISO date; "0503" where no year is said, "1990" where only the year is; None for "tomorrow"."""
    if match := _ISO.search(text):
        return match[0]
    words = [word.lower() for word in _WORDS.findall(text)]
    month = next((MONTHS[word] for word in words if word in MONTHS), None)
    day = next((int(word) for word in words if word.isdigit() and 1 <= int(word) <= 31), None)
    year = _YEAR.search(text)
    if month and day:
        return f"{year[0]}-{month:02}-{day:02}" if year else f"{month:02}{day:02}"
    return year[0] if year else None
