"""A backfill of a part of the sample archive by a real model: in Ray actors, and behind an OpenAI server.

The model is small and its answers are cut early: what is asserted are statuses, counts, grounding, the cache and that
nothing is lost, not wisdom.
"""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="vLLM is in an environment of its own: `make test-vllm`")

from engines import MODEL, NAME, EngineKiller, needs_model, server

from hypermnesia.app import App
from hypermnesia.engine.counts import Counts
from hypermnesia.engine.flow import RunReport
from hypermnesia.engine.progress import Progress
from hypermnesia.ports import STATUSES
from hypermnesia.settings import load
from hypermnesia.stages.ingest import ArchiveInput

pytestmark = [pytest.mark.vllm, needs_model]

SAMPLE = Path(__file__).parents[2] / "pipelines" / "hypermnesia" / "demo" / "sample" / "maya.jsonl"
N_MESSAGES = 8
TABLES = ("extractions", "records", "mentions", "assertions")
MODEL_SETTINGS = {
    "lake_key": "a key for tests, of 16 bytes or more",
    "tracking": "off",
    "workers": 2,
    "extractor": "model",
    "model": NAME,
    "answer_tokens": 160,
    "shard_messages": 8,
    "reject_budget": 1.0,
    "limits": {},
}
VLLM = {
    "path": str(MODEL),
    "gpus": 0,
    "dtype": "float32",
    "max_model_len": 2_048,
    "max_num_seqs": 8,
    "max_num_batched_tokens": 2_048,
    "extra": {"enforce_eager": True, "block_size": 32},
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "maya.jsonl"
    lines = SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)[: N_MESSAGES - 1]
    quiet = json.loads(lines[-1]) | {"id": "quiet", "text": "..."}  # so that not every message can be refused
    path.write_text("".join([*lines, json.dumps(quiet) + "\n"]), encoding="utf-8")
    return path


def app_of(home: Path, **settings: Any) -> App:
    return App(load(home=home, **(MODEL_SETTINGS | settings)))


def backfill(app: App, archive: Path) -> RunReport:
    return app.backfill([ArchiveInput(archive)], Progress(StringIO()))


def answers(app: App) -> dict[str, dict[str, Any]]:
    return {row["answer_id"]: row for row in app.lake.read("answers").to_pylist()}


def check(app: App, report: RunReport) -> None:
    """Every call is a row of a known status; every message has a verdict; what is a record stands in its message."""
    by_stage: dict[str, Counts] = {stage.stage: stage.counts for stage in report.stages}
    assert by_stage["ingest"].n_out == by_stage["extract"].n_in == N_MESSAGES
    assert by_stage["answer"].n_in == by_stage["answer"].n_out == app.lake.read("chunks").num_rows
    rows = answers(app)
    assert {row["status"] for row in rows.values()} <= set(STATUSES) - {"engine_error"}
    assert all(row["model"] == NAME and 0 < row["n_tokens_out"] <= 320 for row in rows.values() if row["raw_text"])
    texts = {row["message_id"]: row["text"] for row in app.lake.read("messages").to_pylist()}
    for record in app.lake.read("records").to_pylist():
        assert record["quotes"] and all(q["end"] <= len(texts[q["message_id"]]) for q in record["quotes"])


def test_a_backfill_by_vllm_in_ray_actors_and_behind_a_server(archive: Path, tmp_path: Path) -> None:
    """The engine is killed in the middle of the first; equal answers of both give equal tables."""
    engine = app_of(tmp_path / "ray", generator="vllm", vllm=VLLM)
    with EngineKiller(tmp_path / "ray" / "spool" / "answer") as killer:
        report = backfill(engine, archive)
    assert killer.killed, "no engine was killed"
    check(engine, report)
    again = backfill(engine, archive)
    assert all(stage.n_committed == 0 for stage in again.stages), "what is done is not done again"
    by_ray = answers(engine)
    shared = [row for row in by_ray.values() if row["prompt"] != "router" and row["attempt"] == 1]
    assert not shared or sum(row["n_tokens_cached"] for row in shared) > 0

    with server(max_model_len=2_048) as url:
        endpoint = {"urls": [url], "slots": 8, "open_s": 300}
        client = app_of(tmp_path / "server", generator="openai", openai=endpoint, executor="inline")
        check(client, backfill(client, archive))
    by_server = answers(client)
    same = {name for name in by_ray if name in by_server and by_ray[name]["raw_text"] == by_server[name]["raw_text"]}
    assert len(same) >= 0.8 * len(by_ray), f"{len(same)} of {len(by_ray)} greedy answers are equal"
    print(Counter(row["status"] for row in by_ray.values()), f"{len(same)} of {len(by_ray)} answers are equal")
    chunks = {r["chunk_id"] for r in by_ray.values()} - {
        row["chunk_id"] for rows in (by_ray, by_server) for name, row in rows.items() if name not in same
    }
    for table in TABLES:
        assert of_chunks(engine, table, chunks) == of_chunks(client, table, chunks), table
    for name, app in (("ray", engine), ("server", client)):
        reader = app_of(tmp_path / f"{name}-reader", generator="none", executor="inline")
        reader.lake.open("answers").append(app.lake.read("answers"), ["copied"])
        backfill(reader, archive)
        tables = [home.digest()["tables"] for home in (app, reader)]
        assert {n: tables[0][n] for n in TABLES} == {n: tables[1][n] for n in TABLES}, "stored answers need no engine"


def of_chunks(app: App, table: str, chunks: set[str]) -> list[dict[str, Any]]:
    """The rows of what was read of some chunks, without clocks and shards."""
    read = app.lake.read("extractions").to_pylist()
    ids = {row["extraction_id"] for row in read if row["chunk_id"] in chunks}
    rows = [row for row in app.lake.read(table).to_pylist() if row["extraction_id"] in ids]
    clean = [{name: v for name, v in row.items() if name not in ("committed_at", "shard_id")} for row in rows]
    return sorted(clean, key=repr)
