"""Jobs as a cluster runs them: submitted over HTTP to a Ray with a job server, each in a folder of its own."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray.dashboard.optional_deps", reason="Ray's job server is not here: install `ray[default]`")

pytestmark = pytest.mark.ray

ROOT = Path(__file__).parents[2]
RAY = Path(sys.executable).with_name("ray")
CHATS = "tests/fixtures/labelled_chats"
PLACES = """
import hypermnesia, json, ray

@ray.remote
def of_a_worker():
    return hypermnesia.__file__

ray.init(log_to_driver=False)
print(json.dumps([hypermnesia.__file__, ray.get(of_a_worker.remote())]))
"""


def free_ports(n: int) -> list[int]:
    held = [socket.socket() for _ in range(n)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [int(one.getsockname()[1]) for one in held]
    for one in held:
        one.close()
    return ports


@pytest.fixture(scope="module")
def caller() -> Iterator[dict[str, str]]:
    """The environment of somebody who may submit to a cluster that runs here."""
    port, dashboard, agent = free_ports(3)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "HYPERMNESIA_"))}
    own |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
    own |= {"PATH": f"{RAY.parent}:{os.environ['PATH']}", "RAY_API_SERVER_ADDRESS": f"http://127.0.0.1:{dashboard}"}
    with tempfile.TemporaryDirectory(prefix="rj", dir="/tmp", ignore_cleanup_errors=True) as folder:  # paths of sockets
        command = [str(RAY), "start", "--head", "--block", "--num-cpus=2", f"--port={port}", f"--temp-dir={folder}"]
        command += ["--include-dashboard=true", "--dashboard-host=127.0.0.1", f"--dashboard-port={dashboard}"]
        command += [f"--dashboard-agent-listen-port={agent}", "--object-store-memory=100000000"]
        head = subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(dashboard)
            yield own
        finally:
            head.terminate()
            head.wait(60)


def wait_for(port: int) -> None:
    for _ in range(120):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise TimeoutError(f"no job server on port {port} within a minute")


def submitted(caller: dict[str, str], *entrypoint: str | Path) -> subprocess.CompletedProcess[str]:
    command = [RAY, "job", "submit", "--runtime-env", "jobs/env.yaml", "--", *entrypoint]
    return subprocess.run(
        [str(word) for word in command], env=caller, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )


def told(caller: dict[str, str], *entrypoint: str | Path) -> Any:
    """The one JSON value that a job prints."""
    ran = submitted(caller, "python", *entrypoint)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    lines = [line for line in ran.stdout.splitlines() if line.startswith(("{", "["))]
    assert len(lines) == 1, ran.stdout
    return json.loads(lines[0])


def runs_of(home: Path) -> dict[str, str]:
    """What was tracked: command -> how it ended."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{home / 'tracking' / 'mlflow.db'}")
    experiments = [e.experiment_id for e in client.search_experiments()]
    runs = client.search_runs(experiments, "attributes.run_name != ''")
    return {run.data.tags["command"]: run.info.status for run in runs if "command" in run.data.tags}


def test_jobs_build_a_home_measure_it_and_run_a_night_over_it(caller: dict[str, str], tmp_path: Path) -> None:
    home = tmp_path / "home"
    built = told(caller, "jobs/backfill.py", "--home", home, f"{CHATS}/chats.jsonl")
    assert built["stages"]["ingest"]["n_out"] == 198
    found = told(caller, "jobs/evaluate.py", "questions", f"{CHATS}/questions.jsonl", "--home", home)
    assert found["n_questions"] == 80 and found["n_evidence_not_in_memory"] == 0
    assert found["systems"]["default"]["all"]["recall@20"] > 0.8
    night = told(caller, "jobs/nightly.py", "--home", home)
    assert "merge_entities" in night["stages"]
    assert runs_of(home) == dict.fromkeys(("backfill", "evaluate questions", "nightly"), "FINISHED")


def test_what_is_submitted_is_what_runs_in_the_driver_and_in_workers(caller: dict[str, str]) -> None:
    places = told(caller, "-c", PLACES)
    assert len(places) == 2
    for place in places:
        assert "/working_dir_files/" in place and place.endswith("/pipelines/hypermnesia/__init__.py")


def test_a_home_in_the_jobs_own_folder_is_refused(caller: dict[str, str]) -> None:
    """It would go with the job, and its keys with it."""
    ran = submitted(caller, "python", "jobs/backfill.py", f"{CHATS}/chats.jsonl")
    assert ran.returncode == 1
    assert "goes with the job: name a --home on storage that every node sees" in ran.stdout


def test_a_home_and_the_environment_stay_here(tmp_path: Path) -> None:
    """What is packed for a cluster: the package, and nothing that .gitignore names."""
    from ray._private.ray_constants import get_runtime_env_default_excludes
    from ray._private.runtime_env.packaging import create_package

    folder = tmp_path / "checkout"
    for name in ("memory/lake.key", ".venv/bin/python", ".vllm-env/model", "pipelines/hypermnesia/app.py"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("something")
    (folder / ".gitignore").write_text((ROOT / ".gitignore").read_text())
    zipped, left_out = tmp_path / "packed.zip", get_runtime_env_default_excludes()
    create_package(str(folder), zipped, include_gitignore=True, excludes=left_out)
    with zipfile.ZipFile(zipped) as packed:
        files = {name for name in packed.namelist() if not name.endswith("/")}
    assert files == {".gitignore", "pipelines/hypermnesia/app.py"}
