"""What the candidates of a long history hold of what a full scan would return: `python -m tests.bench.pool HOME...`.

All users of some homes become one user with one long history. Questions are texts of its own rows, one of every
`--step` that asks something, as said by another; `--labelled FILE` (LoCoMo) takes that file's instead, with the recall
of its evidence. The last line is one JSON object: shares of the full scan's first 10 and 30 rows that are candidates,
and that are among as many rows of the ranking of candidates.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from hypermnesia.app import App
from hypermnesia.ports import IndexRow
from hypermnesia.retrieval import candidates
from hypermnesia.retrieval.datasets import read_locomo
from hypermnesia.retrieval.features import Question
from hypermnesia.retrieval.history import History, build_history
from hypermnesia.retrieval.ranking import Ranked, rank
from hypermnesia.rules.planning import plan
from hypermnesia.settings import load

DEPTHS = (10, 30)


def together(homes: list[Path]) -> Iterator[IndexRow]:
    """The rows of all users of some homes as one user's."""
    for number, home in enumerate(homes):
        app = App(load(home=home), makes_home=False)
        users = sorted(set(app.lake.read("messages", columns=["user_id"])["user_id"].to_pylist()))
        for user in users:
            for row in app.asker.histories.get(user).by_id.values():
                name = f"{number}/{user}/{row.conversation_id}"
                yield replace(row, user_id="all", conversation_id=name, session=f"{name}/{row.session}")


def questions(rows: list[IndexRow], labelled: Path | None, step: int) -> list[tuple[str, frozenset[str]]]:
    if labelled is not None:
        return [
            (q.question, frozenset(f"{q.user} {e}" for e in q.evidence))
            for q in read_locomo(labelled).questions[::step]
        ]
    asking = [row.text for row in rows if row.text.endswith("?") and 4 < len(row.text.split()) < 25]
    return [(text, frozenset()) for text in sorted(asking)[::step]]


def measure(history: History, asked: list[tuple[str, frozenset[str]]], app: App) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    full_scan = candidates.FULL_SCAN
    for text, evidence in asked:
        vectors, tokens = app.embedder.embed_tokens([("", text)])
        question = Question(text, vectors[0], tokens[0], plan(text))
        pooled = rank(history, question)
        candidates.FULL_SCAN = len(history)
        full = rank(history, question)
        candidates.FULL_SCAN = full_scan
        figures = {"n_candidates": float(len(pooled.places))}
        for k in DEPTHS:
            first = full.places[:k]
            figures[f"candidates_hold_top{k}"] = float(np.isin(first, pooled.places).mean())
            figures[f"ranking_holds_top{k}"] = float(np.isin(first, pooled.places[:k]).mean())
            if evidence:
                figures[f"recall{k}_full"] = _recall(history, full, k, evidence)
                figures[f"recall{k}_candidates"] = _recall(history, pooled, k, evidence)
        for name, value in figures.items():
            found.setdefault(name, []).append(value)
    return {name: round(float(np.mean(values)), 4) for name, values in found.items()}


def _recall(history: History, ranked: Ranked, k: int, evidence: frozenset[str]) -> float:
    rows = [history.rows[place] for place in ranked.places[:k]]
    cited = {f"{row.conversation_id.split('/')[1]} {s.native_id}" for row in rows for s in row.sources}
    return len(cited & evidence) / len(evidence)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("homes", type=Path, nargs="+")
    parser.add_argument("--labelled", type=Path)
    parser.add_argument("--step", type=int, default=20)
    given = parser.parse_args()
    rows = list(together(given.homes))
    asked = questions(rows, given.labelled, given.step)
    app = App(load(home=given.homes[0]), makes_home=False)
    history = build_history(rows)
    if len(history) <= candidates.FULL_SCAN:
        raise SystemExit(f"{len(history)} rows are all candidates: name homes with more than {candidates.FULL_SCAN}")
    print(json.dumps({"n_rows": len(history), "n_questions": len(asked)} | measure(history, asked, app)))


if __name__ == "__main__":
    main()
