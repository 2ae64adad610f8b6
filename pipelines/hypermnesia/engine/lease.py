"""A stage's lease: one committer at a time (DESIGN 3 "Commits").

A lock of the operating system on a file of the home folder: it ends with its process, however that ends,
so a killed run never blocks the next one. The file says who holds it.

A home on storage that several hosts see has one host for all its drivers (a cluster's head node, where
`ray job submit` starts them): NFS 4 carries such a lock to other hosts, mounts of buckets and NFS with `local_lock`
do not, and nothing tells which it is. Two drivers all the same leave the tables exact, by the shards' transactions,
but do work twice, and either may fail. What can be seen is said: a lease of another host that was not given back.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

POLL_S = 0.5


class LeaseHeldError(RuntimeError):
    """Another run holds the lease."""


@contextlib.contextmanager
def lease(path: Path, *, wait_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Holds the lease inside the block. Waits up to `wait_s` seconds, saying once who holds it; says so, too, where
    a holder on another host did not give it back, since it was killed or runs where this lock is not seen.

    Raises `LeaseHeldError` naming the holder when the time is up.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + wait_s
    has_said = False
    with path.open("a+") as file:
        while not _try_lock(file.fileno()):
            holder = _said(_holder(path))
            if time.monotonic() >= deadline:
                raise LeaseHeldError(f"{holder} works on {path.stem}; try again when it has ended")
            if not has_said:
                on_wait(f"waiting for {holder}, which works on {path.stem}")
                has_said = True
            time.sleep(POLL_S)
        left = _holder(path)
        if left and left.get("host") != socket.gethostname():
            on_wait(
                f"{_said(left)} did not give back {path.stem}: if it still runs, end one of the two (one driver host)"
            )
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


def _holder(path: Path) -> dict[str, Any]:
    """Who the file says holds the lease; nobody where it says nothing, or is being written."""
    try:
        return dict(json.loads(path.read_text()))
    except (ValueError, TypeError, OSError):
        return {}


def _said(owner: Mapping[str, Any]) -> str:
    if {"pid", "host", "since"} <= owner.keys():
        return f"process {owner['pid']} on {owner['host']} (since {owner['since']})"
    return "another process"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
