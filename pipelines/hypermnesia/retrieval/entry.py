"""Where a question enters the graph: anchors whose names it says, and those nearest to it by vector (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log1p

import numpy as np

from hypermnesia.ports import Anchor, GraphReader, NameRow
from hypermnesia.ports.models import Vectors
from hypermnesia.retrieval.tokens import terms
from hypermnesia.rules.anchor_keys import anchor_key

N_BY_VECTOR = 15
N_ENTERED = 15
LONGEST_NAME = 6  # words of a name that is looked for in a question

#: What each part of the score is worth; cosine, which leads, counts as it is.
EXACT_NAME, COVERAGE, HUB = 0.5, 0.3, 0.04


@dataclass(frozen=True, slots=True)
class Entered:
    """One anchor that a question enters by; `is_said` where the question names it; `parts` add up to `score`."""

    anchor: Anchor
    score: float
    is_said: bool
    parts: Mapping[str, float] = field(default_factory=dict)


def said_keys(question: str) -> list[str]:
    """The anchor keys of all runs of words of a question that may be a name, longest first."""
    tokens = question.replace("?", " ").replace(",", " ").replace(".", " ").split()
    runs = (
        " ".join(tokens[start : start + n])
        for n in range(min(LONGEST_NAME, len(tokens)), 0, -1)
        for start in range(len(tokens) - n + 1)
    )
    written = (name for run in runs for name in (run, run.removesuffix("'s").removesuffix("\u2019s")))
    return list(dict.fromkeys(key for name in written if (key := anchor_key(name))))


class Names:
    """The names of one user's anchors with their vectors in one array, by anchor id."""

    def __init__(self, rows: Sequence[NameRow]) -> None:
        self.ids = sorted(row.anchor_id for row in rows)
        by_id = {row.anchor_id: row.vector for row in rows}
        self._vectors = np.stack([by_id[i] for i in self.ids]) if rows else None

    def nearest(self, vector: Vectors, n: int = N_BY_VECTOR) -> dict[str, float]:
        """anchor_id -> cosine of the nearest names, best first, then by id."""
        if self._vectors is None:
            return {}
        cosines = self._vectors @ vector
        rounded = np.round(cosines, 6)
        least = np.partition(rounded, -n)[-n] if n < len(rounded) else -np.inf
        places = np.flatnonzero(rounded >= least)  # with all that are as near as the last one
        order = places[np.argsort(-rounded[places], kind="stable")][:n]
        return {self.ids[i]: float(cosines[i]) for i in order.tolist()}


def enter(graph: GraphReader, user: str, names: Names, question: str, vector: Vectors) -> list[Entered]:
    """At most `N_ENTERED` anchors, best first, then by id. `vector` is the question's, of length 1."""
    said = {anchor.anchor_id: anchor for anchor in graph.anchors_by_key(user, said_keys(question))}
    cosines = names.nearest(vector)
    near = _by_kept(graph.anchors(user, sorted(cosines)), cosines)
    known = said | {anchor.anchor_id: anchor for anchor, _ in near}
    cosine = {anchor.anchor_id: value for anchor, value in near}
    asked = set(terms([question])[0])
    entered = []
    for anchor_id, anchor in known.items():
        own = set(terms([anchor.name])[0])
        parts = {
            "cosine": round(cosine.get(anchor_id, 0.0), 4),
            "exact": EXACT_NAME if anchor_id in said else 0.0,
            "coverage": round(COVERAGE * len(own & asked) / len(own), 4) if own else 0.0,
            "hub": round(-HUB * log1p(anchor.degree), 4),
        }
        entered.append(Entered(anchor, round(sum(parts.values()), 4), anchor_id in said, parts))
    entered.sort(key=lambda e: (-e.score, e.anchor.anchor_id))
    return entered[:N_ENTERED]


def _by_kept(anchors: Sequence[Anchor], cosines: Mapping[str, float]) -> list[tuple[Anchor, float]]:
    """Each kept anchor with the best cosine of the names that merged into it."""
    return [
        (anchor, max(cosines[member] for member in anchor.members if member in cosines))
        for anchor in anchors
        if any(member in cosines for member in anchor.members)
    ]
