"""The weights of the ranking, fitted on labelled chats: `python -m tests.bench.fit_ranking HOME=QUESTIONS...`.

Each argument is a home and a file of labelled questions about it (`contracts/labelled.py`). The loss is, of each
question, the mean over its evidence rows of ln(1 + sum over other rows of exp(s - s of the evidence)); weights are held
to `PRIOR` by `STRENGTH`, in units of each feature. Then the chances of `rows_by_need`, by plain logistic regression on
what the ranking puts first with the weights that are in place: run it again after these have changed.

Prints what to write into `retrieval/ranking.py` and `rows_by_need.py`, and the recall at 10, 12 and 20 rows of each
chat by weights that were fitted on the others. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hypermnesia.app import App
from hypermnesia.retrieval.ask import put, with_names
from hypermnesia.retrieval.datasets import read_questions
from hypermnesia.retrieval.features import Asked, features
from hypermnesia.retrieval.graph_step import read_graph
from hypermnesia.retrieval.history import Flags, History
from hypermnesia.retrieval.ranking import rank
from hypermnesia.retrieval.rows_by_need import MOST
from hypermnesia.rules.planning import plan
from hypermnesia.settings import load

Array = np.ndarray[Any, np.dtype[np.float64]]
DEPTHS = (10, 12, 20)
STRENGTH = 0.5  # of the prior, in the loss of a question at one deviation of a feature
#: Published rounded weights of a ranking of the same kind, and guesses for what is ours.
PRIOR = {
    "tokens": 0.5,
    "tokens_window": 0.4,
    "tokens_near": 0.2,
    "meaning": 0.2,
    "words_window": 0.3,
    "speaker": 1.0,
    "first_person": 0.5,
    "asks": -0.5,
    "answers": 0.5,
    "length": 0.4,
    "name": 0.5,
    "number": 0.0,
    "relative_date": 1.4,
    "enriched": 0.4,
    "acts": 0.5,
    "holds": 1.5,
    "on_date": 6.0,
}


@dataclass(frozen=True, slots=True)
class Case:
    """One question: its features, shape (rows, features), which rows are evidence, and how broad its plan is.

    `first` and `is_found` are the scores of the first rows by the weights in place, and which of these are evidence.
    """

    user: str
    columns: Array
    is_evidence: Flags
    breadth: float
    first: Array
    is_found: Flags


def cases(app: App, questions: Path, *, with_graph: bool) -> Iterator[tuple[tuple[str, ...], Case]]:
    """Each question that has evidence among its user's rows, with the names of its features."""
    with closing(app.graph.reader()) as graph:
        for q in read_questions(questions).questions:
            history = app.asker.histories.get(q.user)
            is_evidence = np.array([bool(_cited(history, place) & q.evidence) for place in range(len(history))])
            if not is_evidence.any():
                continue
            planned = plan(q.question)
            question = put(app.embedder, q.question, planned, None)
            if with_graph:
                view = read_graph(graph, history, q.user, q.question, question.vector, planned)
                question = with_names(question, view.known_as)
            found = features(Asked(history, question, with_graph=with_graph))
            columns, ranked = np.stack(list(found.values()), axis=1), rank(history, question, with_graph=with_graph)
            first, is_found = ranked.scores[:MOST], is_evidence[ranked.places[:MOST]]
            yield tuple(found), Case(q.user, columns, is_evidence, planned.breadth, first, is_found)


def _cited(history: History, place: int) -> set[str]:
    return {name for s in history.rows[place].sources for name in (s.native_id, s.message_id) if name}


def fit(given: Sequence[Case], prior: Array) -> Array:
    """The weights with the least loss."""
    scale = np.sqrt(np.mean([(case.columns**2).mean(axis=0) for case in given], axis=0)) + 1e-9

    def loss(weights: Array) -> tuple[float, Array]:
        pull = (weights - prior) * scale
        total, gradient = STRENGTH / 2 * len(given) * float(pull @ pull), STRENGTH * len(given) * pull * scale
        for case in given:
            one, slope = _loss(case, weights)
            total, gradient = total + one, gradient + slope
        return total / len(given), gradient / len(given)

    return _least(loss, prior)


