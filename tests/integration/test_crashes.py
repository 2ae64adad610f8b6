"""Killed at any point of any commit, the same command gives the same tables (DESIGN 1, promise 2)."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from homes import make_app, run_stages, write_archives

from hypermnesia.app import App
from hypermnesia.engine.counts import N_ROWS
from hypermnesia.engine.flow import RunReport
from hypermnesia.ports import Lake, LakeTable

TABLES = (
    "message_sources",
    "vault",
    "messages",
    "chunks",
    "extractions",
    "records",
    "mentions",
    "assertions",
    "embeddings",
    "merges",
    "rejects",
    "commits",
)


class Killed(BaseException):
    """As a SIGKILL: no handler catches it."""


class CrashAt:
    """Ends the run at the n-th crash point."""

    def __init__(self, n: int) -> None:
        self.left = n
        self.points: list[str] = []

    def __call__(self, point: str) -> None:
        self.points.append(point)
        if self.left == 0:
            raise Killed(point)
        self.left -= 1


@dataclass(frozen=True)
class Clean:
    """The digest and the stages' counts of a run, and its crash points in order."""

    digest: dict[str, Any]
    counts: dict[str, list[int]]
    points: list[str]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_archives(tmp_path_factory.mktemp("archives"))


@pytest.fixture(scope="module")
def clean(archives: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Clean:
    """What a run gives that nothing disturbs."""
    app, watch = make_app(tmp_path_factory.mktemp("clean")), CrashAt(-1)
    report = run_stages(app, archives, watch)
    return Clean(app.digest(), counts(report), watch.points)


def counts(report: RunReport) -> dict[str, list[int]]:
    return {s.stage: [getattr(s.counts, name) for name in N_ROWS] for s in report.stages}


def commits(app: App) -> dict[str, Any]:
    return {row["shard_id"]: row["committed_at"] for row in app.lake.read("commits").to_pylist()}


def test_every_commit_has_a_point_before_and_after(clean: Clean) -> None:
    points = set(clean.points)
    assert points == {f"{when} {table}" for when in ("before", "after") for table in TABLES}


def test_killed_at_each_point_then_resumed(archives: list[Path], clean: Clean, tmp_path: Path) -> None:
    for n, point in enumerate(clean.points):
        app = make_app(tmp_path / str(n))
        with pytest.raises(Killed, match=point):
            run_stages(app, archives, CrashAt(n))
        before = commits(app)
        report = run_stages(app, archives)
        assert app.digest() == clean.digest, f"killed {point}, point {n}"
        assert counts(report) == clean.counts, f"killed {point}, point {n}"
        after = commits(app)
        assert before.items() <= after.items(), f"killed {point}: a committed shard ran again"
        assert sum(stage.n_committed for stage in report.stages) == len(after) - len(before)
        shutil.rmtree(tmp_path / str(n))


def test_killed_again_and_again(archives: list[Path], clean: Clean, tmp_path: Path) -> None:
    app = make_app(tmp_path)
    for n in (0, 2, 1, 5, 3, 7):
        with pytest.raises(Killed):
            run_stages(app, archives, CrashAt(n))
    run_stages(app, archives)
    assert app.digest() == clean.digest


def test_the_same_again_changes_nothing(archives: list[Path], tmp_path: Path) -> None:
    app = make_app(tmp_path)
    first = run_stages(app, archives)
    digest, done = app.digest(), commits(app)
    second = run_stages(app, archives)
    assert app.digest() == digest
    assert commits(app) == done
    assert [s.counts for s in second.stages] == [s.counts for s in first.stages]
    assert all(s.n_skipped == s.n_shards for s in second.stages)


def test_other_shards_and_another_order_give_the_same_lake(archives: list[Path], clean: Clean, tmp_path: Path) -> None:
    app = make_app(tmp_path, shard_messages=100, shard_records=50)
    run_stages(app, archives[::-1])
    assert app.digest() == clean.digest


class FullDisk:
    """A lake whose n-th append fails as a disk does."""

    def __init__(self, lake: Lake, n: int, number: int) -> None:
        self._lake = lake
        self.left = n
        self._number = number

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lake, name)

    def open(self, table: str) -> LakeTable:
        return _FullTable(self, self._lake.open(table), self._number)  # type: ignore[return-value]


class _FullTable:
    def __init__(self, disk: FullDisk, table: LakeTable, number: int) -> None:
        self._disk, self._table, self._number = disk, table, number

    def transactions(self, names: Sequence[str]) -> set[str]:
        return self._table.transactions(names)

    def append(self, rows: pa.Table, transactions: Sequence[str]) -> None:
        if self._disk.left <= 0:
            raise OSError(self._number, "the disk refuses")
        self._disk.left -= 1
        self._table.append(rows, transactions)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
@pytest.mark.parametrize("n", [0, 1, 2, 4, 7])
def test_a_disk_that_refuses_leaves_nothing_half_committed(
    archives: list[Path], clean: Clean, tmp_path: Path, n: int, number: int
) -> None:
    app = make_app(tmp_path)
    lake = app.lake
    with pytest.raises(OSError, match="the disk refuses") as caught:
        run_stages(app, archives, lake=FullDisk(lake, n, number))
    assert caught.value.errno == number
    run_stages(app, archives, lake=lake)
    assert app.digest() == clean.digest
