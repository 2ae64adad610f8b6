"""Committers that race, leases, poison in the real stages, counts over resumed shards."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from homes import make_app, run_stages, write_archives

from hypermnesia.contracts.tables import MESSAGES
from hypermnesia.engine.commits import Committer, Finished
from hypermnesia.engine.counts import RejectBudgetError
from hypermnesia.engine.lease import LeaseHeldError, lease
from hypermnesia.engine.progress import Progress
from hypermnesia.ports import Part, Shard
from hypermnesia.stages.extract import Extract


class OneTable:
    """A stage that writes messages."""

    name, version, tables, counted_table = "toy", "1", ("messages",), "messages"


def finished(*numbers: int, shard: str = "s1") -> Finished:
    rows = MESSAGES.table(
        {"user_id": "u", "bucket": n % 3, "message_id": f"m{n}", "content_hash": "h", "shard_id": shard}
        for n in numbers
    )
    part = Part({"messages": rows}, n_in=len(numbers), n_out=len(numbers))
    return Finished(Shard("toy", shard, 0, ("x",)), 0, part, is_last=True)


def test_two_committers_of_one_shard_write_it_once(tmp_path: Path) -> None:
    lake = make_app(tmp_path).lake
    first, second = (Committer(lake, OneTable(), run) for run in ("a", "b"))  # type: ignore[arg-type]
    first.commit([finished(1, 2)])
    second.commit([finished(1, 2), finished(2, 3, shard="s2")])
    assert sorted(lake.read("messages")["message_id"].to_pylist()) == ["m1", "m2", "m3"]
    rows = {row["shard_id"]: row for row in lake.read("commits").to_pylist()}
    assert lake.read("commits").num_rows == 2
    assert (rows["s1"]["run_id"], rows["s2"]["n_out"], rows["s2"]["n_merged"]) == ("a", 1, 1)


def test_committers_that_race_write_every_row_once(tmp_path: Path) -> None:
    """As if two runs got past the lease: the transactions alone must hold."""
    lake = make_app(tmp_path).lake
    for table in ("messages", "rejects", "commits"):
        lake.open(table)
    shards = [finished(n, n + 100, shard=f"s{n}") for n in range(12)]
    errors: list[BaseException] = []

    def work(order: list[Finished]) -> None:
        try:
            committer = Committer(lake, OneTable(), "r")  # type: ignore[arg-type]
            for start in range(0, 12, 3):
                committer.commit(order[start : start + 3])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(order,)) for order in (shards, shards[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    ids = lake.read("messages")["message_id"].to_pylist()
    assert len(ids) == len(set(ids)) == 24
    done = lake.read("commits")["shard_id"].to_pylist()
    assert len(done) == len(set(done)) == 12


def test_a_held_lease_names_its_holder_and_a_waiting_run_goes_on(tmp_path: Path) -> None:
    path, said = tmp_path / "chunk.lock", []
    with (
        lease(path, wait_s=0, on_wait=said.append),
        pytest.raises(LeaseHeldError, match=rf"process {os.getpid()} .* works on chunk"),
        lease(path, wait_s=0, on_wait=said.append),
    ):
        pass
    with lease(path, wait_s=0, on_wait=said.append):
        pass
    assert not said


def test_a_killed_holder_frees_the_lease_at_once(tmp_path: Path) -> None:
    path = tmp_path / "chunk.lock"
    code = (
        "import sys, time; from pathlib import Path; from hypermnesia.engine.lease import lease\n"
        "with lease(Path(sys.argv[1]), wait_s=0, on_wait=print): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    said: list[str] = []
    threading.Timer(0.2, holder.kill).start()
    started = time.monotonic()
    with lease(path, wait_s=30, on_wait=said.append):
        assert time.monotonic() - started < 10
    assert f"process {holder.pid}" in said[0]
    holder.wait()


def test_a_poison_chunk_is_one_reject_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archives = write_archives(tmp_path / "archives")
    clean = make_app(tmp_path / "clean")
    run_stages(clean, archives)
    poison = sorted(clean.lake.read("chunks")["chunk_id"].to_pylist())[0]
    run = Extract.run

    def poisoned(self: Extract, shard: Shard) -> Iterator[Part]:
        if poison in shard.items:
            raise MemoryError("this chunk is too much")
        yield from run(self, shard)

    monkeypatch.setattr(Extract, "run", poisoned)
    app = make_app(tmp_path / "poisoned", reject_budget=1)
    report = run_stages(app, archives)
    (row,) = app.rejects("extract")
    assert (row["subject_id"], row["reason"]) == (poison, "stage_failed")
    assert "MemoryError" in row["detail"]
    extract = next(s for s in report.stages if s.stage == "extract")
    assert 0 < extract.counts.n_rejected < extract.counts.n_in
    lost = clean.lake.read("records", equals={"chunk_id": poison})["row_id"].to_pylist()
    kept = set(clean.lake.read("records")["row_id"].to_pylist()) - set(lost)
    assert set(app.lake.read("records")["row_id"].to_pylist()) == kept

    with pytest.raises(RejectBudgetError, match="7 of 7 rows were rejected"):
        app.replay("extract", [], Progress())  # it is still poison
    assert len(app.rejects("extract")) == 1
    monkeypatch.setattr(Extract, "run", run)
    report = app.replay("extract", [], Progress())
    assert next(s for s in report.stages if s.stage == "extract").n_shards == 1
    assert app.rejects("extract") == []
    run_stages(clean, archives)
    assert app.digest()["view"] == clean.digest()["view"]
