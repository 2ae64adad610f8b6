"""What a lease says of who held it, and did not give it back."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from hypermnesia.engine.lease import lease

SINCE = "2031-01-02T03:04:05+00:00"


def left_by(path: Path, text: str) -> list[str]:
    """What is said when a lease is taken whose file says this."""
    said: list[str] = []
    path.write_text(text, encoding="utf-8")
    with lease(path, wait_s=0, on_wait=said.append):
        assert json.loads(path.read_text())["host"] == socket.gethostname()
    assert path.read_text() == "", "it is given back"
    return said


def test_a_lease_of_another_host_that_was_not_given_back_is_named(tmp_path: Path) -> None:
    holder = {"host": "another-host", "pid": 7, "since": SINCE}
    (said,) = left_by(tmp_path / "extract.lock", json.dumps(holder))
    assert said.startswith(f"process 7 on another-host (since {SINCE}) did not give back extract")
    assert "one driver host" in said


@pytest.mark.parametrize("text", ["", "{", "[]", "7", json.dumps({"host": socket.gethostname(), "pid": 7})])
def test_one_of_this_host_or_of_nobody_says_nothing(tmp_path: Path, text: str) -> None:
    """A killed process of this host has lost the lock: it can't be running."""
    assert left_by(tmp_path / "extract.lock", text) == []
