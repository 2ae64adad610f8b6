"""One user's rows as columns: built once a generation, read by every question of that user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

import numpy as np

from hypermnesia.ports import IndexRow
from hypermnesia.ports.models import Vectors as Vectors
from hypermnesia.retrieval.bm25 import Bm25, Field, Floats, Ints, Part, Vocabulary
from hypermnesia.retrieval.candidates import Sketch
from hypermnesia.retrieval.entry import Names
from hypermnesia.retrieval.late_interaction import TokenTable
from hypermnesia.retrieval.tokens import terms
from hypermnesia.rules.asked_dates import MONTH_NAMES
from hypermnesia.rules.extraction import EPISODIC, RESOURCE
from hypermnesia.rules.signals import AGENT, HOLDS, PREDICATE
from hypermnesia.rules.utterances import Facts, facts_of, last_question

# What a row's entry in the enriched index borrows from rows near it in its session, by distance (extraction.md).
NEIGHBOUR_WEIGHTS = {1: 0.4, 2: 0.12}
DISTANCES = (-2, -1, 1, 2)

#: The types of rows that are what was said: one a turn, so that neighbours are turns.
TURN_TYPES = frozenset([EPISODIC, RESOURCE])
NO_NAMES = Names(())
#: The kinds of answers that a row may hold, and the types of names that are such an answer.
ANSWER_TYPES = {"place": "location", "person": "person", "title": "work"}
TIME = "time"

T = TypeVar("T")
Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of few different values: `codes` has shape (n,), -1 where a row has none."""

    values: tuple[Any, ...]
    codes: Ints

    def lookup(self, number: Callable[[Any], float], rows: Ints) -> Floats:
        """The number of each row's value, 0 for a row without one; `number` is asked once for each value there is."""
        codes, places = np.unique(self.codes[rows], return_inverse=True)
        numbers = [number(self.values[code]) if code >= 0 else 0.0 for code in codes.tolist()]
        return np.array(numbers, np.float64)[places]

    def of_rows(self, known: Sequence[T], missing: T) -> list[T]:
        """What is known of each value, for each row."""
        return [known[code] if code >= 0 else missing for code in self.codes.tolist()]


@dataclass(frozen=True, slots=True)
class History:
    """What one user's reader keeps: the turns in the order said, what a ranking needs of each, and everything else.

    `rows` are what was said, a row a turn; arrays have shape (n,) over them. `by_id` holds rows of every type, as the
    vector store gave them.
    """

    rows: tuple[IndexRow, ...]
    by_id: Mapping[str, IndexRow]
    places: Mapping[str, int]  # of `rows` by row_id
    names: Names
    predicates: Mapping[str, frozenset[str]]  # what the memory's frames say, with the stems of its parts
    windowed: Bm25  # a row's own words and those of the two rows before and behind it
    enriched: Bm25  # words near it by distance, its speaker, its date, the question it answers, what the graph knows
    context_vectors: Vectors  # shape (n, d)
    tokens: TokenTable
    sketch: Sketch
    near: Mapping[int, Ints]  # distance -> the row so far away in the same session, else -1
    speaker: Column
    day: Column  # said
    event: Column  # first and last day of the event
    facts: Facts[Flags]
    acts: Flags  # the speaker is agent or owner of what the row states
    holds: Mapping[str, Flags]  # kind of answer -> the row names one
    lengths: Floats  # terms of the text
    id_ranks: Ints  # the place of each row in the order of row ids
    roles: dict[str, str]  # of each speaker
    models: frozenset[str]  # that made the vectors

    def __len__(self) -> int:
        return len(self.rows)


