"""Model stages on Ray: workers, drivers, engines and endpoints that die; nothing is lost, little is asked twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.adapters.delta import DeltaLake
from hypermnesia.adapters.openai import Endpoint, OpenAIGenerator
from hypermnesia.engine.calls import MOST_DEATHS
from hypermnesia.engine.commits import Committer
from hypermnesia.engine.inline import InlineExecutor
from hypermnesia.engine.model_pool import ModelWorkers
from hypermnesia.engine.model_runs import InlineModelExecutor
from hypermnesia.engine.model_workers import ModelExecutor, StageExecutors
from hypermnesia.engine.ray_session import StalledError, WorkersError
from hypermnesia.engine.run import StageReport, run_stage
from hypermnesia.ports import Completion, EngineUnavailableError, Generator, Request, Shard
from tests.fixtures import paced_endpoint
from tests.fixtures.paced_endpoint import Pace, serving
from tests.fixtures.reading_stage import NAME, MakeStage, ReadingStage, Spools, n_calls
from tests.fixtures.scripted import ScriptedGenerator

pytestmark = pytest.mark.ray

ROOT = Path(__file__).parents[2]


class Silent:
    def update(self, report: StageReport) -> None:
        pass


class MakeEndpoint:
    def __init__(self, url: str, slots: int = 8, **changes: Any) -> None:
        chosen = {"timeout_s": 20.0, "attempts": 2, "open_s": 1.0} | changes
        self._endpoint = Endpoint((f"{url}/v1",), paced_endpoint.MODEL, slots=slots, **chosen)

    def __call__(self) -> Generator:
        return OpenAIGenerator(self._endpoint)


class HangingGenerator(ScriptedGenerator):
    """Never becomes ready."""

    async def open(self, schemas: Any) -> None:
        await asyncio.sleep(3_600)


class DyingGenerator(ScriptedGenerator):
    """Takes its process with it when it starts."""

    async def open(self, schemas: Any) -> None:
        os._exit(1)


class MortalGenerator(ScriptedGenerator):
    """Its engine dies at `!die`, and at `!die once` the first time."""

    async def generate(self, request: Request) -> Completion:
        if request.messages[-1][1].endswith("!die once"):
            mark = Path(os.environ["TEST_MARKS"]) / "engine died"
            if not mark.exists():
                mark.touch()
                self._is_dead = True
        return await super().generate(request)


def shards(*items: Sequence[str]) -> list[Shard]:
    return [Shard(NAME, f"s{number}", number % 2, tuple(some)) for number, some in enumerate(items)]


def many(n_shards: int, n_items: int) -> list[Shard]:
    return shards(*[[f"ann/{shard}-{item}" for item in range(n_items)] for shard in range(n_shards)])


def all_items(todo: Sequence[Shard]) -> list[str]:
    return [item for shard in todo for item in shard.items]


class Home:
    """A lake, a spool and a way to run the stage over them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lake = DeltaLake(folder / "lake")
        self.spools = Spools(folder / "spool")

    def run(self, todo: Sequence[Shard], make: Callable[[], Generator], **workers: Any) -> StageReport:
        os.environ["TEST_MARKS"] = str(self.folder)
        chosen = ModelWorkers(**({"n_workers": 2, "local_cpus": 2, "stall_s": 60.0} | workers))
        executor = ModelExecutor(MakeStage(self.folder), make, self.spools, chosen)
        try:
            stage = ReadingStage(todo, self.folder)
            return run_stage(stage, Committer(self.lake, stage, "run"), executor, Silent())
        finally:
            executor.close()

    def rows(self) -> list[dict[str, Any]]:
        return self.lake.read("extractions").to_pylist()

    def check(self, todo: Sequence[Shard], refused: Sequence[str] = ()) -> None:
        """Each chunk's answers are there once, but those of the chunks that were refused; the spool is empty."""
        items = set(all_items(todo)) - set(refused)
        counted = Counter(row["extraction_id"] for row in self.rows())
        assert set(counted.values()) == {1}
        assert {row["chunk_id"] for row in self.rows()} == items
        assert len(counted) == n_calls(list(items))
        assert [row["subject_id"] for row in self.lake.read("rejects").to_pylist()] == list(refused)
        assert self.spools(NAME).shards() == set()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(Pace(slots=16, mean_s=0.02, sigma=0.8, most_s=0.3)) as url:
        yield url


def stats(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}/stats", timeout=5) as response:
        found: dict[str, Any] = json.load(response)
    return found


@pytest.fixture(scope="module", autouse=True)
def by_value() -> Iterator[None]:
    """Workers can't import this file, so its classes travel whole."""
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield


def test_a_worker_that_is_killed_costs_a_few_calls(home: Home, url: str) -> None:
    before, todo = stats(url), many(12, 16)
    todo[3] = Shard(NAME, "killed", 0, (*todo[3].items, "ann/once KILL ONCE"))
    report = home.run(todo, MakeEndpoint(url))
    home.check(todo)
    assert report.counts.n_in == report.counts.n_out == len(all_items(todo))
    repeated = stats(url)["repeated"] - before["repeated"]
    assert repeated <= 60, "answers of the last half second, and no more"


