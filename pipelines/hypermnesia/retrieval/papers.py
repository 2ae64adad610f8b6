"""The `papers` profile: rows by the graph alone, within the papers' budgets for each memory type (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hypermnesia.ports import IndexRow
from hypermnesia.retrieval.bm25 import Floats
from hypermnesia.rules.planning import Plan

RELATION_CITED, BASE, DIRECT = "relation-cited", "base", "direct"

#: The memory types that evidence comes from.
READ_TYPES = ("episodic", "semantic")


@dataclass(frozen=True, slots=True)
class Found:
    """One row of an answer: its score, and the lane that brought it."""

    row: IndexRow
    score: float
    lane: str


def fill_budgets(
    cited: Mapping[str, float],
    base: Iterable[str],
    rows: Mapping[str, IndexRow],
    similarity: Mapping[str, float],
    planned: Plan,
    limit: int | None = None,
) -> list[Found]:
    """Relation-cited rows first, then base rows by similarity; what one lane leaves free the other fills.

    `cited` are row_id -> frame score, best first. Rows are unique; the budget counts for each memory type.
    `limit` takes the place of the budgets, over all types.
    """
    asked = [Found(rows[r], score, RELATION_CITED) for r, score in cited.items() if r in rows]
    asked.sort(key=lambda f: (-f.score, -similarity[f.row.row_id], f.row.row_id))
    around = [Found(rows[r], similarity[r], BASE) for r in set(base) if r in rows]
    around.sort(key=lambda f: (-f.score, f.row.row_id))
    if limit is not None:
        return _unique([*asked, *around])[:limit]
    n_base, n_cited = planned.budgets
    chosen: list[Found] = []
    for memory_type in READ_TYPES:
        first = [f for f in asked if f.row.memory_type == memory_type]
        then = [f for f in around if f.row.memory_type == memory_type]
        taken = _unique([*first[:n_cited], *then])[: n_cited + n_base]
        chosen += _unique([*taken, *first[n_cited:]])[: n_cited + n_base]
    return chosen


def _unique(found: Iterable[Found]) -> list[Found]:
    return list({f.row.row_id: f for f in reversed(list(found))}.values())[::-1]


def similarities(rows: list[IndexRow], cosines: Floats) -> dict[str, float]:
    """row_id -> cosine with the question, rounded so that equal rows tie."""
    return {row.row_id: round(float(cosine), 6) for row, cosine in zip(rows, cosines, strict=True)}
