"""Dividing an anchor that holds two of one name, by facts that only one of them can have (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hypermnesia.rules.name_facts import OWN_IDENTIFIERS, agree
from hypermnesia.rules.stated_facts import Stated


@dataclass(frozen=True, slots=True)
class Place:
    """Where one mention of the anchor stands."""

    mention_id: str
    message_id: str
    conversation_id: str


@dataclass(frozen=True, slots=True)
class Apart:
    """Mentions of another one of the name: `fact` and its value say which."""

    fact: str
    value: str
    mention_ids: tuple[str, ...]


def divide(places: Sequence[Place], stated: Iterable[Stated]) -> list[Apart]:
    """The mentions that are not of the first one of the name, by the facts that the messages state.

    Two values of one identifier that do not agree are two of one name. A message that states one value names that
    one; other messages of a conversation in which only one value is stated go with it; what is left stays. The one
    with most mentions keeps the anchor, then the smaller value. Empty where no identifier conflicts.
    """
    known = list(stated)
    for fact in OWN_IDENTIFIERS:
        values = _values(s.value for s in known if s.fact == fact)
        if len(values) > 1:
            return _apart(fact, values, places, [s for s in known if s.fact == fact])
    return []


def _values(values: Iterable[str]) -> list[str]:
    """The values that do not agree with each other, each as its longest form."""
    kept: list[str] = []
    for value in sorted(set(values), key=lambda v: (-len(v), v)):
        if not any(agree(value, other) for other in kept):
            kept.append(value)
    return sorted(kept)


def _apart(fact: str, values: Sequence[str], places: Sequence[Place], stated: Sequence[Stated]) -> list[Apart]:
    said: dict[str, set[str]] = {}  # message -> the values that it states
    for one in stated:
        meant = [value for value in values if agree(value, one.value)]
        for message_id in one.message_ids if len(meant) == 1 else ():
            said.setdefault(message_id, set()).add(meant[0])
    around: dict[str, set[str]] = {}  # conversation -> the values stated in it
    for place in places:
        around.setdefault(place.conversation_id, set()).update(said.get(place.message_id, ()))
    groups: dict[str, list[str]] = {value: [] for value in values}
    for place in places:
        meant_here = said.get(place.message_id) or around[place.conversation_id]
        if len(meant_here) == 1:
            groups[next(iter(meant_here))].append(place.mention_id)
    first = min(values, key=lambda value: (-len(groups[value]), value))
    return [Apart(fact, v, tuple(sorted(groups[v]))) for v in values if v != first and groups[v]]
