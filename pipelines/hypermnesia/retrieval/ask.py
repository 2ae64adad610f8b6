"""A question to evidence: plan, enter the graph, rank, and what `ask --json` prints (DESIGN 7, 10)."""

from __future__ import annotations

import time
from copy import copy
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from hypermnesia.ports import Embedder, IndexRow, Tokens, VectorIndex
from hypermnesia.retrieval.cache import Histories
from hypermnesia.retrieval.features import Question
from hypermnesia.retrieval.graph_step import NOTHING, GraphStep, GraphView
from hypermnesia.retrieval.graphs import Graphs, PublishedGraph
from hypermnesia.retrieval.history import History
from hypermnesia.retrieval.papers import BASE, DIRECT, RELATION_CITED, Found, fill_budgets, similarities
from hypermnesia.retrieval.premise import premise
from hypermnesia.retrieval.ranking import Ranked, rank
from hypermnesia.retrieval.rows_by_need import n_rows
from hypermnesia.rules.as_of import parse_as_of
from hypermnesia.rules.planning import Plan, plan

#: About 500 MB, measured: of each row two vectors of 384 numbers (3 KB) and the second in order (1.5 KB), tokens (2.4
#: of at most 4 KB), its words in two indexes (at most 1 KB), its texts (1.5 KB); the tokens' file is mapped besides.
CACHE_ROWS = 50_000
PROFILES = ("default", "papers", "direct")


class Asker:
    """Answers questions from the published generation, and follows it when another is published."""

    def __init__(
        self, index: VectorIndex, graph: PublishedGraph, embedder: Embedder, *, cache_rows: int = CACHE_ROWS
    ) -> None:
        self._embedder = embedder
        self._graph = GraphStep(Graphs(graph))
        self.histories = Histories(index, cache_rows)

    def over(self, graph: PublishedGraph) -> Asker:
        """The same read path, and the same histories, over another graph."""
        other = copy(self)
        other._graph = GraphStep(Graphs(graph))
        return other

    def ask(
        self,
        user: str,
        question: str,
        *,
        id: str | None = None,
        as_of: str | None = None,
        limit: int | None = None,
        profile: str = "default",
        explain: bool = False,
    ) -> dict[str, Any]:
        """The evidence for a question, best first; no rows for a user that nothing is known of.

        `as_of` (ISO date or time) leaves out what was said later, and is the day that "last week"
        counts from. `limit` asks for exactly so many rows (fewer only where the user has fewer); without it a
        question gets the rows that it needs, 3 to 30. Where the graph errs, rows come by text alone and
        `fallback` says why. `explain` adds each step with scores, each row's score by feature, and milliseconds.
        Raises `ValueError` for what can't be asked, `LookupError` before the first generation and `RuntimeError`
        where the rows were embedded by another model.
        """
        clock = _Clock()
        _check(user, question, limit, profile)
        moment = parse_as_of(as_of) if as_of else None
        today = moment.date() if moment else None
        planned = plan(question, today)
        clock.lap("plan")
        history = self.histories.get(user, moment)
        clock.lap("history")
        asked = self._embedded(history, question, planned, today)
        clock.lap("embed")
        view, fallback = NOTHING, None
        if profile != "direct" and history.rows:
            view, fallback = self._graph.view(history, user, question, asked.vector, planned)
        clock.lap("graph")
        found, ranked = self._found(history, asked, view, limit, profile if fallback is None else "direct")
        clock.lap("rank")
        answer = {
            "id": id,
            "user": user,
            "question": question,
            "operation": planned.operation,
            "facts": view.facts,
            "rows": [_shown(one) for one in found],
            "fallback": fallback,
            "ms": clock.total(),
        }
        return answer | ({"explain": _explained(planned, view, ranked, len(found), profile, clock)} if explain else {})

    def _found(
        self, history: History, asked: Question, view: GraphView, limit: int | None, profile: str
    ) -> tuple[list[Found], Ranked | None]:
        """The rows of an answer, and the ranking that they come from, where it is one."""
        if not history.rows:
            return [], None
        if profile == "papers":
            rows = list(history.by_id.values())
            cosines = similarities(rows, np.stack([row.vector for row in rows]) @ asked.vector)
            return fill_budgets(view.cited, view.around, history.by_id, cosines, asked.plan, limit), None
        ranked = rank(history, with_names(asked, view.known_as), with_graph=profile != "direct")
        n = _by_need(ranked, asked.plan, profile) if limit is None else limit
        return [Found(row, score, _lane(row, view)) for score, row in ranked.rows(n)], ranked

    def _embedded(self, history: History, question: str, planned: Plan, today: date | None) -> Question:
        if others := history.models - {self._embedder.model}:
            raise RuntimeError(
                f"rows were embedded with {', '.join(sorted(others))}, the question with {self._embedder.model}: "
                "run `hypermnesia backfill` and `hypermnesia rebuild` under one model"
            )
        if not history.rows:
            return Question(question, np.zeros(0, np.float32), NO_TOKENS, planned)
        return put(self._embedder, question, planned, today)


