"""Typed reads: the core view, procedures for a task, documents by title, section and text (DESIGN 3).

Which records are in force, and when they were said, comes from the published generation, so that typed reads and
questions agree; what only the lake keeps of a record (attributes, negation) is read from there and kept. A record
never changes, so what is kept goes stale only when another generation is published.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from hypermnesia.ports import Embedder, Lake, VectorIndex
from hypermnesia.retrieval.cache import Histories
from hypermnesia.retrieval.resource_search import ResourceSearch
from hypermnesia.retrieval.typed_records import (
    TypedRecord,
    shown_core,
    shown_fact,
    shown_procedure,
    shown_resource,
    statement,
)
from hypermnesia.rules.as_of import is_said_after, parse_as_of
from hypermnesia.rules.core_view import core_view
from hypermnesia.rules.extraction import CORE, PROCEDURAL, RESOURCE, SEMANTIC
from hypermnesia.rules.identity import bucket_of, need_user
from hypermnesia.rules.linguistic.inventory import is_core, is_single_valued

#: Cosine of a task description and a procedure below which nothing is given: a wrong procedure harms more than none.
#: For the bundled model; `tests/unit/test_typed_reads.py` holds what it is worth on pairs of our own.
PROCEDURE_FLOOR = 0.35
MOST_PROCEDURES, MOST_RESOURCES = 3, 10  # unless asked otherwise

_TYPES = (CORE, SEMANTIC, PROCEDURAL, RESOURCE)
_COLUMNS = ("row_id", "memory_type", "attributes", "is_negated")


@dataclass(frozen=True, slots=True)
class _Kept:
    """One user's records of the other memory types, those said last at the end."""

    facts: tuple[TypedRecord, ...]
    core: tuple[TypedRecord, ...]
    procedures: tuple[TypedRecord, ...]
    resources: tuple[TypedRecord, ...]
    search: ResourceSearch

    def __len__(self) -> int:
        return len(self.facts) + len(self.core) + len(self.procedures) + len(self.resources)


