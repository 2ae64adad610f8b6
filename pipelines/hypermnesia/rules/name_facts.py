"""What facts say about two names (notes: names, section 2, rules 7, 13 and 14)."""

from __future__ import annotations

from itertools import combinations

from hypermnesia.rules.anchor_keys import fold
from hypermnesia.rules.name_verdicts import Named, Verdict, different, same, unsure

# A thing has one of each. Values that differ are two things, an equal one is strong evidence.
OWN_IDENTIFIERS = ("birth_date", "national_id", "passport", "serial", "vin", "imei")
# Shared in a household, but not by two people of one name: a difference blocks, equality is a second identifier.
SHARED_IDENTIFIERS = ("phone",)
# A difference blocks (a paper and its reprint), equality says nothing.
BLOCKING_ATTRIBUTES = ("year", "published_year")
# Equality is a second identifier, a difference says nothing: people have several.
SUPPORTING = ("email", "address")

# Unsure for these reasons, two names and an identifier are one person; the near given name needs two (twins).
_ONE_IDENTIFIER = ("short:", "near:family", "swapped", "double_name")
_TWO_IDENTIFIERS = ("near:given",)
# An alias that somebody states beats rules that only say "another name".
_ALIAS_BEATS = ("person:family_differs", "person:given_differs", "place:name_differs")
_BARE = ("short:given_only", "short:family_only", "short:nickname_only", "short:initials", "bare")
_WHOLE_DATE = 8
_TELLING = 5


def values(named: Named, fact: str) -> frozenset[str]:
    """The values of one fact, letters and digits only (dates are ISO, so 1990-02-01 is 19900201)."""
    found = named.facts.get(fact)
    if found is None:
        return frozenset()
    written = (found,) if isinstance(found, str) else found
    return frozenset(filter(None, map(_signs, written)))


def _signs(value: str) -> str:
    return "".join(c for c in fold(value) if c.isalnum())


def conflict(a: Named, b: Named) -> Verdict | None:
    """Different by an identifier; unsure where one name's own values conflict: that anchor holds two (split it)."""
    for fact in (*OWN_IDENTIFIERS, *SHARED_IDENTIFIERS, *BLOCKING_ATTRIBUTES):
        left, right = values(a, fact), values(b, fact)
        if left and right and not any(agree(x, y) for x in left for y in right):
            return different(f"fact:{fact}")
    return unsure("fact:mixed_anchor") if _is_mixed(a) or _is_mixed(b) else None


def agree(a: str, b: str) -> bool:
    """Equal, or one says less: the year of a date, a phone number without its country."""
    short, long = sorted((_signs(a), _signs(b)), key=len)
    return short == long or (len(short) >= 4 and (long.startswith(short) or long.endswith(short)))


def _is_mixed(named: Named) -> bool:
    return bool(named.facts) and any(
        not agree(x, y) for fact in OWN_IDENTIFIERS for x, y in combinations(sorted(values(named, fact)), 2)
    )


def with_evidence(verdict: Verdict, a: Named, b: Named, *, alias_stated: bool, has_rival: bool) -> Verdict:
    """The names' verdict after facts that speak for "same"; never for a bare name."""
    if verdict.answer == "same" or verdict.rule.startswith(_BARE):
        return verdict
    if verdict.answer == "unsure":
        own = _n_equal(a, b, OWN_IDENTIFIERS)
        supporting = _n_equal(a, b, (*SHARED_IDENTIFIERS, *SUPPORTING))
        needed = 1 if verdict.rule.startswith(_ONE_IDENTIFIER) else 2 if verdict.rule in _TWO_IDENTIFIERS else 0
        if needed and own and own + supporting >= needed:
            return same("fact:same_id")
    if verdict.rule == "person:family_differs" and _n_equal(a, b, OWN_IDENTIFIERS):
        verdict = unsure("fact:identifier_against_name")  # a married name, or a name written badly
    if alias_stated and not has_rival and (verdict.answer == "unsure" or verdict.rule in _ALIAS_BEATS):
        return same("fact:alias_stated")
    return verdict


def _n_equal(a: Named, b: Named, facts: tuple[str, ...]) -> int:
    """How many of the facts are equal; a value that says little (a year of birth) is no evidence."""
    return sum(
        any(len(v) >= (_WHOLE_DATE if fact == "birth_date" else _TELLING) for v in values(a, fact) & values(b, fact))
        for fact in facts
    )
