"""One linear ranking over one user's rows: LIN(B0) of the extraction notes, LIN(B1) where the graph takes part.

Weights are set by hand and rounded; nothing is fitted. Scores compare rows of one question only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from hypermnesia.ports import IndexRow
from hypermnesia.retrieval.bm25 import Bm25, Floats
from hypermnesia.retrieval.history import History, Vectors, speaker_term
from hypermnesia.retrieval.tokens import terms
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.asked_dates import AskedDate, nearness
from hypermnesia.rules.signals import AGENT, DAY, MONTH, YEAR
from hypermnesia.rules.signals import dates as dates_of
from hypermnesia.rules.speakers import asked_speakers


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal adds to BM25 over its maximum (0 to 1); similarities count in standard deviations."""

    similarity: float = 0.08
    context_similarity: float = 0.05
    questions: float = -0.15  # a row that only asks states nothing
    date: float = 0.1
    length: float = 0.1  # a longer row says more; counted in ln(1 + terms), up to MOST_TERMS
    speaker: float = 0.1
    speaker_name: float = 0.5  # a speaker's name as a word, next to 1 for other words


DEFAULT = Weights()
MOST_TERMS = 30  # so that a pasted page or a long answer of an assistant is not ahead for its length alone


def default_scores(
    history: History, question: str, vector: Vectors, dates: Sequence[AskedDate], weights: Weights = DEFAULT
) -> Floats:
    """Shape (n,): the `default` profile's score of each row: the text's, with the graph's typed signals in it."""
    asked = asked_speakers(question, history.roles)
    signals = [(AGENT + key, 1.0) for speaker in sorted(asked) if (key := anchor_key(speaker))]
    signals += [(term, 1.0) for date in dates for term in date_terms(date)]
    return _linear(history, history.enriched, question, vector, dates, signals, weights)


def direct_scores(
    history: History, question: str, vector: Vectors, dates: Sequence[AskedDate], weights: Weights = DEFAULT
) -> Floats:
    """Shape (n,): the `direct` profile's score, LIN(B0): of the text alone; `vector` is the question's, length 1."""
    return _linear(history, history.windowed, question, vector, dates, [], weights)


def _linear(
    history: History,
    words: Bm25,
    question: str,
    vector: Vectors,
    dates: Sequence[AskedDate],
    signals: list[tuple[str, float]],
    weights: Weights,
) -> Floats:
    asked = asked_speakers(question, history.roles)
    names = set(terms([" ".join(sorted(asked))])[0])
    query = [(t, weights.speaker_name if t in names else 1.0) for t in terms([question])[0]]
    query += [(speaker_term(s), 1.0) for s in sorted(asked)]
    return (
        _over_maximum(words.scores([*query, *signals]))
        + weights.similarity * _standard(_similarity(history.vectors, vector))
        + weights.context_similarity * _standard(_similarity(history.context_vectors, vector))
        + weights.questions * history.question_shares
        + weights.date * _date_nearness(history, dates)
        + weights.length * np.log1p(np.minimum(history.lengths, MOST_TERMS))
        + weights.speaker * _speaker_fit(history, asked)
    )


def date_terms(asked: AskedDate) -> list[str]:
    """The signals by which rows of an asked date are found: its day, else its month, else its year."""
    if asked.start is not None and asked.end is not None:
        return list(dates_of(asked.start.isoformat(), asked.end.isoformat()))
    if asked.year is None:
        return []
    if asked.month is None:
        return [f"{YEAR}{asked.year}"]
    month = f"{asked.year:04d}-{asked.month:02d}"
    return [f"{MONTH}{month}"] if asked.day is None else [f"{DAY}{month}-{asked.day:02d}", f"{MONTH}{month}"]


def lexical_scores(history: History, question: str) -> Floats:
    """Shape (n,): plain BM25 of the rows' own words."""
    return history.own.scores([(t, 1.0) for t in terms([question])[0]])


def dense_scores(history: History, vector: Vectors) -> Floats:
    """Shape (n,): plain cosine of the rows' own vectors."""
    return _similarity(history.vectors, vector)


def best_first(history: History, scores: Floats, n: int) -> list[tuple[float, IndexRow]]:
    """The best `n` rows and their scores in a total order: score to 6 decimals, then row_id.

    Rounding keeps rows that are equal from being told apart by the order of a sum.
    """
    rounded = [float(s) for s in np.round(scores, 6)]
    order = sorted(range(len(history)), key=lambda i: (-rounded[i], history.rows[i].row_id))
    return [(rounded[i], history.rows[i]) for i in order[:n]]


def _similarity(vectors: Vectors, vector: Vectors) -> Floats:
    return (vectors @ vector).astype(np.float64)


def _over_maximum(scores: Floats) -> Floats:
    top = scores.max(initial=0.0)
    return scores / top if top > 0 else scores


def _standard(values: Floats) -> Floats:
    """Values minus their mean, in standard deviations; 0 where all are alike."""
    deviation = values.std() if len(values) else 0.0
    return (values - values.mean()) / deviation if deviation > 1e-6 else np.zeros_like(values)


def _speaker_fit(history: History, asked: frozenset[str]) -> Floats:
    """1 for a row by one of the speakers asked about, -1 by another; 0 where none or all of them are."""
    if not asked or asked.issuperset(history.speakers):
        return np.zeros(len(history), np.float64)
    return np.array([1.0 if s in asked else -1.0 for s in history.speakers], np.float64)


def _date_nearness(history: History, dates: Sequence[AskedDate]) -> Floats:
    """The nearest of the asked dates to the day said or the event's day, 0 to 1 (`nearness`)."""
    if not dates:
        return np.zeros(len(history), np.float64)
    known: dict[date | None, float] = {None: 0.0}
    for day in {*history.days, *history.event_days}:
        if day is not None:
            known[day] = max(nearness(asked, day) for asked in dates)
    pairs = zip(history.days, history.event_days, strict=True)
    return np.array([max(known[said], known[event]) for said, event in pairs], np.float64)
