"""Recall of evidence on LoCoMo files, beside plain BM25 and plain dense search over the same rows.

Categories: 1 multi-hop, 2 temporal, 3 open domain, 4 single-hop; 5 (adversarial) has no evidence to
find and is left out. Source: Maharana et al. 2024, arXiv 2402.17753.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypermnesia.ports import Embedder
from hypermnesia.retrieval.bm25 import Floats
from hypermnesia.retrieval.history import History
from hypermnesia.retrieval.ranking import best_first, dense_scores, lexical_scores

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open domain", 4: "single-hop"}
DEPTHS = (10, 20)
ROWS_PER_MESSAGE = 3  # rows asked for by message wanted: several rows may cite one message

_LABEL = re.compile(r"D:?(\d+):(\d+)")

Ask = Callable[..., Mapping[str, Any]]  # as Asker.ask
Ranker = Callable[[str, str, int], list[str]]  # user, question, number of messages -> native ids, best first


@dataclass(frozen=True, slots=True)
class Labelled:
    """One question of a LoCoMo file with the native ids of its evidence, each of which exists."""

    user: str
    question: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Labels:
    """The questions with evidence; how many had none that exists, and how many named ids don't exist."""

    questions: tuple[Labelled, ...]
    n_without_evidence: int
    n_unknown_ids: int


def evidence_ids(written: Iterable[str]) -> list[str]:
    """Message ids as labels write them, repaired: "D8:6; D9:17" is two, "D:11:26" is D11:26, "D30:05" is D30:5."""
    return [f"D{int(session)}:{int(turn)}" for label in written for session, turn in _LABEL.findall(label)]


def read_labels(path: Path) -> Labels:
    """The labels of a LoCoMo file. Raises `OSError`, and `ValueError` for a file that is none."""
    samples = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(samples, list) or not all(isinstance(s, dict) and "sample_id" in s for s in samples):
        raise ValueError(f"{path}: not a LoCoMo file, which is a list of samples with a `sample_id`")
    questions: list[Labelled] = []
    n_without_evidence = n_unknown = 0
    for sample in samples:
        turns = _turn_ids(sample["conversation"])
        for item in sample.get("qa", []):
            if item["category"] not in CATEGORIES:
                continue
            ids = set(evidence_ids(item.get("evidence") or []))
            n_unknown += len(ids - turns)
            if ids & turns:
                evidence = frozenset(ids & turns)
                questions.append(Labelled(sample["sample_id"], item["question"], item["category"], evidence))
            else:
                n_without_evidence += 1
    return Labels(tuple(questions), n_without_evidence, n_unknown)


def evaluate_locomo(
    path: Path, ask: Ask, history: Callable[[str], History], embedder: Embedder, depths: Sequence[int] = DEPTHS
) -> dict[str, Any]:
    """Mean share of a question's evidence among the first k distinct messages cited, k of `depths`.

    `ask` is as `Asker.ask`, `history` gives a user's rows for the baselines. The result names counts
    of questions and, for each ranker, recall overall and by category: {"recall": {ranker: {"@20":
    {"all": ..., "multi-hop": ...}}}}. A question whose user has no rows counts as not found.
    """
    labels = read_labels(path)

    def by_ask(user: str, question: str, k: int) -> list[str]:
        rows = ask(user, question, limit=k * ROWS_PER_MESSAGE)["rows"]
        return first_cited(([source["native_id"] for source in row["sources"]] for row in rows), k)

    def by_words(user: str, question: str, k: int) -> list[str]:
        rows = history(user)
        return _baseline(rows, lexical_scores(rows, question), k)

    def by_vectors(user: str, question: str, k: int) -> list[str]:
        rows = history(user)
        return _baseline(rows, dense_scores(rows, embedder.embed([question])[0]), k) if len(rows) else []

    rankers = {"hypermnesia": by_ask, "bm25": by_words, "dense": by_vectors}
    users = {q.user for q in labels.questions}
    return {
        "n_questions": len(labels.questions),
        "n_without_evidence": labels.n_without_evidence,
        "n_unknown_evidence_ids": labels.n_unknown_ids,
        "n_by_category": {name: sum(q.category == c for q in labels.questions) for c, name in CATEGORIES.items()},
        "users_without_rows": sorted(user for user in users if not len(history(user))),
        "recall": {name: _recall(labels.questions, ranker, depths) for name, ranker in rankers.items()},
    }


def first_cited(rows: Iterable[Iterable[str | None]], k: int) -> list[str]:
    """The first `k` different messages that ranked rows cite, each row given by the native ids of its sources."""
    found: dict[str, None] = {}
    for row in rows:
        for native_id in evidence_ids(i for i in row if i is not None):
            found.setdefault(native_id)
        if len(found) >= k:
            break
    return list(found)[:k]


def _baseline(history: History, scores: Floats, k: int) -> list[str]:
    rows = (row for _, row in best_first(history, scores, k * ROWS_PER_MESSAGE))
    return first_cited(([source.native_id for source in row.sources] for row in rows), k)


def _recall(questions: Sequence[Labelled], ranker: Ranker, depths: Sequence[int]) -> dict[str, dict[str, float]]:
    """Mean recall at each depth, overall and by category; categories without questions are left out."""
    found = [(q, ranker(q.user, q.question, max(depths))) for q in questions]
    groups: dict[str, set[int]] = {"all": set(CATEGORIES)} | {name: {c} for c, name in CATEGORIES.items()}
    out: dict[str, dict[str, float]] = {f"@{k}": {} for k in depths}
    for k in depths:
        for name, categories in groups.items():
            shares = [len(q.evidence & set(ids[:k])) / len(q.evidence) for q, ids in found if q.category in categories]
            if shares:
                out[f"@{k}"][name] = round(sum(shares) / len(shares), 4)
    return out


def _turn_ids(conversation: Mapping[str, Any]) -> set[str]:
    sessions = (value for value in conversation.values() if isinstance(value, list))
    turns = (turn for session in sessions for turn in session if isinstance(turn, dict))
    return set(evidence_ids(str(turn.get("dia_id")) for turn in turns))
