"""A run: its stages one after the other, each under its lease, with one row of `runs` at the end."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from hypermnesia.contracts.tables import RUNS
from hypermnesia.engine.commits import Committer, never_crash
from hypermnesia.engine.counts import Counts
from hypermnesia.engine.lease import lease
from hypermnesia.engine.progress import Progress
from hypermnesia.engine.run import Executor, StageReport, run_stage
from hypermnesia.engine.tracking import SafeTracker
from hypermnesia.ports import Lake, Part, Stage
from hypermnesia.rules.text import one_line


@runtime_checkable
class Load(Protocol):
    """A step that brings an index to what the lake holds; it has no shards."""

    name: str

    def load(self) -> Part:
        """Loads what is missing; counts what was there already as merged."""
        ...


@dataclass(slots=True)
class RunReport:
    """What a run did, stage by stage."""

    run_id: str
    stages: list[StageReport] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def stopped(self) -> str:
        """Why the run ended before its work did, or ""."""
        return self.stages[-1].stopped if self.stages else ""

    def counts(self) -> dict[str, dict[str, Any]]:
        """Each stage's rows and shards."""
        return {
            r.stage: r.counts.row()
            | {"n_shards": r.n_shards, "n_skipped": r.n_skipped}
            | {"wall_seconds": r.wall_seconds, "plan_seconds": r.plan_seconds, "shares": r.counts.shares()}
            | {"fresh": {"n_in": r.fresh.n_in, **r.fresh.measures}, "per_hour": _per_hour(r)}
            for r in self.stages
        }


#: The lease of all steps that bring the index to what the lake holds.
INDEX = "index"


