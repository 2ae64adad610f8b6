"""Live progress: one moving line on a terminal, else a line every few seconds; all on standard error."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from hypermnesia.engine.run import StageReport

EVERY_S = 5.0


class Progress:
    """Prints how a run goes. On a terminal the line of a running stage is written over."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._is_live = self._stream.isatty()
        self._last = time.monotonic()

    def say(self, line: str) -> None:
        """A line that stays."""
        self._stream.write(f"\r\033[K{line}\n" if self._is_live else f"{line}\n")
        self._stream.flush()

    def update(self, report: StageReport) -> None:
        """How a stage stands; printed at most every `EVERY_S` seconds (ten times a second on a terminal)."""
        now = time.monotonic()
        if now - self._last < (0.1 if self._is_live else EVERY_S):
            return
        self._last = now
        line = (
            f"{report.stage}: {report.n_committed + report.n_skipped} of {report.n_shards} shards planned so far, "
            f"{report.counts.sentence()}"
        )
        self._stream.write(f"\r\033[K{line[:160]}" if self._is_live else f"{line}\n")
        self._stream.flush()
