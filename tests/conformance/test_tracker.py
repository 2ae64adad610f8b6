"""What a tracker must do, and that one that fails never fails the data (cases J01-J07)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from mlflow.tracking import MlflowClient

from hypermnesia.adapters.mlflow import EXPERIMENT, MlflowTracker
from hypermnesia.engine.tracking import SafeTracker


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "tracking"


def runs(root: Path) -> dict[str, tuple[str, Mapping[str, float], Mapping[str, str], Mapping[str, str]]]:
    client = MlflowClient(tracking_uri=f"sqlite:///{root / 'mlflow.db'}")
    experiment = client.get_experiment_by_name(EXPERIMENT)
    found = client.search_runs([experiment.experiment_id])
    return {r.info.run_name: (r.info.status, r.data.metrics, r.data.params, r.data.tags) for r in found}


def test_a_run_keeps_params_metrics_and_how_it_ended(root: Path) -> None:
    tracker = MlflowTracker(root)
    tracker.start("r1", "backfill", {"versions": "x" * 9000}, {"resumed_from": "r0"})
    tracker.log({"ingest.n_in": 3.0, "ingest.reason.bad_time": 1.0})
    tracker.attach("digests.json", "{}")
    tracker.finish("finished")
    status, metrics, params, tags = runs(root)["r1"]
    assert (status, metrics["ingest.n_in"]) == ("FINISHED", 3.0)
    assert params["versions"].startswith("xxx")
    assert tags["resumed_from"] == "r0"


def test_j06_artifacts_land_in_the_home_whatever_the_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = MlflowTracker(root)
    first.start("r1", "backfill", {}, {})
    first.finish("finished")
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    second = MlflowTracker(root)
    second.start("r2", "backfill", {}, {})
    second.attach("counts.json", '{"ingest": 1}')
    second.finish("finished")
    (file,) = root.rglob("counts.json")
    assert file.read_text() == '{"ingest": 1}'
    assert not list(elsewhere.iterdir())


def test_j03_a_run_id_in_the_environment_is_not_obeyed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_RUN_ID", "somebody-else's")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///nowhere/else.db")
    tracker = MlflowTracker(root)
    tracker.start("mine", "backfill", {}, {})
    tracker.log({"a": 1.0})
    tracker.finish("failed")
    assert runs(root)["mine"][0] == "FAILED"


def test_j04_a_resume_with_other_settings_is_a_run_of_its_own(root: Path) -> None:
    for name, chunk in (("r1", "512"), ("r2", "1024")):
        tracker = MlflowTracker(root)
        tracker.start(name, "backfill", {"chunk": chunk}, {})
        tracker.finish("finished")
    assert {name: params["chunk"] for name, (_, _, params, _) in runs(root).items()} == {"r1": "512", "r2": "1024"}


def test_j07_a_killed_run_is_closed_by_the_next(root: Path) -> None:
    code = (
        "import sys, os; from pathlib import Path; from hypermnesia.adapters.mlflow import MlflowTracker\n"
        "t = MlflowTracker(Path(sys.argv[1])); t.start('killed', 'backfill', {}, {}); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(root)], check=False).returncode == -9
    assert runs(root)["killed"][0] == "RUNNING"
    tracker = MlflowTracker(root)
    tracker.start("next", "backfill", {}, {})
    assert (runs(root)["killed"][0], runs(root)["next"][0]) == ("FAILED", "RUNNING")
    other = MlflowTracker(root)
    other.start("beside", "backfill", {}, {})
    assert runs(root)["next"][0] == "RUNNING", "a run whose process lives is left alone"


def test_a_tracker_that_fails_is_one_warning(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    said: list[str] = []
    tracker = SafeTracker(MlflowTracker(blocked / "tracking"), said.append)
    tracker.start("r1", "backfill", {}, {})
    tracker.log({"a": 1.0})
    tracker.attach("x", "y")
    tracker.finish("finished")
    assert len(said) == 1
    assert "tracking failed and is off for this run" in said[0]
