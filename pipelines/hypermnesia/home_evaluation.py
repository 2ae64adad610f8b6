"""Measures how a home finds and answers labelled questions: one tracked run, with table, picture and everything found;
and how its model reads dialogues and judges names.

The graph without merges is computed from the same lake, a user at a time; rows and vectors are the published ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from hypermnesia.adapters.delta import N_BUCKETS
from hypermnesia.adapters.mlflow import MlflowTracker
from hypermnesia.contracts.labelled import LabelledPair
from hypermnesia.engine.flow import new_run_id
from hypermnesia.engine.tracking import SafeTracker
from hypermnesia.graph_view import UserGraph, user_graphs
from hypermnesia.inspection.model_judge import Judge, ask_about_pairs
from hypermnesia.ports import Embedder, Extractor, Tokens
from hypermnesia.ports.models import Vectors
from hypermnesia.retrieval.ask import Asker
from hypermnesia.retrieval.datasets import DATASETS, QUESTIONS
from hypermnesia.retrieval.evaluation import Ask, evaluate, tracked_measures
from hypermnesia.retrieval.judging import judge_answers
from hypermnesia.retrieval.overlay import GraphOverlay
from hypermnesia.retrieval.plot import plot
from hypermnesia.rules.identity import bucket_of
from hypermnesia.stages.asked_extractor import AskedExtractor
from hypermnesia.stages.judge_entities import PROMPT as SAME_ENTITY
from hypermnesia.views import Bucket

if TYPE_CHECKING:
    from hypermnesia.app import App


def dataset_of(app: App, path: Path) -> str:
    """Which of `DATASETS` a file is, by what it holds; own lines where it is no archive of that name."""
    reader = app.archives.recognise(path)
    return reader.name if reader is not None and reader.name in DATASETS else QUESTIONS


def evaluate_home(
    app: App, dataset: str, path: Path, n_votes: int | None = None, n_answers: int | None = None
) -> dict[str, Any]:
    """How well this home's evidence for labelled questions is found; `dataset` is of `DATASETS`.

    With `n_votes`, answers too, by the configured generator, which judges them as well; `n_answers` takes about so
    many of the questions. Raises `ValueError` where no generator is configured.
    """
    labels = DATASETS[dataset](path)
    generator = None if n_votes is None else app.model_path.make_generator()
    asker = Asker(app.index, app.graph, _Once(app.embedder), cache_rows=app.settings.cache_rows)
    found = evaluate(labels, asker.ask, without_merges(app, asker), asker.histories.get, app.embedder)
    found["n_merged_anchors"] = _n_merged(app, {q.user for q in labels.questions})
    if generator is not None and n_votes is not None:
        prompts = app.model_path.model.prompts
        found["answers"] = judge_answers(labels, asker.ask, generator, prompts, n_votes, n_answers)
    if app.settings.tracking == "mlflow":
        _track(app, dataset, path, found)
    return found


def measured_extractor(app: App) -> Extractor:
    """The extractor as it is measured: a model is asked at once, and nothing is kept.

    Raises `ValueError` where the model can't be asked.
    """
    if app.settings.extractor != "model":
        return app.extractor
    return AskedExtractor(app.model_path.make_generator(), app.identity, app.model_path.model)


def model_judge(app: App, pairs: Iterable[LabelledPair]) -> Judge:
    """The model as a judge of labelled pairs. Raises `ValueError` where no model can be asked."""
    return ask_about_pairs(pairs, app.model_path.make_generator(), app.model_path.model.prompts[SAME_ENTITY])


class _Once:
    """An embedder that keeps the last question: every system is asked the same."""

    def __init__(self, embedder: Embedder) -> None:
        self.model, self.dimension, self.embed = embedder.model, embedder.dimension, embedder.embed
        self._embedder = embedder
        self._last: tuple[Sequence[tuple[str, str]], tuple[Vectors, list[Tokens]]] | None = None

    def embed_tokens(self, texts: Sequence[tuple[str, str]]) -> tuple[Vectors, list[Tokens]]:
        """As the embedder gives them."""
        if self._last is None or self._last[0] != texts:
            self._last = texts, self._embedder.embed_tokens(texts)
        return self._last[1]


def without_merges(app: App, asker: Asker) -> Ask:
    """As `Asker.ask`, over graphs in which no name was merged with another."""

    @lru_cache(maxsize=1)  # questions come user by user
    def over_own(user: str) -> Asker:
        graph = _graph_without_merges(app, user)
        return asker.over(GraphOverlay(user, *((graph.anchors, graph.frames) if graph else ((), ()))))

    def ask(user: str, question: str, **options: Any) -> dict[str, Any]:
        return over_own(user).ask(user, question, **options)

    return ask


def _n_merged(app: App, users: Iterable[str]) -> int:
    """How many anchors joined another one: without any, there is nothing that merges could change."""
    reader = app.graph.reader()
    try:
        return sum(len(anchor.members) - 1 for user in users for anchor in reader.user_anchors(user))
    finally:
        reader.close()


def _graph_without_merges(app: App, user: str) -> UserGraph | None:
    bucket = Bucket(app.lake, app.identity, bucket_of(user, N_BUCKETS), app.active, user)
    bucket.merges = bucket.merges.filter(pl.col("decision") != "same")
    return next(user_graphs(bucket, app.identity), None)


def _track(app: App, dataset: str, path: Path, found: dict[str, Any]) -> None:
    tracker = SafeTracker(MlflowTracker(app.home / "tracking"), lambda _: None)
    tracker.start(new_run_id(), f"evaluate {dataset}", {"file": path.name}, {})
    tracker.log(tracked_measures(found))
    tracker.attach("evaluation.json", json.dumps(found, indent=1))
    tracker.attach("evaluation.svg", plot(found))
    tracker.finish("failed" if "stopped" in found.get("answers", {}) else "finished")
