"""MLflow tracking through its client API, by the driver alone, with explicit run ids (cases J01-J07)."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

EXPERIMENT = "hypermnesia"
_STATUS = {"finished": "FINISHED", "failed": "FAILED", "killed": "KILLED"}


class MlflowTracker:
    """Runs in a SQLite store under `root` (or at `uri`), artifacts beside it."""

    def __init__(self, root: Path, uri: str | None = None) -> None:
        self._root = root
        self._uri = uri or f"sqlite:///{(root / 'mlflow.db').resolve()}"
        self._client: Any = None
        self._run = ""

    def start(self, run_id: str, command: str, params: Mapping[str, str], tags: Mapping[str, str]) -> None:
        """Opens a run named `run_id`; first closes as failed those whose process on this host is gone."""
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
        os.environ.setdefault("MLFLOW_LOGGING_LEVEL", "WARNING")
        from mlflow.tracking import MlflowClient

        self._root.mkdir(parents=True, exist_ok=True)
        self._client = MlflowClient(tracking_uri=self._uri)
        experiment = self._experiment()
        self._close_dead(experiment)
        owner = {"host": socket.gethostname(), "pid": str(os.getpid()), "command": command}
        run = self._client.create_run(experiment, run_name=run_id, tags=owner | dict(tags))
        self._run = run.info.run_id
        for name, value in params.items():
            self._client.log_param(self._run, name, value[:6000])

    def log(self, metrics: Mapping[str, float]) -> None:
        """Adds metrics in one call."""
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        self._client.log_batch(self._run, metrics=[Metric(name, value, now, 0) for name, value in metrics.items()])

    def log_pass(self, name: str, metrics: Mapping[str, float]) -> None:
        """A child run of the open one, closed at once."""
        from mlflow.entities import Metric

        now = int(time.time() * 1000)
        run = self._client.create_run(self._experiment(), run_name=name, tags={"mlflow.parentRunId": self._run})
        values = [Metric(metric, value, now, 0) for metric, value in metrics.items()]
        self._client.log_batch(run.info.run_id, metrics=values)
        self._client.set_terminated(run.info.run_id, _STATUS["finished"])

    def attach(self, name: str, content: str) -> None:
        """Adds a text artifact."""
        self._client.log_text(self._run, content, name)

    def finish(self, status: str) -> None:
        """Closes the run: finished, failed or killed."""
        self._client.set_terminated(self._run, _STATUS[status])

    def _experiment(self) -> str:
        found = self._client.get_experiment_by_name(EXPERIMENT)
        if found is not None:
            return str(found.experiment_id)
        artifacts = (self._root / "artifacts").resolve().as_uri()
        return str(self._client.create_experiment(EXPERIMENT, artifact_location=artifacts))

    def _close_dead(self, experiment: str) -> None:
        running = self._client.search_runs([experiment], "attributes.status = 'RUNNING'")
        for run in running:
            tags = run.data.tags
            if tags.get("host") == socket.gethostname() and not _is_alive(int(tags.get("pid", 0))):
                self._client.set_terminated(run.info.run_id, "FAILED")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