def test_poison_is_one_row(home: Home, url: str) -> None:
    """A chunk that always gets 500, one that kills its worker, one whose code raises, one that does not fit (B01)."""
    poison = ["ann/a !500", "ann/b KILL", "ann/c RAISE", "ann/d !overflow"]
    todo = many(8, 8)
    todo += shards(*[[]] * 8, poison)[8:]
    report = home.run(todo, MakeEndpoint(url))
    assert (report.counts.n_in, report.counts.n_rejected) == (68, 2)
    assert report.counts.reasons == {"worker_died": 1, "stage_failed": 1}
    rejects = {row["subject_id"]: row for row in home.lake.read("rejects").to_pylist()}
    assert rejects["ann/b KILL"]["detail"] == f"{MOST_DEATHS} workers died while it ran"
    assert rejects["ann/c RAISE"]["detail"] == "ValueError: a bug"
    failed = [row for row in home.rows() if row["status"] != "ok"]
    assert sorted((row["chunk_id"], row["status"]) for row in failed) == [
        ("ann/a !500", "engine_error"),
        ("ann/d !overflow", "context_overflow"),
    ]
    assert {row["chunk_id"] for row in home.rows()} == set(all_items(todo)) - {"ann/b KILL", "ann/c RAISE"}


def test_the_work_of_a_dead_engine_moves(home: Home) -> None:
    """The engine dies in a worker that lives; and one chunk kills every engine that it meets."""
    todo = many(6, 8)
    todo += shards(*[[]] * 6, ["ann/x !die once", "ann/y !die", "ann/z"])[6:]
    report = home.run(todo, MortalGenerator)
    home.check(todo, refused=["ann/y !die"])
    assert report.counts.reasons == {"worker_died": 1}


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_c02_c09_a_driver_that_is_killed_goes_on_from_the_spool(home: Home, sent: signal.Signals) -> None:
    with serving(Pace(slots=8, mean_s=0.05, sigma=0.8, most_s=0.5)) as url:
        todo = many(10, 16)
        process = subprocess.Popen(
            [sys.executable, __file__, str(home.folder), url], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
        )
        deadline = time.monotonic() + 90
        while stats(url)["calls"] < n_calls(all_items(todo)) // 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(sent)
        process.wait(60)
        while stats(url)["attempts"] != (seen := stats(url)["attempts"]):
            time.sleep(1)
        done = stats(url)["calls"]
        assert n_calls(all_items(todo)) // 2 <= done < n_calls(all_items(todo)), "it was stopped in the middle"
        report = home.run(todo, MakeEndpoint(url))
        home.check(todo)
        assert report.counts.n_out == len(all_items(todo))
        repeated = stats(url)["repeated"]
        assert repeated <= seen // 4, f"{repeated} of {done} answers were asked for again"


def test_answers_that_are_committed_are_not_asked_for_again(home: Home, url: str) -> None:
    """A new shard over old chunks: only what the lake lacks is asked."""
    todo = shards(["ann/1", "ann/2"])
    executor = InlineModelExecutor(MakeEndpoint(url), home.spools)
    known = {f"ann/1 {name}": Completion(f"ann/1 {name}", "ok", "old", paced_endpoint.MODEL) for name in ["router"]}
    stage = ReadingStage(todo, home.folder, known)
    before = stats(url)["attempts"]
    run_stage(stage, Committer(home.lake, stage, "run"), executor, Silent())
    executor.close()
    home.check(todo)
    assert stats(url)["attempts"] - before == n_calls(["ann/1", "ann/2"]) - 1
    assert "old" in [row["raw_text"] for row in home.rows()]


def test_inline_and_workers_give_equal_tables(home: Home, tmp_path: Path, url: str) -> None:
    """Through the dispatcher, as the application uses it; a run with nothing to do starts no worker."""
    todo, other = many(3, 5), Home(tmp_path / "other")
    home.run(todo, MakeEndpoint(url))
    inline = InlineModelExecutor(MakeEndpoint(url), other.spools)
    executor = StageExecutors(InlineExecutor(), inline, [NAME])
    stage = ReadingStage(todo, tmp_path)
    for _ in range(2):
        report = run_stage(stage, Committer(other.lake, stage, "run"), executor, Silent())
    executor.close()
    assert report.n_skipped == 3
    other.check(todo)
    names = ["extraction_id", "status", "raw_text", "shard_id"]
    tables = [at.lake.read("extractions", columns=names).sort_by("extraction_id") for at in (home, other)]
    assert tables[0].equals(tables[1])


def test_an_endpoint_that_is_down_fails_the_run_at_once(home: Home) -> None:
    with pytest.raises(WorkersError, match=r"read: http://127.0.0.1:9/v1 does not answer"):
        home.run(many(2, 2), MakeEndpoint("http://127.0.0.1:9"))
    executor = InlineModelExecutor(MakeEndpoint("http://127.0.0.1:9"), home.spools)
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        list(executor.run(ReadingStage((), home.folder), many(1, 1)))
    executor.close()


def test_an_endpoint_that_goes_down_stops_the_run_and_keeps_the_answers(home: Home) -> None:
    with serving(Pace(slots=8, broken_after=60)) as url:
        with pytest.raises(WorkersError, match=r"\d+ calls in a row failed, the last one with HTTP 500"):
            home.run(many(6, 8), MakeEndpoint(url, attempts=1, most_failures=10), n_workers=1)
        kept = {id for shard in home.spools(NAME).shards() for id in home.spools(NAME).answers(shard)}
        kept |= {row["extraction_id"] for row in home.rows() if row["status"] == "ok"}
        assert stats(url)["calls"] - len(kept) <= 16, "at most what was on its way"


def test_c05_an_engine_that_never_becomes_ready_ends_the_run_with_the_stage_s_name(home: Home) -> None:
    with pytest.raises(StalledError, match="read: no worker reported for 8 s"):
        home.run(many(1, 1), HangingGenerator, stall_s=8.0, n_workers=1)


def test_workers_that_die_while_they_start_fail_the_run(home: Home) -> None:
    with pytest.raises(WorkersError, match="3 workers died"):
        home.run(many(1, 1), DyingGenerator, n_workers=1)


def main(folder: str, url: str) -> None:
    """The driver that is killed."""
    Home(Path(folder)).run(many(10, 16), MakeEndpoint(url))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