def build_history(given: Sequence[IndexRow], names: Names = NO_NAMES) -> History:
    """The columns of one user's rows, given in any order. Raises `ValueError` where they are of several users."""
    if len({row.user_id for row in given}) > 1:
        raise ValueError("a history holds the rows of one user")
    said = (row for row in given if row.memory_type in TURN_TYPES)
    rows = tuple(sorted(said, key=lambda r: (r.conversation_id, r.order, r.row_id)))
    others = (row for row in given if row.memory_type not in TURN_TYPES)
    predicates = _predicates(given)
    session_of = _column([(row.conversation_id, row.session) for row in rows]).codes
    near = {distance: _shifted(session_of, distance) for distance in DISTANCES}
    day, speaker = _column([_day(row.said_local or row.said_at) for row in rows]), _column([r.speaker for r in rows])
    facts = [facts_of(row.text) for row in rows]
    context_vectors = _matrix([row.context_vector for row in rows])
    return History(
        rows=rows,
        places={row.row_id: place for place, row in enumerate(rows)},
        by_id={row.row_id: row for row in (*others, *rows)},
        names=names,
        predicates=predicates,
        context_vectors=context_vectors,
        tokens=TokenTable([row.tokens for row in rows]),
        sketch=Sketch(context_vectors),
        near=near,
        speaker=speaker,
        day=day,
        event=_column([_span(row.event_start, row.event_end) for row in rows]),
        facts=Facts(*(np.array(column, np.bool_) for column in zip(*facts, strict=True))) if facts else NO_FACTS,
        acts=np.array([any(s.startswith(AGENT) for s in row.signals) for row in rows], np.bool_),
        holds={kind: np.array([_holds(row, kind) for row in rows], np.bool_) for kind in (TIME, *ANSWER_TYPES)},
        id_ranks=np.argsort(np.argsort([row.row_id for row in rows])) if rows else np.zeros(0, np.int64),
        roles={row.speaker: row.role for row in rows},
        models=frozenset(row.model for row in given),
        **_indexes(rows, near, day, speaker, predicates),
    )


NO_FACTS = Facts(*(np.zeros(0, np.bool_) for _ in Facts._fields))


def _indexes(
    rows: Sequence[IndexRow],
    near: Mapping[int, Ints],
    day: Column,
    speaker: Column,
    predicates: Mapping[str, frozenset[str]],
) -> dict[str, Any]:
    """The indexes of words, over shared fields, and the lengths of the rows."""
    n, words = len(rows), Vocabulary()
    own = Field(terms(row.text for row in rows), words)
    others = [
        Field(day.of_rows(terms(map(_written, day.values)), []), words),
        Field(speaker.of_rows([[speaker_term(name)] for name in speaker.values], []), words),
        Field(terms(_answered(rows, near[-1], speaker)), words),
        Field([signal_terms(row.signals, predicates) for row in rows], words),
    ]
    lent = [Part(own, NEIGHBOUR_WEIGHTS[abs(distance)], near[distance]) for distance in DISTANCES]
    return {
        "windowed": Bm25(n, [Part(own), *(Part(own, 1.0, near[distance]) for distance in DISTANCES)], words),
        "enriched": Bm25(n, [Part(own), *lent, *map(Part, others)], words),
        "lengths": own.lengths,
    }


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


def _column(values: Sequence[Any]) -> Column:
    """A column in the order in which values come; None has no code."""
    codes = {value: code for code, value in enumerate(dict.fromkeys(v for v in values if v is not None))}
    return Column(tuple(codes), np.array([-1 if v is None else codes[v] for v in values], np.int64))


def _shifted(session_of: Ints, step: int) -> Ints:
    """For each row the index of the row `step` later (earlier where negative) in its session, else -1."""
    wanted = np.arange(step, len(session_of) + step)
    places = np.clip(wanted, 0, len(session_of) - 1)
    return np.where((places == wanted) & (session_of[places] == session_of), places, -1)


def _day(iso: str | None) -> date | None:
    """The day of a civil ISO time; None for what names no day (an event "in 2022")."""
    try:
        return date.fromisoformat(iso[:10]) if iso else None
    except ValueError:
        return None


def _span(start: str | None, end: str | None) -> tuple[date, date] | None:
    first = _day(start)
    return (first, _day(end) or first) if first else None


def _holds(row: IndexRow, kind: str) -> bool:
    return row.event_start is not None if kind == TIME else HOLDS + ANSWER_TYPES[kind] in row.signals


def _written(day: date) -> str:
    return f"{day.day} {MONTH_NAMES[day.month - 1]} {day.year}"


def _answered(rows: Sequence[IndexRow], previous: Ints, speaker: Column) -> Iterator[str]:
    """The question that the row just before, of another speaker, ends with, else no text: the row is its answer."""
    is_answer = (previous >= 0) & (speaker.codes[previous] != speaker.codes)
    for place, is_one in zip(previous.tolist(), is_answer.tolist(), strict=True):
        yield (last_question(rows[place].text) or "") if is_one else ""


def _matrix(vectors: Sequence[Vectors]) -> Vectors:
    return np.stack(vectors) if vectors else np.zeros((0, 0), np.float32)