def _loss(case: Case, weights: Array) -> tuple[float, Array]:
    scores = case.columns @ weights
    best = scores.max()
    powers = np.where(case.is_evidence, 0.0, np.exp(scores - best))
    mass = powers.sum()
    ratio = mass * np.exp(best - scores[case.is_evidence])
    share = ratio / (1 + ratio) / case.is_evidence.sum()
    others = powers @ case.columns / max(mass, 1e-300)
    return float(np.log1p(ratio).mean()), share.sum() * others - share @ case.columns[case.is_evidence]


def _least(loss: Any, start: Array, steps: int = 300) -> Array:
    """The least of a smooth convex function, by gradient steps of Barzilai and Borwein (1988)."""
    at, rate = start.copy(), 0.1
    _, slope = loss(at)
    best, least = at, np.inf
    for _ in range(steps):
        new = at - rate * slope
        value, new_slope = loss(new)
        if value < least:
            best, least = new, value
        moved, turned = new - at, new_slope - slope
        if np.abs(new_slope).max() < 1e-7 or not (moved @ turned):
            break
        rate, at, slope = float(moved @ moved / abs(moved @ turned)), new, new_slope
    return best


def recalls(case: Case, weights: Array) -> list[float]:
    order = np.argsort(-(case.columns @ weights), kind="stable")
    n = case.is_evidence.sum()
    return [float(case.is_evidence[order[:k]].sum() / n) for k in DEPTHS]


def chances(given: Sequence[Case]) -> Array:
    """score, gap, rank, breadth, bias: the logistic regression of `rows_by_need` on the first rows of each question."""
    rows = []
    for case in given:
        places, broad = np.arange(1, len(case.first) + 1), np.full(len(case.first), np.log(case.breadth))
        rows.append(np.stack([case.first, case.first - case.first[0], np.log(places), broad, broad * 0 + 1], axis=1))
    columns, is_true = np.concatenate(rows), np.concatenate([case.is_found for case in given]).astype(np.float64)
    weights = np.zeros(5)
    for _ in range(30):  # Newton's method
        chance = 1 / (1 + np.exp(-columns @ weights))
        curve = (columns * (chance * (1 - chance))[:, None]).T @ columns + 0.01 * np.eye(5)
        weights = weights + np.linalg.solve(curve, columns.T @ (is_true - chance) - 0.01 * weights)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="+", metavar="HOME=QUESTIONS")
    given = [pair.split("=", 1) for pair in parser.parse_args().pairs]
    apps = [(App(load(home=Path(home)), makes_home=False), Path(questions)) for home, questions in given]
    found: dict[str, Any] = {}
    for with_graph in (True, False):
        made = [one for app, questions in apps for one in cases(app, questions, with_graph=with_graph)]
        names, all_cases = made[0][0], [case for _, case in made]
        prior = np.array([PRIOR[name] for name in names])
        weights = fit(all_cases, prior)
        unseen = []
        for user in sorted({case.user for case in all_cases}):
            others = fit([case for case in all_cases if case.user != user], prior)
            own = [recalls(case, others) for case in all_cases if case.user == user]
            print(user, np.round(np.mean(own, axis=0), 4).tolist(), flush=True)
            unseen += own
        need = chances(all_cases)
        found["with_graph" if with_graph else "text"] = {
            "n_questions": len(all_cases),
            "weights": {name: round(round(w * 20) / 20, 2) for name, w in zip(names, weights.tolist(), strict=True)},
            "need": dict(zip(("score", "gap", "rank", "breadth", "bias"), np.round(need, 2).tolist(), strict=True)),
            "unseen": dict(zip(map(str, DEPTHS), np.round(np.mean(unseen, axis=0), 4).tolist(), strict=True)),
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
