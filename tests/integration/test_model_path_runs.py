"""The model path in processes of its own: Ray actors, a real endpoint, a run that is killed, and the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_homes import SAMPLE, Scripted, backfill, known_passages, model_app, use

from hypermnesia.app import App
from hypermnesia.settings import load
from tests.fixtures import scripted_answers, scripted_model
from tests.fixtures.paced_endpoint import MODEL, Pace, serving

pytestmark = pytest.mark.ray

KEY = "a key for tests, of 16 bytes or more"
ARCHIVES = sorted(SAMPLE.glob("*.jsonl"))
TABLES = ("answers", "extractions", "records", "mentions", "assertions", "rejects")


@pytest.fixture(scope="module", autouse=True)
def by_value() -> Iterator[None]:
    """Workers can't import the tests, so what they need of them travels whole."""
    import model_homes
    from ray import cloudpickle

    for module in (model_homes, scripted_model, scripted_answers):
        cloudpickle.register_pickle_by_value(module)
    yield


def digests(app: App) -> dict[str, str]:
    tables = app.digest()["tables"]
    return {name: tables[name] for name in TABLES}


def test_actors_and_one_process_give_equal_tables_for_equal_answers(tmp_path: Path) -> None:
    known = known_passages(tmp_path / "known", ARCHIVES[0])
    homes = []
    for executor in ("inline", "ray"):
        settings = {"executor": executor, "workers": 2, "shard_messages": 64}
        app = use(model_app(tmp_path / executor, **settings), Scripted(known))
        backfill(app, ARCHIVES[0])
        homes.append(digests(app))
    assert homes[0] == homes[1]


class Run:
    """`hypermnesia backfill` of the sample archive with the paced endpoint as its model."""

    def __init__(self, home: Path, url: str, **settings: str) -> None:
        self.home, self.url = home, url
        chosen = {
            "EXTRACTOR": "model",
            "GENERATOR": "openai",
            "MODEL": MODEL,
            "OPENAI__URLS": json.dumps([f"{url}/v1"]),
            "OPENAI__SLOTS": "8",
            "LAKE_KEY": KEY,
            "TRACKING": "off",
            "WORKERS": "2",
            "SHARD_MESSAGES": "64",
            "REJECT_BUDGET": "1",
        }
        self._env = os.environ | {f"HYPERMNESIA_{name}": value for name, value in (chosen | settings).items()}

    def start(self, *more: str) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "hypermnesia",
            "--home",
            str(self.home),
            "backfill",
            *map(str, ARCHIVES),
            *more,
        ]
        return subprocess.Popen(command, env=self._env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/stats", timeout=5) as response:
            found: dict[str, Any] = json.load(response)
        return found

    def app(self) -> App:
        return App(load(home=self.home, lake_key=KEY, tracking="off", extractor="model", model=MODEL))


def test_c02_a_run_that_is_killed_in_the_middle_goes_on_with_few_calls(tmp_path: Path) -> None:
    with serving(Pace(slots=8)) as url:
        whole = Run(tmp_path / "whole", url)
        process = whole.start("--json")
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        n_calls, n_alike = whole.stats()["calls"], whole.stats()["repeated"]  # chunks that read alike
        assert json.loads(out)["stages"]["answer"]["fresh"]["calls"] == n_calls + n_alike
    with serving(Pace(slots=8, mean_s=0.05, sigma=0.8, most_s=0.5)) as url:
        run = Run(tmp_path / "killed", url)
        process = run.start()
        deadline = time.monotonic() + 200
        while run.stats()["calls"] < n_calls // 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        while run.stats()["attempts"] != (seen := run.stats()["attempts"]):
            time.sleep(1)
        assert n_calls // 2 <= run.stats()["calls"] < n_calls, "it was killed in the middle"
        again = run.start("--json")
        out, err = again.communicate(timeout=300)
        assert again.returncode == 0, err
        repeated = run.stats()["repeated"] - n_alike
        assert run.stats()["calls"] == n_calls
        assert repeated <= max(24, seen // 4), f"{repeated} answers were asked for again"
    assert digests(run.app()) == digests(whole.app())
    assert not list((tmp_path / "killed" / "spool" / "answer").iterdir())


def test_a_token_budget_and_a_limit_on_the_command_line(tmp_path: Path) -> None:
    """A spent budget is no failure (0); too many calls of a status are one (3), and what was answered stays."""
    with serving(Pace(slots=8, faults={"refusal": 0.4})) as url:
        settings = {"EXECUTOR": "inline", "TOKEN_BUDGET": "4000", "SHARD_MESSAGES": "32"}
        stopped = Run(tmp_path, url, **settings, LIMITS="{}").start("--json")
        out, err = stopped.communicate(timeout=200)
        assert stopped.returncode == 0, err
        assert "4000 tokens is spent" in json.loads(out)["stopped"]
        failed = Run(tmp_path, url, EXECUTOR="inline", SHARD_MESSAGES="32", LIMITS='{"refusal": 0.2}').start()
        out, err = failed.communicate(timeout=200)
        assert failed.returncode == 3 and "calls ended with refusal, over the limit of 20%" in err
    assert Run(tmp_path, url).app().lake.read("answers").num_rows > 200