class TypedReader:
    """Reads one user's core, procedural and resource memory; calls may come from several threads."""

    def __init__(
        self,
        lake: Lake,
        index: VectorIndex,
        histories: Histories,
        embedder: Embedder,
        *,
        cache_rows: int,
        floor: float = PROCEDURE_FLOOR,
    ) -> None:
        self._lake = lake
        self._index = index
        self._histories = histories
        self._embedder = embedder
        self._cache_rows = cache_rows
        self._floor = floor
        self._lock = threading.Lock()
        self._generation: str | None = None
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def core(self, user: str, *, as_of: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """{"user", "as_of", "facts"}: the whole current view, values in force first of each subject and predicate.

        Facts are those of a core predicate, then records of type core (`predicate` is null), newest first; each with
        its status, and the records and messages that it came from. `limit` keeps the first so many.
        """
        kept, moment = self._of(user, as_of, limit)
        facts = [one for one in kept.facts if not _is_later(one, moment)]
        by_id = {one.row.row_id: one for one in facts}
        shown = [shown_fact(held, by_id) for held in core_view(map(statement, facts), is_single_valued)]
        shown += [shown_core(one) for one in reversed(kept.core) if not _is_later(one, moment)]
        return {"user": user, "as_of": as_of, "facts": shown[:limit]}

    def procedures(self, user: str, task: str, *, as_of: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """{"user", "task", "procedures"}: the procedures nearest to a task description; none below the floor.

        Raises `RuntimeError` where the rows were embedded by another model than the task is.
        """
        kept, moment = self._of(user, as_of, limit)
        _need(task, "a task description")
        found = [one for one in kept.procedures if not _is_later(one, moment)]
        scores = self._similarities(found, task)
        best = _best(found, scores, self._floor, limit or MOST_PROCEDURES)
        return {"user": user, "task": task, "procedures": [shown_procedure(one, score) for one, score in best]}

    def resources(self, user: str, query: str, *, as_of: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """{"user", "query", "resources"}: resources that have a word of the query, best first, by BM25."""
        kept, moment = self._of(user, as_of, limit)
        _need(query, "a query")
        pairs = zip(kept.resources, kept.search.scores(query).tolist(), strict=True)
        found = [(one, score) for one, score in pairs if score > 0 and not _is_later(one, moment)]
        best = _best([one for one, _ in found], [score for _, score in found], 0.0, limit or MOST_RESOURCES)
        return {"user": user, "query": query, "resources": [shown_resource(one, score) for one, score in best]}

    def _of(self, user: str, as_of: str | None, limit: int | None) -> tuple[_Kept, datetime | None]:
        """Raises `ValueError` for what can't be asked, `LookupError` before the first generation."""
        need_user(user)
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; ask for at least 1")
        moment = parse_as_of(as_of) if as_of else None
        with self._lock:
            generation = self._index.published()
            if generation != self._generation:
                self._kept.clear()
                self._generation = generation
            kept = self._kept.get(user)
            if kept is not None:
                self._kept.move_to_end(user)
        return self._keep(user, generation) if kept is None else kept, moment

    def _keep(self, user: str, generation: str | None) -> _Kept:
        """Reads outside the lock: two threads may read the same, and nobody waits for another user's."""
        kept = self._read(user)
        with self._lock:
            if generation == self._generation:
                self._kept[user] = kept
                self._kept.move_to_end(user)
                n_rows = sum(map(len, self._kept.values()))
                while n_rows > self._cache_rows and len(self._kept) > 1:
                    n_rows -= len(self._kept.popitem(last=False)[1])
        return kept

    def _read(self, user: str) -> _Kept:
        served = self._histories.get(user).by_id
        rows = self._lake.read(
            "records",
            columns=_COLUMNS,
            buckets=[bucket_of(user, self._lake.n_buckets)],
            equals={"user_id": user, "memory_type": list(_TYPES)},
        )
        found: dict[str, list[TypedRecord]] = {memory_type: [] for memory_type in _TYPES}
        for record in rows.to_pylist():
            row = served.get(record["row_id"])
            if row is not None:  # in force
                pairs = tuple((pair["key"], pair["value"]) for pair in record["attributes"] or ())
                found[record["memory_type"]].append(TypedRecord(row, pairs, bool(record["is_negated"])))
        for of_type in found.values():
            of_type.sort(key=lambda one: (one.said, one.row.row_id))
        texts = [(one.get("title") or "", one.get("section") or "", one.row.text) for one in found[RESOURCE]]
        return _Kept(
            facts=tuple(one for one in found[SEMANTIC] if is_core(one.get("predicate") or "")),
            core=tuple(found[CORE]),
            procedures=tuple(found[PROCEDURAL]),
            resources=tuple(found[RESOURCE]),
            search=ResourceSearch(texts),
        )

    def _similarities(self, found: Sequence[TypedRecord], task: str) -> list[float]:
        if not found:
            return []
        if others := {one.row.model for one in found} - {self._embedder.model}:
            raise RuntimeError(
                f"procedures were embedded with {', '.join(sorted(others))}, the task with {self._embedder.model}: "
                "run `hypermnesia backfill` and `hypermnesia rebuild` under one model"
            )
        scores: list[float] = (np.stack([one.row.vector for one in found]) @ self._embedder.embed([task])[0]).tolist()
        return scores


def _need(text: str, what: str) -> None:
    if not text.strip():
        raise ValueError(f"{what} is needed")


def _is_later(one: TypedRecord, moment: datetime | None) -> bool:
    return moment is not None and is_said_after(one.row.said_local, one.row.said_at, moment)


def _best(
    found: Sequence[TypedRecord], scores: Sequence[float], floor: float, limit: int
) -> Iterable[tuple[TypedRecord, float]]:
    """The best in a total order: score, then id."""
    pairs = [(one, score) for one, score in zip(found, scores, strict=True) if score >= floor]
    pairs.sort(key=lambda pair: (-pair[1], pair[0].row.row_id))
    return pairs[:limit]
