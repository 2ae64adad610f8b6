"""A stage's lease: one committer at a time (DESIGN 3 "Commits").

A lock of the operating system on a file of the home folder: it ends with its process, however that ends,
so a killed run never blocks the next one. The file says who holds it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

POLL_S = 0.5


class LeaseHeldError(RuntimeError):
    """Another run holds the lease."""


@contextlib.contextmanager
def lease(path: Path, *, wait_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Holds the lease inside the block. Waits up to `wait_s` seconds, saying once who holds it.

    Raises `LeaseHeldError` naming the holder when the time is up.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + wait_s
    has_said = False
    with path.open("a+") as file:
        while not _try_lock(file.fileno()):
            holder = _holder(path)
            if time.monotonic() >= deadline:
                raise LeaseHeldError(f"{holder} works on {path.stem}; try again when it has ended")
            if not has_said:
                on_wait(f"waiting for {holder}, which works on {path.stem}")
                has_said = True
            time.sleep(POLL_S)
        file.truncate(0)
        file.write(json.dumps({"host": socket.gethostname(), "pid": os.getpid(), "since": _now()}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(path: Path) -> str:
    try:
        owner = json.loads(path.read_text())
        return f"process {owner['pid']} on {owner['host']} (since {owner['since']})"
    except (ValueError, KeyError, OSError):
        return "another process"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
