"""Where runs are logged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Tracker(Protocol):
    """Where runs are logged, by the driver alone. A tracker that fails is a warning, never an error."""

    def start(self, run_id: str, command: str, params: Mapping[str, str], tags: Mapping[str, str]) -> None:
        """Opens a run; closes as failed those that a dead driver left open."""
        ...

    def log(self, metrics: Mapping[str, float]) -> None:
        """Adds metrics to the open run."""
        ...

    def log_pass(self, name: str, metrics: Mapping[str, float]) -> None:
        """A run of its own under the open one: one pass that is done, with its metrics."""
        ...

    def attach(self, name: str, content: str) -> None:
        """Adds a text artifact to the open run."""
        ...

    def finish(self, status: str) -> None:
        """Closes the open run: finished, failed or killed."""
        ...
