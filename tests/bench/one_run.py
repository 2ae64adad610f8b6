"""Stages over an archive in this process: `python -m tests.bench.one_run HOME ARCHIVE ingest,chunk`."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from hypermnesia.app import App
from hypermnesia.engine.progress import Progress
from hypermnesia.settings import load
from hypermnesia.stages.ingest import ArchiveInput


def main() -> None:
    home, archive, stages = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3].split(",")
    app = App(load(home=home))
    inputs, at = [ArchiveInput(archive)], datetime.now(UTC)
    steps = [app.loads()[0] if name == "load_vectors" else app.stage(name, inputs, at) for name in stages]
    started = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        report = app.run("bench", steps, Progress(), at)
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": round(seconds, 2), "stages": report.counts()}))


if __name__ == "__main__":
    main()
