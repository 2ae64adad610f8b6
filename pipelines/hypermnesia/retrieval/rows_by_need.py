"""How many rows a question gets: as many as have a fair chance to be evidence, by the softmax of their scores."""

from __future__ import annotations

from hypermnesia.retrieval.bm25 import Floats
from hypermnesia.retrieval.features import softmax

FEWEST, MOST = 3, 30
SHARPNESS = 0.85  # of the softmax: a ranking is surer of its order than it is right

#: The share of the softmax that earns a row its place, so that the mean stays at the planner's budget. Calibrated by
#: the wording of questions alone, without labels (`configs/eval/ranking.yaml`); sums of more features are steeper.
FAIR_SHARE = 0.0102
FAIR_SHARE_WITH_GRAPH = 0.0070


def n_rows(scores: Floats, breadth: float, *, with_graph: bool) -> int:
    """Rows for a question whose best rows have these scores; `breadth` is the plan's."""
    share = FAIR_SHARE_WITH_GRAPH if with_graph else FAIR_SHARE
    fair = int((softmax(SHARPNESS * scores) * breadth > share).sum())
    return min(max(fair, FEWEST), MOST)
