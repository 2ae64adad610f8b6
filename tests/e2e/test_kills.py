"""SIGKILL of driver, worker and raylet in a running backfill on Ray, then the same command again.

Promise 2: equal digest, no committed shard runs again, at most what was in flight is repeated.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.adapters.delta import DeltaLake
from hypermnesia.app import App
from hypermnesia.demo import SAMPLE
from hypermnesia.settings import load

pytestmark = pytest.mark.ray

SETTINGS = {
    "HYPERMNESIA_LAKE_KEY": "a key for tests, of 16 bytes or more",
    "HYPERMNESIA_TRACKING": "off",
    "HYPERMNESIA_SHARD_RECORDS": "8",
    "HYPERMNESIA_SHARD_MESSAGES": "32",
    "HYPERMNESIA_WORKERS": "2",
}
DEADLINE_S = 180


def backfill(home: Path, **settings: str) -> subprocess.Popen[str]:
    """The command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "hypermnesia", "backfill", str(SAMPLE), "--home", str(home), "--json"],
        env=os.environ | SETTINGS | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, err[-3000:]
    result: dict[str, Any] = json.loads(out)
    return result


def digest(home: Path) -> dict[str, Any]:
    return App(load(home=home, lake_key=SETTINGS["HYPERMNESIA_LAKE_KEY"])).digest()


def commits(home: Path) -> dict[str, Any]:
    rows = DeltaLake(home / "lake").read("commits").to_pylist()
    return {row["shard_id"]: (row["run_id"], row["committed_at"]) for row in rows}


def wait_for_shards(home: Path, process: subprocess.Popen[str], n: int) -> None:
    """Until so many embed shards are committed: the run is then in the middle of its longest stage."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        done = DeltaLake(home / "lake").read("commits", columns=["stage"], equals={"stage": "embed"})
        if done.num_rows >= n:
            return
        assert process.poll() is None, f"ended before {n} shards: {process.communicate()[1][-2000:]}"
        time.sleep(0.05)
    raise AssertionError("the backfill is too slow")


def children(pid: int) -> Iterator[tuple[int, str]]:
    """(pid, command line) of every process below `pid`."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    waiting = [pid]
    while waiting:
        for child in parents.get(waiting.pop(), ()):
            waiting.append(child)
            try:
                yield child, Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue


def kill_group(process: subprocess.Popen[str]) -> None:
    """What is left of a run: its own group, and Ray's processes, which leave it."""
    below = [pid for pid, _ in children(process.pid)]
    for pid in [process.pid, *below]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The digest of a run in one process, with other shards."""
    home = tmp_path_factory.mktemp("clean")
    finish(backfill(home, HYPERMNESIA_EXECUTOR="inline", HYPERMNESIA_SHARD_RECORDS="256"))
    return digest(home)


def check_resumed(home: Path, clean: dict[str, Any], executor: str = "inline") -> None:
    """The same command again: equal digest, what was committed stays as it was, the rest runs once."""
    before = commits(home)
    stages = finish(backfill(home, HYPERMNESIA_EXECUTOR=executor))["stages"]
    after = commits(home)
    assert before.items() <= after.items()
    assert sum(stage["n_shards"] - stage["n_skipped"] for stage in stages.values()) == len(after) - len(before)
    assert digest(home) == clean


def test_a_killed_worker_costs_only_its_shards(tmp_path: Path, clean: dict[str, Any]) -> None:
    process = backfill(tmp_path)
    wait_for_shards(tmp_path, process, 2)
    workers = [pid for pid, line in children(process.pid) if line.startswith("ray::_Worker")]
    assert workers
    before = commits(tmp_path)
    os.kill(workers[0], signal.SIGKILL)
    result = finish(process)
    assert sum(stage["n_rejected"] for stage in result["stages"].values()) == 0
    assert before.items() <= commits(tmp_path).items()
    assert digest(tmp_path) == clean


def test_a_killed_driver_is_resumed(tmp_path: Path, clean: dict[str, Any]) -> None:
    process = backfill(tmp_path)
    wait_for_shards(tmp_path, process, 3)
    kill_group(process)
    check_resumed(tmp_path, clean, executor="ray")


def test_a_killed_raylet_loses_nothing(tmp_path: Path, clean: dict[str, Any]) -> None:
    process = backfill(tmp_path, HYPERMNESIA_STALL_S="20")
    wait_for_shards(tmp_path, process, 3)
    (raylet,) = [pid for pid, line in children(process.pid) if "/raylet/raylet " in line]
    os.kill(raylet, signal.SIGKILL)
    process.communicate(timeout=DEADLINE_S)
    if process.returncode == 0:  # actors talk to the driver directly: a short run may end without its raylet
        assert digest(tmp_path) == clean
    kill_group(process)
    check_resumed(tmp_path, clean)


def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(tmp_path: Path, clean: dict[str, Any]) -> None:
    process = backfill(tmp_path)
    wait_for_shards(tmp_path, process, 3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "run the same command again" in err
    assert "Traceback" not in err
    check_resumed(tmp_path, clean)


def test_a_second_backfill_waits_for_the_first(tmp_path: Path, clean: dict[str, Any]) -> None:
    first = backfill(tmp_path)
    wait_for_shards(tmp_path, first, 1)
    impatient = backfill(tmp_path, HYPERMNESIA_LEASE_WAIT_S="0", HYPERMNESIA_EXECUTOR="inline")
    _, err = impatient.communicate(timeout=DEADLINE_S)
    assert impatient.returncode == 1
    assert f"process {first.pid} " in err
    assert "works on embed" in err
    patient = backfill(tmp_path, HYPERMNESIA_EXECUTOR="inline")
    finish(first)
    finish(patient)
    assert digest(tmp_path) == clean


@pytest.mark.soak
def test_killed_at_fifty_random_moments(tmp_path: Path, clean: dict[str, Any]) -> None:
    """Driver, worker and raylet by turns, at any moment of any stage, in homes that go on until they are whole."""
    rng = random.Random(7)
    home, n_homes = tmp_path / "0", 0
    for number in range(50):
        process = backfill(home, HYPERMNESIA_STALL_S="20")
        try:
            process.wait(timeout=rng.uniform(4, 25))
        except subprocess.TimeoutExpired:
            below = dict(children(process.pid))
            marks = {1: "ray::_Worker", 2: "/raylet/raylet "}
            mark = marks.get(number % 3)
            victims = [pid for pid, line in below.items() if mark and mark in line]
            before = commits(home)
            if victims:
                os.kill(rng.choice(victims), signal.SIGKILL)
                try:
                    process.wait(timeout=DEADLINE_S)
                except subprocess.TimeoutExpired:
                    raise AssertionError(f"kill {number}: the run hangs after its {mark} was killed") from None
            kill_group(process)
            assert before.items() <= commits(home).items()
        if process.returncode == 0:
            assert digest(home) == clean
            n_homes += 1
            home = tmp_path / str(n_homes)
    finish(backfill(home))
    assert digest(home) == clean
