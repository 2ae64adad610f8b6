"""What is judged, and what a judgment says (notes: names, sections 1 and 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hypermnesia.contracts.answers import MergedType

Answer = Literal["same", "different", "unsure"]

# How much a rule's "same" is worth when clusters are made: decisions of people and models first, then equality of
# the key, then rules in the order of their evidence. Rules that are not named here are judged 0.
STRENGTHS: Mapping[str, int] = {
    "remembered:person": 100,
    "remembered:model": 60,
    "equal": 90,
    "fact:same_id": 85,
    "punct": 80,
    "joined_cjk": 78,
    "org:legal_suffix": 76,
    "person:diacritics": 75,
    "place:diacritics": 75,
    "person:title": 74,
    "person:nee": 73,
    "place:abbrev": 72,
    "place:region_abbrev": 72,
    "person:comma": 72,
    "person:middle_initial": 71,
    "org:article": 70,
    "person:translit": 69,
    "org:legal_suffix_single": 68,
    "org:abbrev": 66,
    "article": 64,
    "person:translit_loose": 63,
    "spelling": 40,
    "plural": 30,
    "fact:alias_stated": 20,
}


@dataclass(frozen=True, slots=True)
class Named:
    """A name with its anchor's type and facts: fact name (birth_date, phone, serial ...) to value or values."""

    name: str
    type: MergedType
    facts: Mapping[str, str | frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer, the rule that gave it, and the rule's strength (only a "same" has one above 0)."""

    answer: Answer
    rule: str
    strength: int = 0


def same(rule: str) -> Verdict:
    """The two names are one thing, by `rule`."""
    return Verdict("same", rule, STRENGTHS.get(rule, 0))


def different(rule: str) -> Verdict:
    """The two names are two things, by `rule`."""
    return Verdict("different", rule)


def unsure(rule: str) -> Verdict:
    """Strings cannot tell; `rule` says what was seen."""
    return Verdict("unsure", rule)


def is_compatible(verdict: Verdict) -> bool:
    """Whether the two may stand in one cluster: same, or a shorter or nearly equal form (`short:*`, `near:*`)."""
    return verdict.answer == "same" or (verdict.answer == "unsure" and verdict.rule.startswith(("short:", "near:")))
