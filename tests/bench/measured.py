"""A run in a process of its own, and the most memory that driver and workers held."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SAMPLE_S = 0.2


def run_measured(home: Path, archive: Path, stages: Sequence[str]) -> dict[str, Any]:
    """The report of `tests.bench.one_run`, with `driver_mb` and `worker_mb` (peak resident, the largest worker's)."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.one_run", str(home), str(archive), ",".join(stages)],
        stdout=subprocess.PIPE,
        text=True,
    )
    peaks: dict[int, float] = {}
    watch = threading.Thread(target=_watch, args=(process, peaks), daemon=True)
    watch.start()
    out, _ = process.communicate()
    watch.join()
    if process.returncode:
        raise RuntimeError(f"the run ended with {process.returncode}")
    report: dict[str, Any] = json.loads(out.splitlines()[-1])
    driver = peaks.pop(process.pid, 0.0)
    return report | {"driver_mb": round(driver), "worker_mb": round(max(peaks.values(), default=0.0))}


def _watch(process: subprocess.Popen[str], peaks: dict[int, float]) -> None:
    while process.poll() is None:
        for pid in [process.pid, *_workers(process.pid)]:
            try:
                status = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            for line in status.splitlines():
                if line.startswith("VmHWM:"):
                    peaks[pid] = max(peaks.get(pid, 0.0), int(line.split()[1]) / 1024)
        time.sleep(SAMPLE_S)


def _workers(driver: int) -> list[int]:
    """Ray workers below the driver (they name themselves; the raylet is their parent)."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes().startswith(b"ray::") and _is_below(folder, driver):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def _is_below(folder: Path, ancestor: int) -> bool:
    for _ in range(6):
        parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        if parent == ancestor:
            return True
        if parent <= 1:
            return False
        folder = folder.parent / str(parent)
    return False