def new_run_id() -> str:
    """Names a run: when it began, and a few random digits."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:6]}"


class Flow:
    """Runs steps over one home."""

    def __init__(
        self,
        lake: Lake,
        executor: Executor,
        tracker: SafeTracker,
        progress: Progress,
        *,
        leases: Path,
        lease_wait_s: float,
        reject_budget: float,
        limits: Mapping[str, float] | None = None,
        crash: Callable[[str], None] = never_crash,
    ) -> None:
        self._lake = lake
        self._executor = executor
        self._tracker = tracker
        self._progress = progress
        self._leases = leases
        self._lease_wait_s = lease_wait_s
        self._reject_budget = reject_budget
        self._limits = limits or {}
        self._crash = crash

    def run(
        self,
        command: str,
        steps: Sequence[Stage | Load],
        params: Mapping[str, str],
        digests: Callable[[], Mapping[str, Any]],
        run_id: str | None = None,
    ) -> RunReport:
        """Runs the steps. What one raises ends the run, which is recorded as failed and raised again.

        A step whose budget is spent ends the run as stopped: the same command goes on.
        """
        report = RunReport(run_id=run_id or new_run_id())
        started, clock = datetime.now(UTC), time.perf_counter()
        self._tracker.start(report.run_id, command, params, self._last_unfinished())
        try:
            for step in steps:
                self._step(step, report)
                if report.stopped:
                    break
        except BaseException as error:
            report.seconds = time.perf_counter() - clock
            self._record(command, params, report, started, error, {})
            raise
        report.seconds = time.perf_counter() - clock
        self._record(command, params, report, started, None, digests())
        return report

    def _step(self, step: Stage | Load, report: RunReport) -> None:
        # Vectors and graph are parts of one index, which one build has open at a time.
        held = INDEX if isinstance(step, Load) else step.name
        with lease(self._leases / f"{held}.lock", wait_s=self._lease_wait_s, on_wait=self._progress.say):
            if isinstance(step, Load):
                stage = self._load(step)
            else:
                committer = Committer(self._lake, step, report.run_id, self._crash)
                stage = run_stage(step, committer, self._executor, self._progress)
        report.stages.append(stage)
        self._progress.say(_line(stage))
        self._tracker.log(_metrics(stage))
        self._tracker.log_pass(stage.stage, _metrics(stage))
        stage.counts.check_budget(stage.stage, self._reject_budget)
        stage.counts.check_limits(stage.stage, self._limits)

    def _load(self, step: Load) -> StageReport:
        report, clock = StageReport(step.name), time.perf_counter()
        part = step.load()
        report.wall_seconds = time.perf_counter() - clock
        report.counts = Counts()
        report.counts.add(part)
        report.counts.check(step.name)
        return report

    def _record(
        self,
        command: str,
        params: Mapping[str, str],
        report: RunReport,
        started: datetime,
        error: BaseException | None,
        digests: Mapping[str, Any],
    ) -> None:
        """The run's row in the lake, and the end of its tracking; a lake that is full keeps the run's own error."""
        status = "killed" if isinstance(error, KeyboardInterrupt) else "failed"
        if error is None:
            status = "stopped" if report.stopped else "finished"
        counts = json.dumps(report.counts(), sort_keys=True)
        digest_text = json.dumps(digests, sort_keys=True)
        row = {
            "run_id": report.run_id,
            "command": command,
            "config_hash": params.get("config_hash"),
            "versions": params.get("versions"),
            "status": status,
            "counts": counts,
            "digests": digest_text,
            "started_at": started,
            "ended_at": datetime.now(UTC),
            "seconds": report.seconds,
            "error": one_line(f"{type(error).__name__}: {error}") if error else None,
        }
        self._tracker.log({"seconds": report.seconds})
        self._tracker.attach("counts.json", counts)
        self._tracker.attach("digests.json", digest_text)
        self._tracker.finish(status)
        try:
            self._lake.open("runs").append(RUNS.table([row]), [f"run/{report.run_id}"])
        except OSError:
            if error is None:
                raise
            self._progress.say("the run could not be recorded in the lake")

    def _last_unfinished(self) -> dict[str, str]:
        """The run that this one goes on from, where the last one did not finish."""
        runs = self._lake.read("runs", columns=["run_id", "status", "started_at"]).to_pylist()
        last = max(runs, key=lambda row: row["started_at"], default=None)
        return {"resumed_from": last["run_id"]} if last and last["status"] != "finished" else {}


def _metrics(stage: StageReport) -> dict[str, float]:
    numbers = stage.counts.row() | {"wall_seconds": stage.wall_seconds, "plan_seconds": stage.plan_seconds}
    reasons = {f"{stage.stage}.reason.{reason}": float(n) for reason, n in stage.counts.reasons.items()}
    shares = {f"{stage.stage}.{name}": share for name, share in stage.counts.shares().items()}
    plain = {f"{stage.stage}.{name}": float(n) for name, n in numbers.items() if name not in ("reasons", "measures")}
    sums = {f"{stage.stage}.{name}": float(n) for name, n in _own_measures(stage).items()}
    return plain | reasons | shares | sums | {f"{stage.stage}.per_hour": _per_hour(stage)}


def _own_measures(stage: StageReport) -> dict[str, int]:
    """The sums of this run that are no share's halves: calls, tokens, statuses, milliseconds of each status."""
    return {name: n for name, n in stage.fresh.measures.items() if not name.endswith((".all", ".kept"))}


def _per_hour(stage: StageReport) -> float:
    """Rows in (chunks, of the stage `answer`) that this run did in an hour."""
    return 3_600 * stage.fresh.n_in / stage.wall_seconds if stage.wall_seconds else 0.0


def _line(stage: StageReport) -> str:
    skipped = f", {stage.n_skipped} of {stage.n_shards} shards were done before" if stage.n_skipped else ""
    whole = {
        name: share for name, share in stage.counts.shares().items() if name.count(".") == 1
    }  # the rest is tracked
    shares = "".join(f", {name} {share:.3f}" for name, share in whole.items())
    sums = "".join(
        f", {name} {n}" for name, n in sorted(_own_measures(stage).items()) if not name.startswith("milliseconds")
    )
    stopped = f"; stopped: {stage.stopped}" if stage.stopped else ""
    return f"{stage.stage}: {stage.counts.sentence()} in {stage.wall_seconds:.1f} s{skipped}{shares}{sums}{stopped}"
