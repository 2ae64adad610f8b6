"""The string judge: are two names one thing, by strings and facts alone (notes: names).

It says "same" only after equality under a named transformation, "different" only where a difference is known to
matter, and "unsure" else: no threshold of similarity is right often enough. A verdict of strings is recomputed,
never remembered: what is remembered is what a person or a model said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from hypermnesia.rules import name_facts
from hypermnesia.rules.name_nouns import judge_nouns
from hypermnesia.rules.name_organizations import judge_organizations
from hypermnesia.rules.name_persons import judge_persons
from hypermnesia.rules.name_places import judge_places
from hypermnesia.rules.name_tokens import form_of
from hypermnesia.rules.name_verdicts import Named, Verdict, different, is_compatible, same, unsure

__all__ = ["RULES_VERSION", "Named", "Verdict", "accepts_at_write", "blocks_at_write", "is_compatible", "judge"]

# Part of every string decision: only the current version's decisions are in force (DESIGN 4).
RULES_VERSION = "names-1"

Judge = Callable[[str, str], Verdict]
_JUDGES: Mapping[str, Judge] = {
    "person": judge_persons,
    "organization": judge_organizations,
    "location": judge_places,
    "object": judge_nouns,
    "concept": judge_nouns,
}
# They hold only while nobody else fits (notes: names, rule 14 and section 6), or are the weakest of all (rule 12).
_NOT_AT_WRITE = frozenset(("fact:alias_stated", "spelling", "plural"))


def judge(
    a: Named,
    b: Named,
    *,
    remembered: tuple[Literal["same", "different"], Literal["person", "model"]] | None = None,
    are_side_by_side: bool = False,
    alias_stated: bool = False,
    has_rival: bool = False,
) -> Verdict:
    """Whether two names of one user are one thing; the order of `a` and `b` never matters.

    `remembered` is what a person or a model said of the pair, and by whom. `are_side_by_side`: one assertion names
    both as two participants. `alias_stated`: a source says that one is another name of the other; `has_rival`: a
    third anchor fits that name as well. Raises ValueError for an unknown type.
    """
    for named in (a, b):
        if named.type not in _JUDGES:
            raise ValueError(f"{named.type!r} is no anchor type: use one of {', '.join(_JUDGES)}")
    if remembered is not None:
        answer, who = remembered
        return same(f"remembered:{who}") if answer == "same" else different(f"remembered:{who}")
    if a.type != b.type:
        return different("type")
    if b.name < a.name:
        a, b = b, a
    verdict = name_facts.conflict(a, b)
    if verdict is not None:
        return verdict
    if are_side_by_side and not alias_stated and form_of(a.name).key != form_of(b.name).key:
        return different("fact:side_by_side")
    verdict = _of_names(a, b)
    return name_facts.with_evidence(verdict, a, b, alias_stated=alias_stated, has_rival=has_rival)


def _of_names(a: Named, b: Named) -> Verdict:
    key_a, key_b = form_of(a.name).key, form_of(b.name).key
    if not (any(map(str.isalnum, key_a)) and any(map(str.isalnum, key_b))):
        return unsure("no_letter_or_digit")
    return same("equal") if key_a == key_b else _JUDGES[a.type](a.name, b.name)


def accepts_at_write(verdict: Verdict) -> bool:
    """Whether a new name may be attached to an existing anchor while writing: the rules that need no look around."""
    return verdict.answer == "same" and verdict.rule not in _NOT_AT_WRITE


def blocks_at_write(verdict: Verdict) -> bool:
    """Whether a pair must not even be shown to a model judge."""
    return verdict.answer == "different"
