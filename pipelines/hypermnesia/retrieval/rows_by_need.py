"""How many rows a question gets: as many as are worth their place, by the chance that each is evidence.

Chances are a logistic function of score and rank, fitted on labelled chats of our own beside the weights
(`configs/eval/ranking.yaml`). What another row is worth falls with the evidence that is expected: one of two is half
of what was asked for, one of ten a tenth; the cube root keeps lists from starving.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hypermnesia.retrieval.bm25 import Floats

FEWEST, MOST = 3, 30
N_FITTED = 400  # rows of the histories behind the fit: in a shorter one each row is likelier to be evidence


@dataclass(frozen=True, slots=True)
class Need:
    """ln odds = score * `score` + (score - best score) * `gap` + ln rank * `rank` + ln breadth * `breadth` + `bias`.

    A row comes where its chance, over the cube root of the sum of the first 30 chances (at least 1), is above `least`,
    which keeps the mean at the planner's budget.
    """

    score: float
    gap: float
    rank: float
    breadth: float
    bias: float
    least: float


TEXT = Need(score=0.27, gap=0.16, rank=-0.52, breadth=0.95, bias=-2.95, least=0.0365)
WITH_GRAPH = Need(score=0.23, gap=0.15, rank=-0.58, breadth=0.98, bias=-2.64, least=0.0362)


def n_rows(scores: Floats, breadth: float, *, with_graph: bool) -> int:
    """Rows for a question whose best rows have these scores, best first; `breadth` is the plan's."""
    need = WITH_GRAPH if with_graph else TEXT
    chance = chances(scores[:MOST], len(scores), breadth, need)
    worth = chance / np.cbrt(max(1.0, float(chance.sum())))
    return max(int((worth > need.least).sum()), FEWEST)


def chances(scores: Floats, n: int, breadth: float, need: Need) -> Floats:
    """The chance that each of the best rows of `n` is evidence; scores and chances fall along the rows."""
    best = scores[0] if len(scores) else 0.0
    odds: Floats = need.score * scores + need.gap * (scores - best) + need.rank * np.log(np.arange(1, len(scores) + 1))
    odds += need.breadth * np.log(breadth) + need.bias + np.log(max(1.0, N_FITTED / max(1, n))) / 3
    out: Floats = 1 / (1 + np.exp(-odds))
    return out
