"""`evaluate` over a real home: with and without merges, files by what they hold, and what is tracked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from served_home import KEY, open_home

from hypermnesia.app import App
from hypermnesia.cli import main
from hypermnesia.demo import SAMPLE
from hypermnesia.engine.progress import Progress
from hypermnesia.home_evaluation import dataset_of, evaluate_home, without_merges
from hypermnesia.stages.ingest import ArchiveInput

ENV = {"HYPERMNESIA_LAKE_KEY": KEY, "HYPERMNESIA_EXECUTOR": "inline"}
QUESTION = "What does Tomas do with the cargo bikes?"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    """A home after a night in which "cargo bike" and "cargo bikes" became one."""
    home = open_home(tmp_path_factory.mktemp("evaluated") / "home")
    home.backfill([ArchiveInput(SAMPLE / "tomas.jsonl")], Progress())
    home.nightly(Progress())
    return home


@pytest.fixture(scope="module")
def labelled(app: App, tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = app.asker.ask("tomas", "What about the cargo bike?", limit=2)["rows"]
    evidence = [source["message_id"] for row in rows for source in row["sources"]]
    lines = [
        {"user": "tomas", "question": QUESTION, "evidence": evidence, "category": "bikes"},
        {"user": "tomas", "question": "What is the name of Zed's yacht?", "evidence": []},
    ]
    path = tmp_path_factory.mktemp("labels") / "labelled.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def run(app: App, *arguments: str | Path, **env: str) -> Result:
    words = [*map(str, arguments), "--home", str(app.settings.home)]
    return CliRunner().invoke(main, words, env=ENV | env)


def names_entered(answer: dict[str, Any]) -> set[str]:
    return {entry["name"] for entry in answer["explain"]["entry"]}


def test_without_merges_every_name_stands_for_itself(app: App) -> None:
    asked: dict[str, Any] = {"profile": "papers", "explain": True}
    merged = names_entered(app.asker.ask("tomas", QUESTION, **asked))
    apart = names_entered(without_merges(app, app.asker)("tomas", QUESTION, **asked))
    assert {"cargo bike", "cargo bikes"} <= apart
    assert len({"cargo bike", "cargo bikes"} & merged) == 1
    assert without_merges(app, app.asker)("nobody", QUESTION)["rows"] == []


def test_a_file_is_read_as_what_it_holds(app: App, labelled: Path, tmp_path: Path) -> None:
    locomo = [{"qa": [], "conversation": {"speaker_a": "A", "session_1": []}, "sample_id": "conv-1"}]
    (tmp_path / "labels.json").write_text(json.dumps(locomo))
    assert (dataset_of(app, tmp_path / "labels.json"), dataset_of(app, labelled)) == ("locomo", "questions")
    result = run(app, "evaluate", labelled, "--json", HYPERMNESIA_TRACKING="off")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["n_questions"], found["unanswerable"]["n"], found["n_by_category"]) == (1, 1, {"bikes": 1})
    assert found["n_merged_anchors"] > 0
    assert {"default", "default_unmerged", "papers", "papers_unmerged"} <= set(found["systems"])


def test_table_and_picture(app: App, labelled: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "evaluation.svg"
    result = run(app, "evaluate", "questions", labelled, "--plot", drawn, HYPERMNESIA_TRACKING="off")
    assert result.exit_code == 0, result.output
    assert "default over default_unmerged: recall" in result.stdout and "premise" in result.stdout
    assert ElementTree.fromstring(drawn.read_text()).tag.endswith("svg")


def test_answers_need_a_generator(app: App, labelled: Path) -> None:
    result = run(app, "evaluate", "questions", labelled, "--answers", HYPERMNESIA_TRACKING="off")
    assert result.exit_code == 1 and "generator" in result.output and "Traceback" not in result.output


def test_an_evaluation_is_a_run_with_its_picture(app: App, labelled: Path) -> None:
    from mlflow.tracking import MlflowClient

    tracked = App(app.settings.model_copy(update={"tracking": "mlflow"}))
    found = evaluate_home(tracked, "questions", labelled)
    client = MlflowClient(f"sqlite:///{tracked.home / 'tracking' / 'mlflow.db'}")
    (experiment,) = [e.experiment_id for e in client.search_experiments() if e.name == "hypermnesia"]
    (kept,) = client.search_runs([experiment])
    assert kept.data.metrics["default_recall"] == found["systems"]["default"]["all"]["recall"]
    assert {file.path for file in client.list_artifacts(kept.info.run_id)} == {"evaluation.json", "evaluation.svg"}
