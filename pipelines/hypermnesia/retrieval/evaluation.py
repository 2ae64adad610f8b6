"""Retrieval on labelled questions: profiles and two baselines over one store, and what is known of their differences.

Evidence is counted by message: a row stands for the messages that it cites, each once. `recall` is at a system's own
number of rows, `recall@default` at the number that `default` gives the same question. Nothing abstains by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any

from hypermnesia.ports import Embedder, IndexRow
from hypermnesia.retrieval.baselines import Baselines
from hypermnesia.retrieval.comparison import Measures, both_ways, gain, means
from hypermnesia.retrieval.datasets import Labelled, Labels, plain_id
from hypermnesia.retrieval.history import History
from hypermnesia.retrieval.metrics import precision, recall, reciprocal_rank, separation

PROFILES = ("direct", "papers", "default")
WITH_MERGES = ("papers", "default")  # the profiles that read the graph: asked over it without merges too
UNMERGED = "_unmerged"
BASELINES = ("bm25", "dense")
DEPTHS = (10, 20)
ROW_TOKENS = (300, 600, 1_200)
CHARACTERS_PER_TOKEN = 4
DEEP = 60  # rows asked for, so that 20 different messages are among them
OTHERS = ("direct", "default_unmerged", "papers", "bm25", "dense")
PAIRS = (*(("default", other) for other in OTHERS), ("papers", "papers_unmerged"))

Ask = Callable[..., Mapping[str, Any]]  # as Asker.ask
Row = tuple[list[str], int]  # the messages that a row cites, and the tokens of its text


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one system made of one question; `signs` are scores that an answer is there."""

    asked: Labelled
    measures: Measures
    signs: Measures


def evaluate(
    labels: Labels, ask: Ask, unmerged: Ask, history: Callable[[str], History], embedder: Embedder
) -> dict[str, Any]:
    """Means of every measure by system and category, paired gains, and how well a score tells what has no answer.

    `ask` is as `Asker.ask`, `unmerged` the same over a graph without merges, `history` gives a user's rows for the
    baselines. A question whose user has no rows counts as not found.
    """
    known = {user: _names_of(history(user)) for user in {q.user for q in labels.questions}}
    labels = replace(labels, questions=tuple(_named(q, known[q.user]) for q in labels.questions))
    systems = {profile: _by_ask(ask, profile) for profile in PROFILES}
    systems |= {profile + UNMERGED: _by_ask(unmerged, profile) for profile in WITH_MERGES}
    systems |= _baselines(history, embedder)
    outcomes: dict[str, list[Outcome]] = {name: [] for name in systems}
    for q in labels.questions:
        rankings = {name: system(q) for name, system in systems.items()}
        for name, ranking in rankings.items():
            outcomes[name].append(_outcome(q, ranking, rankings["default"].n_own))
    users = sorted({q.user for q in labels.questions})
    return {
        "n_questions": len(labels.questions),
        "n_by_category": {c: sum(q.category == c for q in labels.questions) for c in _categories(labels)},
        "n_without_evidence": labels.n_without_evidence,
        "n_unknown_evidence_ids": labels.n_unknown_ids,
        "n_evidence_not_in_memory": sum(len(q.evidence - set(known[q.user].values())) for q in labels.questions),
        "users_without_rows": [user for user in users if not len(history(user))],
        "systems": {n: means([(o.asked.category, o.measures) for o in found]) for n, found in outcomes.items()},
        "gains": [_gain(one, other, outcomes) for one, other in PAIRS],
        "unanswerable": _abstention(labels, systems, outcomes),
    }


@dataclass(frozen=True, slots=True)
class Ranking:
    """The rows of one system for one question: as many as asked for, how many of them are its own answer."""

    rows: list[Row]
    n_own: int
    signs: Measures


System = Callable[[Labelled], Ranking]


def _by_ask(ask: Ask, profile: str) -> System:
    def rank(q: Labelled) -> Ranking:
        answer = ask(q.user, q.question, as_of=q.as_of, profile=profile, limit=DEEP, explain=True)
        shown, deep = answer["explain"], answer["rows"]
        if profile == "papers":  # its budgets count for each memory type: its own rows need not be the first of many
            own = ask(q.user, q.question, as_of=q.as_of, profile=profile)["rows"]
            own_ids = {row["row_id"] for row in own}
            deep = [*own, *(row for row in deep if row["row_id"] not in own_ids)]
        n_own = len(own) if profile == "papers" else min(shown["rows_by_need"] or 0, len(deep))
        rows = [(_messages((s["native_id"], s["message_id"]) for s in row["sources"]), _n_tokens(row)) for row in deep]
        premise = 1.0 if shown["premise"] is None else float(shown["premise"])
        return Ranking(rows, n_own, {"best_score": float(deep[0]["score"]) if deep else 0.0, "premise": premise})

    return rank


def _baselines(history: Callable[[str], History], embedder: Embedder) -> dict[str, System]:
    of_user = cache(lambda user: Baselines(history(user)))

    def by_words(q: Labelled) -> Ranking:
        return _plain(of_user(q.user).by_words(q.question, DEEP))

    def by_vectors(q: Labelled) -> Ranking:
        return _plain(of_user(q.user).by_vectors(embedder.embed([q.question])[0], DEEP))

    return dict(zip(BASELINES, (by_words, by_vectors), strict=True))


