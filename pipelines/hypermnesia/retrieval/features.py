"""What a ranking knows of each row for one question: pure functions, a column a feature.

Similarities are in deviations from their mean over the history; the others are flags or shares as they are. Behind each
feature stands what it is worth: the recall at 10 that the ranking, fitted anew, loses without it on labelled chats of
our own, and on LoCoMo-dev (`configs/eval/ranking.yaml`; .005 is within chance).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TypeVar

import numpy as np

from hypermnesia.ports import Tokens
from hypermnesia.ports.models import Vectors
from hypermnesia.retrieval.bm25 import Floats, Ints
from hypermnesia.retrieval.candidates import candidates, sample
from hypermnesia.retrieval.history import Flags, History, speaker_term
from hypermnesia.retrieval.late_interaction import Similarities
from hypermnesia.retrieval.tokens import terms
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.asked_dates import AskedDate, nearness
from hypermnesia.rules.planning import Plan
from hypermnesia.rules.signals import AGENT, DAY, MONTH, YEAR
from hypermnesia.rules.signals import dates as dates_of
from hypermnesia.rules.speakers import asked_speakers

Features = dict[str, Floats]
Numbers = TypeVar("Numbers", Floats, Similarities)

#: Of a neighbour's similarity where it takes the place of a row's own, by distance.
WINDOW_SHARES = {1: 0.97, 2: 0.94, 3: 0.9, 4: 0.9}
FIRST_WORDS = 0.5  # of words beside direction, in the first look at a long history
MOST_TERMS = 40  # a longer row says no more: a pasted page is not ahead for its length
NAME_WEIGHT = 0.5  # a speaker's name as a word, next to 1 for other words


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the ranking sees it: its vector (length 1), its tokens and its plan.

    `parts` are the questions that it is made of, if several; `known_as` are other names, by the graph, of those whom
    it names.
    """

    text: str
    vector: Vectors
    tokens: Tokens
    plan: Plan
    parts: tuple[Question, ...] = ()
    known_as: tuple[str, ...] = ()


class Asked:
    """A question put to one history: whom it names, its search terms, and the rows to rank."""

    def __init__(self, history: History, question: Question, *, with_graph: bool) -> None:
        self.history, self.question = history, question
        self.speakers = asked_speakers(question.text, history.roles)
        self.is_with_graph = with_graph
        self.words = (
            history.enriched.scores(self._named_terms()) if with_graph else history.windowed.scores(self._terms())
        )
        self.rows = candidates(len(history), self._first_look)
        self.is_sampled = np.isin(self.rows, sample(len(history)))

    def _first_look(self) -> Floats:
        """Shape (n,): what each row of a long history promises, by its words, its direction and who speaks."""
        by_vector = standard(self.history.sketch.scores(self.question.vector))
        return FIRST_WORDS * standard(self.words) + by_vector + _speaker_fit(self)

    def _terms(self, name_weight: float = 0.0) -> list[tuple[str, float]]:
        """The search terms of the question's words, those that name a speaker at a weight of their own."""
        names = set(terms([" ".join(sorted(self.speakers))])[0])
        weighted = ((term, name_weight if term in names else 1.0) for term in terms([self.question.text])[0])
        return [(term, weight) for term, weight in weighted if weight]

    def _named_terms(self) -> list[tuple[str, float]]:
        """With speakers' names, and with the graph's signals."""
        keys = [key for speaker in sorted(self.speakers) if (key := anchor_key(speaker))]
        said = [(speaker_term(speaker), 1.0) for speaker in sorted(self.speakers)]
        dates = [(term, 1.0) for asked in self.question.plan.dates for term in date_terms(asked)]
        others = [(term, 1.0) for term in terms([" ".join(self.question.known_as)])[0]]
        return [*self._terms(NAME_WEIGHT), *said, *((AGENT + key, 1.0) for key in keys), *dates, *others]


