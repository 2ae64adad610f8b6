"""Tracking that fails never fails the data: every call to the tracker is a warning at worst."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypermnesia.ports import Tracker


class SafeTracker:
    """Passes calls on; after the first failure it says so once and tracks no more."""

    def __init__(self, tracker: Tracker | None, say: Callable[[str], None]) -> None:
        self._tracker = tracker
        self._say = say

    def start(self, run_id: str, command: str, params: Mapping[str, str], tags: Mapping[str, str]) -> None:
        """Opens a run."""
        self._try(lambda tracker: tracker.start(run_id, command, params, tags))

    def log(self, metrics: Mapping[str, float]) -> None:
        """Adds metrics."""
        self._try(lambda tracker: tracker.log(metrics))

    def log_pass(self, name: str, metrics: Mapping[str, float]) -> None:
        """A child run of one pass that is done."""
        self._try(lambda tracker: tracker.log_pass(name, metrics))

    def attach(self, name: str, content: str) -> None:
        """Adds a text artifact."""
        self._try(lambda tracker: tracker.attach(name, content))

    def finish(self, status: str) -> None:
        """Closes the run."""
        self._try(lambda tracker: tracker.finish(status))

    def _try(self, call: Callable[[Tracker], None]) -> None:
        if self._tracker is None:
            return
        try:
            call(self._tracker)
        except Exception as error:  # a tracker may fail in any way of its vendor's
            self._tracker = None
            self._say(f"tracking failed and is off for this run: {type(error).__name__}: {error}")