def _plain(found: Iterable[IndexRow]) -> Ranking:
    rows = [
        (
            _messages((s.native_id, s.message_id) for s in row.sources),
            _n_tokens({"said_at": row.said_at, "speaker": row.speaker, "text": row.text}),
        )
        for row in found
    ]
    return Ranking(rows, DEPTHS[0], {})


def _outcome(q: Labelled, ranking: Ranking, n_default: int) -> Outcome:
    own = first_cited((messages for messages, _ in ranking.rows[: ranking.n_own]), DEEP)
    deep = first_cited((messages for messages, _ in ranking.rows), DEEP)
    measures = {f"recall@{k}": recall(deep[:k], q.evidence) for k in DEPTHS}
    measures |= {f"recall@{n}t": recall(_within(ranking.rows, n), q.evidence) for n in ROW_TOKENS}
    of_default = first_cited((messages for messages, _ in ranking.rows[:n_default]), DEEP)
    measures |= {
        "recall@default": recall(of_default, q.evidence),
        "recall": recall(own, q.evidence),
        "precision": precision(own, q.evidence),
        "covered": float(q.evidence <= set(own)),
        "reciprocal_rank": reciprocal_rank(deep, q.evidence),
        "n_messages": float(len(own)),
        "n_rows": float(ranking.n_own),
        "n_tokens": float(sum(n for _, n in ranking.rows[: ranking.n_own])),
    }
    return Outcome(q, measures, ranking.signs)


def first_cited(rows: Iterable[Iterable[str]], k: int) -> list[str]:
    """The first `k` different messages that ranked rows cite."""
    found: dict[str, None] = {}
    for row in rows:
        found |= dict.fromkeys(row)
        if len(found) >= k:
            break
    return list(islice(found, k))


def _within(rows: Sequence[Row], n_tokens: int) -> Iterator[str]:
    """The messages of the first rows whose text has so many tokens together."""
    for messages, n in rows:
        n_tokens -= n
        if n_tokens < 0:
            return
        yield from messages


def _messages(sources: Iterable[tuple[str | None, str]]) -> list[str]:
    """The messages that a row cites, by the archive's own ids where it has any."""
    return [plain_id(native_id) if native_id else message_id for native_id, message_id in sources]


def _names_of(history: History) -> dict[str, str]:
    """Every way in which a label may name a message -> its name in `_messages`."""
    found: dict[str, str] = {}
    for row in history.by_id.values():
        for s in row.sources:
            name = _messages([(s.native_id, s.message_id)])[0]
            found |= {name: name, s.message_id: name, s.native_id or name: name}
    return found


def _named(q: Labelled, names: Mapping[str, str]) -> Labelled:
    return replace(q, evidence=frozenset(names.get(e, e) for e in q.evidence))


def _n_tokens(row: Mapping[str, Any]) -> int:
    written = f"[{(row['said_at'] or '')[:10]}] {row['speaker']}: {row['text']}"
    return -(-len(written) // CHARACTERS_PER_TOKEN)


def _categories(labels: Labels) -> list[str]:
    return list(dict.fromkeys(q.category for q in labels.questions))


def _gain(one: str, other: str, outcomes: Mapping[str, Sequence[Outcome]]) -> dict[str, Any]:
    """What one system gains on another, question by question."""
    users = [o.asked.user for o in outcomes[one]]

    def both(measure: str) -> tuple[list[float], list[float]]:
        first, second = ([o.measures[measure] for o in outcomes[name]] for name in (one, other))
        return first, second

    found: dict[str, Any] = {"first": one, "second": other}
    found |= {measure: gain(*both(measure), users) for measure in ("recall", "recall@default", f"recall@{DEPTHS[0]}")}
    return found | {"covered": both_ways(*both("covered"))}


def tracked_measures(found: Mapping[str, Any]) -> Measures:
    """The numbers of an evaluation that a tracker keeps: every measure of every system over all questions."""
    measures = {
        f"{system}_{measure.replace('@', '_at_')}": value
        for system, groups in found["systems"].items()
        for measure, value in groups.get("all", {}).items()
    }
    gains = {f"gain_{g['first']}_over_{g['second']}": g["recall"]["gain"] for g in found["gains"]}
    signs = {
        f"{system}_abstention_{sign}": value
        for system, separated in found["unanswerable"]["separation"].items()
        for sign, value in separated.items()
    }
    answers = {
        f"{system}_answers_{measure}": value
        for system, groups in found.get("answers", {}).get("systems", {}).items()
        for measure, value in groups.get("all", {}).items()
    }
    return measures | gains | signs | answers | {"n_questions": float(found["n_questions"])}


def _abstention(
    labels: Labels, systems: Mapping[str, System], outcomes: Mapping[str, Sequence[Outcome]]
) -> dict[str, Any]:
    """How well a sign tells questions with an answer from those without: 1 always, .5 not at all.

    `best_score` is the best row's; `premise` whether those whom the question names said it (`retrieval/premise.py`).
    """
    separated: dict[str, Measures] = {}
    if labels.unanswerable:
        for name in ("direct", "default"):
            without = [systems[name](q).signs for q in labels.unanswerable]
            separated[name] = {
                sign: round(separation([o.signs[sign] for o in outcomes[name]], [signs[sign] for signs in without]), 4)
                for sign in without[0]
            }
    return {"n": len(labels.unanswerable), "separation": separated}
