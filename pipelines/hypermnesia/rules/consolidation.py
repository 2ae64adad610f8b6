"""One round of merging: which pairs of a user's anchors are judged, and which wait for the next night (DESIGN 6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hypermnesia.rules.merging import MERGED_TYPES, Member, Pair, worth_judging
from hypermnesia.rules.name_keys import is_readable

#: Pairs a user and round: between rounds, in the last one, and for the anchors that survived a merge (DESIGN 6).
STREAM_BUDGET, FINAL_BUDGET, REPAIR_BUDGET = 80, 120, 60
N_NEAREST = 4  # itself among them
NEAREST_COSINE = 0.86  # calibrated for the bundled model (`hypermnesia calibrate`)


@dataclass(frozen=True, slots=True)
class Round:
    """The pairs of one round by ids, smaller first: to be judged, and beyond the budget."""

    judged: tuple[Pair, ...]
    deferred: tuple[Pair, ...]


def plan_round(
    members: Sequence[Member],
    boundary: Collection[str],
    near: Iterable[Pair],
    decided: Collection[Pair],
    deferred_before: Collection[Pair],
    budget: int,
) -> Round:
    """Pairs with an end in the boundary, by name keys first, then by vector; those that waited come first of all.

    `decided` are pairs that a person or model has judged, or that are one already: they are not judged again.
    """
    known = {m.anchor_id for m in members}
    waiting = sorted(p for p in deferred_before if p not in decided and known.issuperset(p))
    proposed = [*worth_judging(members), *sorted(near)]
    wanted = [pair for pair in proposed if not set(pair).isdisjoint(boundary) and pair not in decided]
    ordered = list(dict.fromkeys([*waiting, *wanted]))
    return Round(tuple(ordered[:budget]), tuple(ordered[budget:]))


def nearest_pairs(
    members: Sequence[Member],
    vectors: Mapping[str, np.ndarray[tuple[int], np.dtype[np.float32]]],
    boundary: Collection[str],
    least: float = NEAREST_COSINE,
) -> list[Pair]:
    """Pairs of one type in which one is among the nearest names of a boundary anchor, at cosine `least` or more.

    Names that the model can't read give equal vectors for different names, and are left out (names.md, 5).
    """
    pairs: set[Pair] = set()
    for kind in sorted(MERGED_TYPES):
        group = [m for m in members if m.type == kind and m.anchor_id in vectors and _is_proposed_by_vector(m)]
        if len(group) < 2:
            continue
        matrix = np.stack([vectors[m.anchor_id] for m in group])
        for place, member in enumerate(group):
            if member.anchor_id not in boundary:
                continue
            cosines = np.round(matrix @ matrix[place], 6)
            order = sorted(range(len(group)), key=lambda i: (-cosines[i], group[i].anchor_id))[:N_NEAREST]
            for other in order:
                if other != place and cosines[other] >= least:
                    pairs.add(pair_of(member.anchor_id, group[other].anchor_id))
    return sorted(pairs)


def _is_proposed_by_vector(member: Member) -> bool:
    return not member.is_bare_name and is_readable(member.name)


def pair_of(left: str, right: str) -> Pair:
    """Two anchors, the smaller id first."""
    return (left, right) if left <= right else (right, left)


def settled_pairs(decisions: Iterable[Mapping[str, object]]) -> set[Pair]:
    """Pairs that are not judged again: of every decision that a person or model made, and of every "same"."""
    return {
        pair_of(str(row["left_id"]), str(row["right_id"]))
        for row in decisions
        if row["decision"] in ("same", "different", "blocked")
        and (row["judge"] != "string" or row["decision"] == "same")
    }
