"""Homes whose extractor is a model: its right answers are made from the linguistic extractor's readings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from homes import make_app

from hypermnesia.adapters.spacy import LinguisticExtractor
from hypermnesia.app import App
from hypermnesia.engine.progress import Progress
from hypermnesia.ports import Generator
from hypermnesia.stages.chunk_shards import ChunkShards
from hypermnesia.stages.ingest import ArchiveInput
from tests.fixtures.scripted_model import MODEL, Fault, KnownPassages, ScriptedModel, no_fault

SAMPLE = Path(__file__).parents[2] / "pipelines" / "hypermnesia" / "demo" / "sample"
#: What a small archive is read by: no gate closes on a few calls.
OPEN_GATES = {"reject_budget": 1.0, "limits": {}}


def model_app(home: Path, **settings: Any) -> App:
    """An app whose model path asks a generator that a test gives (`use`)."""
    chosen = {"extractor": "model", "model": MODEL, "generator": "openai", "openai": {"urls": ["http://nowhere/v1"]}}
    return make_app(home, **(chosen | OPEN_GATES | {"shard_messages": 2_000, "shard_records": 256} | settings))


def use(app: App, make: Callable[[], Generator]) -> App:
    """The app with this generator."""
    app.model_path.__dict__["make_generator"] = make
    return app


def backfill(app: App, *paths: Path) -> Any:
    return app.backfill([ArchiveInput(path) for path in paths], Progress())


def known_passages(folder: Path, *paths: Path) -> KnownPassages:
    """What the linguistic extractor reads in these archives."""
    app = make_app(folder, extractor="verbatim")
    backfill(app, *paths)
    shards = ChunkShards(app.lake, app.identity, 2_000)
    extractor = LinguisticExtractor()
    passages = [passage for shard in shards.plan("known", "1") for _, passage in shards.passages(shard)]
    return KnownPassages([(p, r.made) for p, r in zip(passages, extractor.read(passages), strict=True)])


class Scripted:
    """Makes scripted models that share what they were asked."""

    def __init__(self, known: KnownPassages, fault: Fault = no_fault, model: str = MODEL) -> None:
        self.one = ScriptedModel(known, fault, model=model)

    def __call__(self) -> ScriptedModel:
        return self.one

    @property
    def asked(self) -> Any:
        return self.one.asked
