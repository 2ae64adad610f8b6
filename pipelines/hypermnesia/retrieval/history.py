"""One user's rows as columns: built once a generation, read by every question of that user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from hypermnesia.ports import IndexRow, NameRow
from hypermnesia.retrieval.bm25 import Bm25, Floats, Ints, count_terms
from hypermnesia.retrieval.tokens import terms
from hypermnesia.rules.asked_dates import MONTH_NAMES
from hypermnesia.rules.extraction import EPISODIC, RESOURCE
from hypermnesia.rules.signals import AGENT, PREDICATE
from hypermnesia.rules.utterances import last_question, question_share

# What a row borrows from rows near it in its session, by distance (extraction.md, "The formulation that pays").
NEIGHBOUR_WEIGHTS = {1: 0.4, 2: 0.12}

#: The types of rows that are what was said: one a turn, so that neighbours are turns.
TURN_TYPES = frozenset([EPISODIC, RESOURCE])

Vectors = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, slots=True)
class History:
    """What one user's reader keeps: the turns in the order said, what a ranking needs of each, and everything else.

    `rows` are what was said, a row a turn; arrays have shape (n,) over them. `by_id` holds rows of every type.
    """

    rows: tuple[IndexRow, ...]
    by_id: Mapping[str, IndexRow]
    names: tuple[NameRow, ...]
    predicates: Mapping[str, frozenset[str]]  # what the memory's frames say, with the stems of its parts
    own: Bm25  # a row's own words
    windowed: Bm25  # also its speaker, date, the rows around it and the question it answers
    enriched: Bm25  # also what the graph knows of it
    vectors: Vectors  # shape (n, d)
    context_vectors: Vectors  # shape (n, d)
    speakers: tuple[str, ...]
    days: tuple[date | None, ...]  # said
    event_days: tuple[date | None, ...]  # on which the event starts
    question_shares: Floats
    lengths: Floats  # terms of the text
    roles: dict[str, str]  # of each speaker
    models: frozenset[str]  # that made the vectors

    def __len__(self) -> int:
        return len(self.rows)


def build_history(rows: Sequence[IndexRow], names: Sequence[NameRow] = ()) -> History:
    """The columns of one user's rows, given in any order. Raises `ValueError` where they are of several users."""
    if len({row.user_id for row in rows}) > 1:
        raise ValueError("a history holds the rows of one user")
    said = [row for row in rows if row.memory_type in TURN_TYPES]
    ordered = tuple(sorted(said, key=lambda r: (r.conversation_id, r.order, r.row_id)))
    days = tuple(_day(row.said_local or row.said_at) for row in ordered)
    vocabulary: dict[str, int] = {}
    texts = terms(row.text for row in ordered)
    own = count_terms(texts, vocabulary)
    before = {d: _shifted(ordered, -d) for d in NEIGHBOUR_WEIGHTS}
    parts = [own]
    for distance, weight in NEIGHBOUR_WEIGHTS.items():
        parts += [own.moved(before[distance], weight), own.moved(_shifted(ordered, distance), weight)]
    parts.append(count_terms(terms(_headers(days)), vocabulary))
    parts.append(count_terms([[speaker_term(r.speaker)] for r in ordered], vocabulary))
    parts.append(count_terms(_answered(ordered, before[1]), vocabulary))
    predicates = _predicates(rows)
    signals = count_terms([signal_terms(r.signals, predicates) for r in ordered], vocabulary)
    n = len(ordered)
    return History(
        rows=ordered,
        by_id={row.row_id: row for row in rows},
        names=tuple(names),
        predicates=predicates,
        own=Bm25(n, [own], vocabulary),
        windowed=Bm25(n, parts, vocabulary),
        enriched=Bm25(n, [*parts, signals], vocabulary),
        vectors=_matrix([r.vector for r in ordered]),
        context_vectors=_matrix([r.context_vector for r in ordered]),
        speakers=tuple(r.speaker for r in ordered),
        days=days,
        event_days=tuple(_day(row.event_start) for row in ordered),
        question_shares=np.array([question_share(r.text) for r in ordered], np.float64),
        lengths=np.array([len(t) for t in texts], np.float64),
        roles={r.speaker: r.role for r in ordered},
        models=frozenset(r.model for r in rows),
    )


def signal_terms(signals: Iterable[str], predicates: Mapping[str, frozenset[str]]) -> list[str]:
    """The search terms of a row's signals: who acts counts twice, a predicate by the stems of its parts."""
    found: list[str] = []
    for signal in signals:
        if signal.startswith(PREDICATE):
            found += sorted(predicates[signal.removeprefix(PREDICATE)])
        elif signal.startswith(AGENT):
            found += [signal, signal]
        else:
            found.append(signal)
    return found


def _predicates(rows: Iterable[IndexRow]) -> dict[str, frozenset[str]]:
    found = sorted({s.removeprefix(PREDICATE) for row in rows for s in row.signals if s.startswith(PREDICATE)})
    return {p: frozenset(stems) for p, stems in zip(found, terms(p.replace("_", " ") for p in found), strict=True)}


def speaker_term(speaker: str) -> str:
    """The search term of a speaker; the space keeps it apart from every word of a text."""
    return f"speaker {speaker}"


def _shifted(rows: Sequence[IndexRow], step: int) -> Ints:
    """For each row the index of the row `step` later (earlier where negative) in its session, else -1."""
    sittings = [(row.conversation_id, row.session) for row in rows]
    places = range(step, len(rows) + step)
    is_near = (0 <= j < len(rows) and sittings[j] == sittings[i] for i, j in enumerate(places))
    return np.array([j if near else -1 for j, near in zip(places, is_near, strict=True)], np.int64)


def _day(iso: str | None) -> date | None:
    """The day of a civil ISO time; None for what names no day (an event "in 2022")."""
    try:
        return date.fromisoformat(iso[:10]) if iso else None
    except ValueError:
        return None


def _headers(days: Sequence[date | None]) -> list[str]:
    return [f"{day.day} {MONTH_NAMES[day.month - 1]} {day.year}" if day else "" for day in days]


def _answered(rows: Sequence[IndexRow], previous: Ints) -> list[list[str]]:
    """Terms of the question that the row just before, of another speaker, ends with: the row is its answer."""
    asked = []
    for row, i in zip(rows, previous, strict=True):
        other = rows[i] if i >= 0 and rows[i].speaker != row.speaker else None
        asked.append((last_question(other.text) or "") if other else "")
    return terms(asked)


def _matrix(vectors: Sequence[Vectors]) -> Vectors:
    return np.stack(vectors) if vectors else np.zeros((0, 0), np.float32)
