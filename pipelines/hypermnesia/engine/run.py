"""Runs one stage: plan, drop what is done, run the rest in workers, commit in batches."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from hypermnesia.engine.commits import Committer, Finished
from hypermnesia.engine.counts import BudgetSpentError, Counts, RejectBudgetError
from hypermnesia.ports import PlannedStage, Shard

BATCH_SHARDS = 16
BATCH_S = 5.0


class Executor(Protocol):
    """Where shards run."""

    def run(self, stage: Any, shards: Iterable[Shard]) -> Iterator[Finished]:
        """Every shard's parts, those of one shard in order; shards are pulled as workers are free.

        `stage` is of the kind that this executor runs: a `Stage` or a `ModelStage`.
        """
        ...

    def committed(self, stage: str, shard_ids: Collection[str]) -> None:
        """Hears which shards are whole in the lake: what was kept to resume them can go."""
        ...

    def close(self) -> None:
        """Gives the workers back."""
        ...


class StageProgress(Protocol):
    """Hears how a stage goes."""

    def update(self, report: StageReport) -> None:
        """Called after every commit, and when a shard is planned."""
        ...


@dataclass(slots=True)
class StageReport:
    """What a stage did. `counts` covers every shard of the plan; `n_skipped` of them were done before.

    `fresh` counts those of this run alone; `stopped` says why the stage ended before its plan did.
    """

    stage: str
    n_shards: int = 0
    n_skipped: int = 0
    n_committed: int = 0
    counts: Counts = field(default_factory=Counts)
    fresh: Counts = field(default_factory=Counts)
    stopped: str = ""
    wall_seconds: float = 0.0
    plan_seconds: float = 0.0


def run_stage(stage: PlannedStage, committer: Committer, executor: Executor, progress: StageProgress) -> StageReport:
    """Runs what is not done of a stage; use it under the stage's lease.

    Ctrl-C, and a gate that closes, commit what had come back and are raised again; a spent budget is noted.
    Raises what the lake raises; then what is committed stands and the next run goes on from there.
    """
    started = time.perf_counter()
    report = StageReport(stage.name)
    batch: list[Finished] = []
    last_commit = time.perf_counter()

    def commit() -> None:
        nonlocal last_commit
        if batch:
            closed = committer.commit(batch)
            for counts in closed.values():
                report.counts.add(counts)
                report.fresh.add(counts)
                report.n_committed += 1
            executor.committed(stage.name, closed)
            batch.clear()
        last_commit = time.perf_counter()
        report.wall_seconds = last_commit - started
        progress.update(report)

    try:
        for finished in executor.run(stage, _todo(stage, committer, report, progress)):
            batch.append(finished)
            if len(batch) >= BATCH_SHARDS or time.perf_counter() - last_commit > BATCH_S:
                commit()
    except (KeyboardInterrupt, RejectBudgetError):
        commit()
        raise
    except BudgetSpentError as spent:
        report.stopped = str(spent)
    commit()
    report.counts.check(stage.name)
    return report


def _todo(stage: PlannedStage, committer: Committer, report: StageReport, progress: StageProgress) -> Iterator[Shard]:
    """The shards of the plan that are not committed; the same shard twice in a plan is one."""
    done = committer.done()
    seen: set[str] = set()
    clock = time.perf_counter()
    for shard in stage.plan():
        if shard.id in seen:
            continue
        seen.add(shard.id)
        report.n_shards += 1
        if shard.id in done:
            report.n_skipped += 1
            report.counts.add(done[shard.id])
        else:
            report.plan_seconds += time.perf_counter() - clock
            progress.update(report)
            yield shard
            clock = time.perf_counter()
    report.plan_seconds += time.perf_counter() - clock