def put(embedder: Embedder, question: str, planned: Plan, today: date | None) -> Question:
    """A question, and the questions that it is made of, with their vectors."""
    texts = [question, *planned.parts]
    vectors, tokens = embedder.embed_tokens([("", text) for text in texts])
    plans = [planned, *(plan(text, today) for text in planned.parts)]
    whole, *parts = (Question(*one) for one in zip(texts, vectors, tokens, plans, strict=True))
    return replace(whole, parts=tuple(parts))


def with_names(question: Question, names: tuple[str, ...]) -> Question:
    """The question and its parts with other names of those whom they name."""
    return replace(question, known_as=names, parts=tuple(replace(part, known_as=names) for part in question.parts))


NO_TOKENS = Tokens(np.zeros(0, np.uint16), np.zeros((0, 0), np.int8))


class _Clock:
    """Milliseconds of each step."""

    def __init__(self) -> None:
        self._started = self._last = time.perf_counter()
        self.laps: dict[str, float] = {}

    def lap(self, step: str) -> None:
        now = time.perf_counter()
        self.laps[step], self._last = round((now - self._last) * 1000, 2), now

    def total(self) -> float:
        return round((time.perf_counter() - self._started) * 1000, 1)


def _by_need(ranked: Ranked, planned: Plan, profile: str) -> int:
    return n_rows(ranked.scores, planned.breadth, with_graph=profile != "direct")


def _lane(row: IndexRow, view: GraphView) -> str:
    """Which lane would have brought a row of one ranking: a label, not a quota (DESIGN 7)."""
    if row.row_id in view.cited:
        return RELATION_CITED
    return BASE if row.row_id in view.around else DIRECT


def _check(user: str, question: str, limit: int | None, profile: str) -> None:
    if not user.strip():
        raise ValueError("a question needs a user")
    if not question.strip():
        raise ValueError("the question is empty")
    if limit is not None and limit < 1:
        raise ValueError(f"limit is {limit}; ask for at least 1 row")
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}; use {', '.join(PROFILES[:-1])} or {PROFILES[-1]}")


def _explained(
    planned: Plan, view: GraphView, ranked: Ranked | None, n: int, profile: str, clock: _Clock
) -> dict[str, Any]:
    return {
        "profile": profile,
        "plan": {
            "operation": planned.operation,
            "answer": planned.answer,
            "breadth": planned.breadth,
            "budgets": dict(zip(("base", "relation_cited"), planned.budgets, strict=True)),
            "dates": [str(asked) for asked in planned.dates],
            "predicates": list(view.predicates),
            "parts": list(planned.parts),
            "known_as": list(view.known_as),
        },
        "entry": [
            {"anchor_id": e.anchor.anchor_id, "name": e.anchor.name, "is_said": e.is_said, "score": e.score}
            | dict(e.parts)
            for e in view.entered
        ],
        "frames": [
            {"frame_id": m.frame.frame_id, "predicate": m.frame.predicate, "score": m.score} for m in view.matched
        ],
        "lanes": {"relation_cited": len(view.cited), "base": len(view.around)},
        "premise": premise(ranked) if ranked else None,
        "rows_by_need": _by_need(ranked, planned, profile) if ranked else None,
        "rows": ranked.explained(n) if ranked else [],
        "ms": clock.laps,
    }


def _shown(found: Found) -> dict[str, Any]:
    row = found.row
    return {
        "row_id": row.row_id,
        "memory_type": row.memory_type,
        "text": row.text,
        "speaker": row.speaker,
        "said_at": row.said_at,
        "event_time": {"start": row.event_start, "end": row.event_end, "precision": row.event_precision or "unknown"},
        "modality": row.modality,
        "lane": found.lane,
        "score": found.score,
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
