"""A model stage on real engines: in Ray actors and behind a server; an engine is killed in the middle."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm.sampling_params", reason="vLLM is in an environment of its own: `make test-vllm`")

from engines import NAME, EngineKiller, needs_model, server, small_engine

from hypermnesia.adapters.delta import DeltaLake
from hypermnesia.adapters.openai import Endpoint, OpenAIGenerator
from hypermnesia.adapters.vllm import VllmGenerator
from hypermnesia.engine.commits import Committer
from hypermnesia.engine.model_pool import ModelWorkers
from hypermnesia.engine.model_runs import InlineModelExecutor
from hypermnesia.engine.model_workers import ModelExecutor
from hypermnesia.engine.run import StageReport, run_stage
from hypermnesia.ports import STATUSES, Generator, Shard
from tests.fixtures.reading_stage import MakeStage, ReadingStage, Spools, n_calls

pytestmark = [pytest.mark.vllm, needs_model]

TODO = [Shard("read", f"s{shard}", shard, tuple(f"ann/{shard}-{item}" for item in range(6))) for shard in range(4)]
WANTED = n_calls([item for shard in TODO for item in shard.items])


class Silent:
    def update(self, report: StageReport) -> None:
        pass


@pytest.fixture(autouse=True)
def by_value() -> Iterator[None]:
    """Workers can't import this file, so its classes travel whole."""
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield


def run(folder: Path, executor: Any) -> dict[str, dict[str, Any]]:
    stage, lake = ReadingStage(TODO, folder), DeltaLake(folder / "lake")
    try:
        report = run_stage(stage, Committer(lake, stage, "run"), executor, Silent())
    finally:
        executor.close()
    assert report.counts.n_in == report.counts.n_out == 24
    rows = lake.read("extractions").to_pylist()
    assert len(rows) == WANTED and len({row["extraction_id"] for row in rows}) == WANTED
    return {row["extraction_id"]: row for row in rows}


def make_vllm() -> Callable[[], Generator]:
    engine = small_engine()
    return lambda: VllmGenerator(engine)


def test_an_engine_that_is_killed_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    """And its tables are those of the same model behind an OpenAI server."""
    (tmp_path / "ray").mkdir()
    workers = ModelWorkers(n_workers=1, local_cpus=2, stall_s=300.0)
    executor = ModelExecutor(MakeStage(tmp_path), make_vllm(), Spools(tmp_path / "spool"), workers)
    with EngineKiller(tmp_path / "spool" / "read") as killer:
        by_ray = run(tmp_path / "ray", executor)
    assert killer.killed, "no engine was killed"
    with server() as url:

        def make_client() -> Generator:
            return OpenAIGenerator(Endpoint((url,), NAME, slots=8, open_s=300))

        by_server = run(tmp_path / "server", InlineModelExecutor(make_client, Spools(tmp_path / "other")))
    assert set(by_ray) == set(by_server)
    assert {row["status"] for row in [*by_ray.values(), *by_server.values()]} <= set(STATUSES) - {"engine_error"}
    columns = ("chunk_id", "user_id", "model", "shard_id")
    assert all(by_ray[name][c] == by_server[name][c] for name in by_ray for c in columns)
    same = sum(by_ray[name]["raw_text"] == by_server[name]["raw_text"] for name in by_ray)
    assert same >= 0.9 * WANTED, f"{same} of {WANTED} greedy answers are equal; batches may differ in the last bit"