def features(asked: Asked) -> Features:
    """All features of the rows that are ranked, each of shape (len(asked.rows),)."""
    known = _graph(asked) if asked.is_with_graph else _text(asked)
    return _late(asked) | _facts(asked) | known


def _late(asked: Asked) -> Features:
    """Question words against row words, each row encoded with the one before it.

    - `tokens`: weighted by how rare a word is (.035, .011).
    - `tokens_window`: a word may be found in the four rows on either side, since a thing may be told in several short
      messages (.022, .010).
    - `tokens_near`: the best of the two rows on either side (.001, .003).
    - `meaning`: cosine of the whole row with the row before it (.002, .003).
    """
    history, rows = asked.history, asked.rows
    shifted = {distance: _shifted(history, rows, distance) for step in WINDOW_SHARES for distance in (-step, step)}
    needed = np.unique(np.concatenate([rows, *shifted.values()]))
    needed = needed[needed >= 0]
    best = history.tokens.best(asked.question.tokens, needed)
    weights = history.tokens.weights(asked.question.tokens)
    similar = (best @ weights).astype(np.float64)
    lowest = float(similar.min(initial=0.0))
    around = [_of(similar, needed, shifted[distance], lowest) for distance in history.near]
    own = best[np.searchsorted(needed, rows)]
    window = own
    for distance, places in shifted.items():
        window = np.maximum(window, WINDOW_SHARES[abs(distance)] * _of(best, needed, places, -1.0))
    return {
        "tokens": _standard(asked, own @ weights),
        "tokens_window": _standard(asked, window @ weights),
        "tokens_near": _standard(asked, np.max(around, axis=0)),
        "meaning": _standard(asked, history.context_vectors[rows] @ asked.question.vector),
    }


def _shifted(history: History, rows: Ints, distance: int) -> Ints:
    """For each of the rows the one so far away in its session, else -1."""
    step = int(np.sign(distance))
    for _ in range(abs(distance)):
        rows = np.where(rows >= 0, history.near[step][rows], -1)
    return rows


def _facts(asked: Asked) -> Features:
    """What a row is, by itself and for this question.

    - `speaker`: 1 where who speaks is asked about, -1 where only others are (.007, .009).
    - `first_person`: "I", "our" (.005, .003).
    - `asks`: it ends with a question (.001, .004).
    - `answers`: the row before, of another speaker, ends so (.000, .005).
    - `length`: ln of terms (.002, .001).
    - `name`: it holds one, for a question of who or where (.001, .001).
    - `number`: it holds one, for a question of how many or when (.005, .000).
    """
    history, rows, facts = asked.history, asked.rows, asked.history.facts
    before = history.near[-1][rows]
    is_other = history.speaker.codes[before] != history.speaker.codes[rows]
    answers = (before >= 0) & is_other & facts.ends_asking[before]
    kind = asked.question.plan.answer
    return {
        "speaker": _speaker_fit(asked)[rows],
        "first_person": facts.is_first_person[rows].astype(np.float64),
        "asks": facts.ends_asking[rows].astype(np.float64),
        "answers": answers.astype(np.float64),
        "length": np.log1p(np.minimum(history.lengths[rows], float(MOST_TERMS))).astype(np.float64),
        "name": facts.has_name[rows].astype(np.float64) * float(kind in {"person", "place"}),
        "number": facts.has_number[rows].astype(np.float64) * float(kind in {"number", "time"}),
    }


def _text(asked: Asked) -> Features:
    """What stands in for the graph where it is not read.

    - `words_window`: BM25, without the names of speakers, of a row and the two on either side (.004, .000).
    - `relative_date`: it holds one, for a question of when (-.001, .001).
    - `on_date`: how near the day on which a row was said is to an asked date, 0 to 1 (as below).
    """
    history, rows = asked.history, asked.rows
    is_when = float(asked.question.plan.answer == "time")
    return {
        "words_window": standard(asked.words)[rows],
        "relative_date": history.facts.has_relative_date[rows].astype(np.float64) * is_when,
        "on_date": _said_on(asked),
    }


