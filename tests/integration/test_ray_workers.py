"""The Ray executor on a toy stage: poison that kills, stalls, workers that can't start, a huge history."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hypermnesia.engine.commits import Finished
from hypermnesia.engine.ray_session import StalledError, WorkersError
from hypermnesia.engine.ray_workers import RayExecutor
from hypermnesia.ports import Part, Shard

pytestmark = pytest.mark.ray


class Toy:
    """Items are what happens to the worker."""

    name, version, tables, counted_table = "toy", "1", ("records",), None

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def plan(self) -> Iterator[Shard]:
        raise NotImplementedError

    def run(self, shard: Shard) -> Iterator[Part]:
        for item in shard.items:
            (self._folder / f"{shard.id} {item} {time.time_ns()}").touch()
            if item == "die":
                os._exit(1)
            if item == "die once" and not (mark := self._folder / "died").exists():
                mark.touch()
                os._exit(1)
            if item == "raise":
                raise ValueError("no")
            if item == "hang":
                time.sleep(600)
            if item == "long":
                time.sleep(3)
        if shard.details.get("parts"):
            yield from (Part({}, n_in=1, n_out=1) for _ in range(int(shard.details["parts"])))
        else:
            yield Part({}, n_in=len(shard.items), n_out=len(shard.items))

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        return Part({}, n_in=1, n_rejected=1, reasons={f"{reason} {item}": 1})


class Factory:
    def __init__(self, folder: Path, fails: bool = False) -> None:
        self.folder, self.fails = folder, fails

    def __call__(self, name: str) -> Toy:
        if self.fails:
            raise RuntimeError("the model file is missing")
        return Toy(self.folder)


@pytest.fixture(scope="module", autouse=True)
def by_value() -> Iterator[None]:
    """Workers can't import this file, so its classes travel whole."""
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield


@pytest.fixture
def executor(tmp_path: Path) -> Iterator[RayExecutor]:
    made = RayExecutor(Factory(tmp_path), n_workers=2, stall_s=60)
    yield made
    made.close()


def shards(*items: tuple[str, ...]) -> list[Shard]:
    return [Shard("toy", f"s{number}", 0, item) for number, item in enumerate(items)]


def by_shard(finished: list[Finished]) -> dict[str, list[Part]]:
    found: dict[str, list[Part]] = {}
    for one in finished:
        found.setdefault(one.shard.id, []).append(one.part)
    return found


def test_poison_costs_itself_alone(executor: RayExecutor, tmp_path: Path) -> None:
    """An item that kills its worker every time, one that raises, one that kills once, and many good ones."""
    good = [(f"g{number}", "x") for number in range(20)]
    todo = shards(("a", "die", "b"), ("c", "raise"), ("die once", "d"), *good)
    found = by_shard(list(executor.run(Toy(tmp_path), todo)))
    assert set(found) == {shard.id for shard in todo}
    assert all(len(parts) == 1 for parts in found.values())
    (died,), (raised,), (again,) = found["s0"], found["s1"], found["s2"]
    assert (died.n_in, died.n_out, died.reasons) == (3, 2, {"worker_died die": 1})
    assert (raised.n_in, raised.n_out, raised.reasons) == (2, 1, {"stage_failed raise": 1})
    assert (again.n_in, again.n_out, again.n_rejected) == (2, 2, 0)
    repeats = [len(list(tmp_path.glob(f"s{n} x *"))) for n in range(3, 23)]
    assert sum(repeats) <= 20 + 8, "good shards ran again: only what was in flight at a death may"


def test_a_huge_history_does_not_hold_up_the_others(executor: RayExecutor, tmp_path: Path) -> None:
    todo = shards(("long",), *[(f"g{number}",) for number in range(10)])
    order = [one.shard.id for one in executor.run(Toy(tmp_path), todo)]
    assert len(order) == 11
    assert "s0" in order[-2:], "only the shard that its own worker holds waits behind it"


def test_parts_of_a_shard_come_in_order_and_one_is_last(executor: RayExecutor, tmp_path: Path) -> None:
    todo = [replace(shard, details={"parts": "9"}) for shard in shards(("file",), ("other",))]
    finished = list(executor.run(Toy(tmp_path), todo))
    for shard in todo:
        mine = [one for one in finished if one.shard.id == shard.id]
        assert [one.index for one in mine] == list(range(9))
        assert [one.is_last for one in mine] == [False] * 8 + [True]


def test_c05_a_run_without_progress_ends_with_the_stage_s_name(tmp_path: Path) -> None:
    executor = RayExecutor(Factory(tmp_path), n_workers=1, stall_s=10)
    try:
        with pytest.raises(StalledError, match="toy: no worker gave anything for 10 s"):
            list(executor.run(Toy(tmp_path), shards(("hang",))))
    finally:
        executor.close()


def test_workers_that_can_t_start_fail_the_run_at_once(tmp_path: Path) -> None:
    executor = RayExecutor(Factory(tmp_path, fails=True), n_workers=1, stall_s=60)
    try:
        with pytest.raises(WorkersError, match="the model file is missing"):
            list(executor.run(Toy(tmp_path), shards(("a",))))
    finally:
        executor.close()
