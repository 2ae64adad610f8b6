"""Whom one mention of a bare first name means: a hypothesis about that mention, never a merge (notes: names, 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypermnesia.rules.name_nicknames import is_nickname
from hypermnesia.rules.name_person_parts import Person, person_of, plain

# Shares of right links in simulated users (notes: names, section 4): 40 people with namesakes; lower where another
# person of the user's memory fits the name as well, and for a nickname.
ALONE = 0.96
OTHERS_FIT = 0.92
BY_NICKNAME = 0.85


@dataclass(frozen=True, slots=True)
class MentionContext:
    """A mention's name, and the people (anchor id to name) named in its session and in all of the user's memory."""

    name: str
    in_session: Mapping[str, str]
    in_memory: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The anchor that a mention means, with a confidence; or no anchor, and the candidates (ids, sorted)."""

    anchor_id: str | None
    confidence: float
    candidates: tuple[str, ...]


def is_bare_name(name: str) -> bool:
    """Whether a person's name is one given name and nothing else."""
    person = person_of(name)
    return bool(person.given) and not person.family and person.relation is None


def link_bare_name(context: MentionContext) -> Hypothesis | None:
    """The one full name of the session that fits a bare name; None where the name is not bare.

    With no or several fitting names in the session the mention is unresolved, and all that fit are its candidates.
    """
    if not is_bare_name(context.name):
        return None
    bare = person_of(context.name)
    here = _fitting(bare, context.in_session)
    everywhere = _fitting(bare, {**context.in_memory, **context.in_session})
    candidates = tuple(sorted(everywhere))
    exact = [i for i, is_exact in here.items() if is_exact]
    if len(here) != 1:
        return Hypothesis(None, 0.0, candidates)
    (anchor_id,) = here
    if not exact:
        return Hypothesis(anchor_id, BY_NICKNAME, candidates)
    return Hypothesis(anchor_id, ALONE if len(everywhere) == 1 else OTHERS_FIT, candidates)


def _fitting(bare: Person, named: Mapping[str, str]) -> dict[str, bool]:
    """Anchors of full names that a bare name may mean, and whether the given name is equal (else a nickname)."""
    fitting: dict[str, bool] = {}
    for anchor_id, name in named.items():
        person = person_of(name)
        if not person.is_full or person.relation:
            continue
        given, said = plain(person.given), plain(bare.given)
        if given == said or is_nickname(given, said):
            fitting[anchor_id] = given == said
    return fitting
