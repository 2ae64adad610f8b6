"""The graph's commands and job: files written by Ray's workers, an empty server filled offline, then `graph load`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from test_cli import ENV, done, failed, told

from hypermnesia.demo import SAMPLE
from tests.fixtures import neo4j_server

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after a backfill, with the graph in SQLite."""
    folder = tmp_path_factory.mktemp("home")
    done("backfill", SAMPLE / "tomas.jsonl", "--home", folder)
    return folder


def job(name: str, *arguments: str | Path) -> dict[str, Any]:
    """What a job prints, run as a cluster's driver runs it, on a Ray of its own."""
    environment = os.environ | ENV | {"HYPERMNESIA_EXECUTOR": "ray", "HYPERMNESIA_WORKERS": "2", "RAY_ADDRESS": "local"}
    command = [sys.executable, str(ROOT / "jobs" / name), *map(str, arguments)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def lines(folder: Path) -> dict[str, list[str]]:
    return {path.name: path.read_text().splitlines() for path in sorted(folder.rglob("*.csv"))}


@pytest.mark.ray
def test_the_init_job_writes_by_rays_workers_what_one_process_writes(home: Path, tmp_path: Path) -> None:
    counts = told("graph", "write", tmp_path / "alone", "--home", home)
    assert counts["n_frames"] > 50
    assert job("init_graph.py", "--home", home, tmp_path / "ray") == counts
    assert lines(tmp_path / "ray") == lines(tmp_path / "alone")
    assert "is not empty: name a new folder" in failed(1, "graph", "write", tmp_path / "ray", "--home", home)


@pytest.mark.neo4j
def test_write_import_and_load_fill_an_empty_server(home: Path, tmp_path: Path) -> None:
    neo4j_server.need_java()
    counts = told("graph", "write", tmp_path / "files", "--home", home)
    server = tmp_path / "server"
    admin = ("--", neo4j_server.SCRIPT, "--admin", server)
    assert "files/0 is loaded" in done("graph", "import", tmp_path / "files" / "0", *admin).stdout
    profile = tmp_path / "neo4j.yaml"
    profile.write_text(f"graph: neo4j\nneo4j_urls: [{neo4j_server.start(server)}]\n")
    on_server = ("--home", home, "--config", profile)
    try:
        secret = {"HYPERMNESIA_NEO4J_PASSWORD": neo4j_server.PASSWORD}
        report = json.loads(done("graph", "load", *on_server, "--json", **secret).stdout)["stages"]["load_graph"]
        n_entries = counts["n_anchors"] + counts["n_frames"]
        assert (report["n_in"], report["n_out"], report["n_merged"]) == (n_entries, 0, n_entries), "all was there"
        digest = json.loads(done("digest", *on_server, "--json", **secret).stdout)
        assert digest["graph"] == told("digest", "--home", home)["graph"]
    finally:
        neo4j_server.stop(server)
