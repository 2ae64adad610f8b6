"""Users whose people, organisations and places are known, as anchors: what writing leaves of their namings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hypermnesia.inspection.people import KnownUser
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.merging import Member


@dataclass(frozen=True, slots=True)
class KnownAnchors:
    """One user's anchors, and whom each of them means."""

    members: tuple[Member, ...]
    meaning: dict[str, frozenset[str]]

    def is_one(self, left: str, right: str) -> bool:
        """Whether both mean one and the same thing, and nothing else."""
        return len(self.meaning[left] | self.meaning[right]) == 1

    def is_pair(self, left: str, right: str) -> bool:
        """Whether there is something that both mean."""
        return bool(self.meaning[left] & self.meaning[right])


def known_anchors(user: KnownUser) -> KnownAnchors:
    """An anchor a type and key; two of one name are two where a stated birth date divides them (`merges split`)."""
    surfaces: dict[str, Counter[str]] = {}
    meaning: dict[str, set[str]] = {}
    facts: dict[str, dict[str, frozenset[str]]] = {}
    types: dict[str, str] = {}
    for naming in user.namings:
        thing = user.things[naming.identity]
        key = anchor_key(naming.surface)
        if key is None:
            continue
        born = thing.facts.get("birth_date", "") if naming.surface == thing.names[0] else ""
        anchor_id = f"{naming.type}|{key}|{born}"
        types[anchor_id] = naming.type
        surfaces.setdefault(anchor_id, Counter())[naming.surface] += 1
        meaning.setdefault(anchor_id, set()).add(naming.identity)
        if born:
            facts[anchor_id] = {"birth_date": frozenset((born,))}
    members = tuple(
        Member(i, types[i], min(names, key=lambda n: (-names[n], n)), names.total(), "", facts.get(i, {}))
        for i, names in sorted(surfaces.items())
    )
    return KnownAnchors(members, {anchor_id: frozenset(things) for anchor_id, things in meaning.items()})