def _graph(asked: Asked) -> Features:
    """What the graph's typed signals say (`rules/signals.py`).

    - `enriched`: BM25 over a row's entry with its neighbours, date, speaker, answered question, agent, predicates and
      event dates (-.004, .010).
    - `acts`: an asked speaker is agent or owner of what the row states (-.003, -.001; kept: the premise of a question
      is judged by it).
    - `holds`: it names what is asked for: a place (where), a person (who), a title (which book), a time (when)
      (.004, .003).
    - `on_date`: how near the day on which a row was said, or its event from its first day to its last, is to an asked
      date, 0 to 1 (.003, .014).
    """
    history, rows = asked.history, asked.rows
    kind, is_asked = asked.question.plan.answer, asked.speakers
    event_on = history.event.lookup(lambda span: _nearness(asked, *span), rows)
    return {
        "enriched": standard(asked.words)[rows],
        "acts": history.acts[rows].astype(np.float64)
        * history.speaker.lookup(lambda value: float(value in is_asked), rows),
        "holds": history.holds[kind][rows].astype(np.float64) if kind in history.holds else np.zeros(len(rows)),
        "on_date": np.maximum(_said_on(asked), event_on),
    }


def _said_on(asked: Asked) -> Floats:
    return asked.history.day.lookup(lambda value: _nearness(asked, value, value), asked.rows)


def softmax(scores: Floats) -> Floats:
    """Shares that add up to 1."""
    powers: Floats = np.exp(scores - scores.max(initial=-np.inf))
    return powers / powers.sum() if len(powers) else powers


def date_terms(asked: AskedDate) -> list[str]:
    """The signals by which rows of an asked date are found: its day, else its month, else its year.

    None where all time to one side of it is asked about.
    """
    if asked.is_open:
        return []
    if asked.start is not None and asked.end is not None:
        return list(dates_of(asked.start.isoformat(), asked.end.isoformat()))
    if asked.year is None:
        return []
    if asked.month is None:
        return [f"{YEAR}{asked.year}"]
    month = f"{asked.year:04d}-{asked.month:02d}"
    return [f"{MONTH}{month}"] if asked.day is None else [f"{DAY}{month}-{asked.day:02d}", f"{MONTH}{month}"]


def standard(values: Floats, basis: Flags | None = None) -> Floats:
    """Values minus their mean (or that of a basis among them), in standard deviations; 0 where all are alike."""
    known = values if basis is None else values[basis]
    deviation = float(known.std()) if len(known) else 0.0
    out: Floats = (values - known.mean()) / deviation if deviation > 1e-6 else np.zeros(len(values), np.float64)
    return out


def _standard(asked: Asked, values: Similarities | Floats) -> Floats:
    """As `standard`, by the sampled rows: candidates alone are all alike the question."""
    return standard(values.astype(np.float64), asked.is_sampled)


def _of(values: Numbers, rows: Ints, wanted: Ints, missing: float) -> Numbers:
    """The values of some rows, given those of ascending `rows`; `missing` for -1 and for rows that are not there."""
    if not len(rows):
        return values
    places = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    out: Numbers = values[places]
    out[rows[places] != wanted] = missing
    return out


def _speaker_fit(asked: Asked) -> Floats:
    """Shape (n,): 1 for a row by one of the speakers asked about, -1 by another; 0 where none or all of them are."""
    speaker = asked.history.speaker
    if not asked.speakers or asked.speakers.issuperset(speaker.values):
        return np.zeros(len(asked.history), np.float64)
    fits = [1.0 if value in asked.speakers else -1.0 for value in speaker.values]
    return np.array([*fits, 0.0])[speaker.codes]  # the last is for -1, a row without a speaker


def _nearness(asked: Asked, first: date, last: date) -> float:
    return max((nearness(one, first, last) for one in asked.question.plan.dates), default=0.0)
