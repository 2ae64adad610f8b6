"""A question to evidence: plan, rank, and what `ask --json` prints (DESIGN 10)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from hypermnesia.ports import Embedder, IndexRow, VectorIndex
from hypermnesia.retrieval.bm25 import Floats
from hypermnesia.retrieval.cache import Histories
from hypermnesia.retrieval.history import History
from hypermnesia.retrieval.ranking import best_first, default_scores, direct_scores
from hypermnesia.rules.as_of import parse_as_of
from hypermnesia.rules.planning import Plan, plan

CACHE_ROWS = 50_000  # about 400 MB: each row holds two vectors of 384 numbers twice, and its terms
PROFILES = ("default", "direct")
LANE = "direct"  # rows found by text alone; the graph's lanes come with the graph


class Asker:
    """Answers questions from the published generation, and follows it when another is published."""

    def __init__(self, index: VectorIndex, embedder: Embedder, *, cache_rows: int = CACHE_ROWS) -> None:
        self._embedder = embedder
        self.histories = Histories(index, cache_rows)

    def ask(
        self,
        user: str,
        question: str,
        *,
        id: str | None = None,
        as_of: str | None = None,
        limit: int | None = None,
        profile: str = "default",
    ) -> dict[str, Any]:
        """The evidence for a question, best first; no rows for a user that nothing is known of.

        `as_of` (ISO date or time) leaves out what was said later, and is the day that "last week"
        counts from. `limit` asks for exactly so many rows (fewer only where the user has fewer).
        Raises `ValueError` for what can't be asked, `LookupError` before the first generation and
        `RuntimeError` where the rows were embedded by another model.
        """
        started = time.perf_counter()
        _check(user, question, limit, profile)
        moment = parse_as_of(as_of) if as_of else None
        planned = plan(question, moment.date() if moment else None)
        history = self.histories.get(user, moment)
        n = planned.n_rows if limit is None else limit
        scores = self._scores(history, question, planned, profile)
        return {
            "id": id,
            "user": user,
            "question": question,
            "operation": planned.operation,
            "facts": [],
            "rows": [_shown(score, row) for score, row in best_first(history, scores, n)],
            "fallback": None,
            "ms": round((time.perf_counter() - started) * 1000, 1),
        }

    def _scores(self, history: History, question: str, planned: Plan, profile: str) -> Floats:
        if others := history.models - {self._embedder.model}:
            raise RuntimeError(
                f"rows were embedded with {', '.join(sorted(others))}, the question with {self._embedder.model}: "
                "run `hypermnesia backfill` and `hypermnesia rebuild` under one model"
            )
        if not history.rows:
            return np.zeros(0, np.float64)
        vector = self._embedder.embed([question])[0]
        if profile == "direct":
            return direct_scores(history, question, vector)
        return default_scores(history, question, vector, planned.dates)


def _check(user: str, question: str, limit: int | None, profile: str) -> None:
    if not user.strip():
        raise ValueError("a question needs a user")
    if not question.strip():
        raise ValueError("the question is empty")
    if limit is not None and limit < 1:
        raise ValueError(f"limit is {limit}; ask for at least 1 row")
    if profile == "papers":
        raise ValueError("profile papers reads the graph, which is not built yet; use default or direct")
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}; use {' or '.join(PROFILES)}")


def _shown(score: float, row: IndexRow) -> dict[str, Any]:
    return {
        "row_id": row.row_id,
        "memory_type": row.memory_type,
        "text": row.text,
        "speaker": row.speaker,
        "said_at": row.said_at,
        "event_time": {"start": row.event_start, "end": row.event_end, "precision": row.event_precision or "unknown"},
        "modality": row.modality,
        "lane": LANE,
        "score": score,
        "sources": [
            {
                "message_id": s.message_id,
                "archive": s.archive,
                "conversation": s.conversation,
                "native_id": s.native_id,
            }
            for s in row.sources
        ],
    }
