"""One linear ranking over one user's rows, which says of every row why it stands where it stands.

The weights are fitted on labelled chats of our own and rounded (the recipe: `configs/eval/ranking.yaml`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hypermnesia.ports import IndexRow
from hypermnesia.retrieval.bm25 import Floats, Ints
from hypermnesia.retrieval.features import Asked, Features, Question, features
from hypermnesia.retrieval.history import History

#: What each feature counts by the text alone.
TEXT: Mapping[str, float] = {
    "tokens": 0.7,
    "tokens_window": 0.55,
    "tokens_near": 0.15,
    "meaning": 0.3,
    "words_window": 0.15,
    "speaker": 1.0,
    "first_person": 0.45,
    "asks": -0.5,
    "answers": 0.35,
    "length": 0.4,
    "name": 0.45,
    "number": 0.3,
    "relative_date": 0.75,
    "on_date": 5.6,
}
#: The same with the graph.
WITH_GRAPH: Mapping[str, float] = {
    "tokens": 0.65,
    "tokens_window": 0.55,
    "tokens_near": 0.15,
    "meaning": 0.3,
    "speaker": 0.9,
    "first_person": 0.45,
    "asks": -0.45,
    "answers": 0.3,
    "length": 0.4,
    "name": 0.4,
    "number": 0.25,
    "enriched": 0.15,
    "acts": 0.3,
    "holds": 1.1,
    "on_date": 5.05,
}


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows of a history best first, in a total order: score to 6 decimals, then row_id.

    `scores` fall along `places`; `parts` are what each feature adds, in the same order.
    """

    history: History
    places: Ints
    scores: Floats
    parts: Features

    def rows(self, n: int) -> list[tuple[float, IndexRow]]:
        """The best `n` rows with their scores."""
        found = zip(self.scores[:n].tolist(), self.places[:n].tolist(), strict=True)
        return [(score, self.history.rows[place]) for score, place in found]

    def explained(self, n: int) -> list[dict[str, object]]:
        """Of each of the best `n` rows what its features add to its score; those that add nothing are left out."""
        return [
            {"row_id": row.row_id, "score": score}
            | {name: round(float(part[i]), 4) for name, part in self.parts.items() if abs(part[i]) > 5e-5}
            for i, (score, row) in enumerate(self.rows(n))
        ]


def rank(history: History, question: Question, *, with_graph: bool = True) -> Ranked:
    """The ranking of a question; without the graph by the text alone.

    Of a question that is made of several, each row stands by the one that it fits best.
    """
    ranked = [_scored(history, one, with_graph) for one in question.parts or (question,)]
    places, scores = (np.concatenate(column) for column in zip(*((r.places, r.scores) for r in ranked), strict=True))
    parts = {name: np.concatenate([r.parts[name] for r in ranked]) for name in ranked[0].parts}
    order = np.lexsort((history.id_ranks[places], -scores))
    if len(ranked) > 1:
        order = order[np.sort(np.unique(places[order], return_index=True)[1])]
    return Ranked(history, places[order], scores[order], {name: part[order] for name, part in parts.items()})


def _scored(history: History, question: Question, with_graph: bool) -> Ranked:
    """The rows of one question in the order of the history."""
    asked = Asked(history, question, with_graph=with_graph)
    weights = WITH_GRAPH if with_graph else TEXT
    parts = {name: weights[name] * value for name, value in features(asked).items()}
    # Rounding keeps rows that are equal from being told apart by the order of a sum.
    return Ranked(history, asked.rows, np.round(_sum(parts, len(asked.rows)), 6) + 0.0, parts)


def _sum(parts: Features, n: int) -> Floats:
    return np.sum(list(parts.values()), axis=0) if n else np.zeros(0, np.float64)
