"""The lake key: what ids and content hashes are made with, kept outside the lake (DESIGN 3)."""

from __future__ import annotations

import hmac
import os
import secrets
import sys
from pathlib import Path

KEY_FILE = "lake.key"
CHECK_FILE = "key.check"


def read_lake_key(home: Path, given: str | None) -> bytes:
    """The key that was given, else the home's file; where neither is, a new file with a warning.

    Raises `ValueError` where the lake was made with another key: its ids would not match.
    """
    key_file, check_file = home / KEY_FILE, home / "lake" / CHECK_FILE
    if given is not None:
        key = given.encode()
        if len(key) < 16:
            raise ValueError("HYPERMNESIA_LAKE_KEY must have at least 16 bytes")
    elif key_file.exists():
        key = key_file.read_text().strip().encode()
    elif check_file.exists():
        raise ValueError(f"the lake's key is missing: set HYPERMNESIA_LAKE_KEY or put {key_file} back")
    else:
        key = _make(key_file)
    _check(check_file, key)
    return key


def _make(path: Path) -> bytes:
    key = secrets.token_hex(32)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another run made it meanwhile
        return path.read_text().strip().encode()
    with os.fdopen(descriptor, "w") as file:
        file.write(key + "\n")
    print(
        f"made a lake key: keep {path} safe and apart from the lake; without it nothing can be added", file=sys.stderr
    )
    return key.encode()


def _check(path: Path, key: bytes) -> None:
    expected = hmac.digest(key, b"hypermnesia lake key check", "sha256").hex()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text(expected)
    elif path.read_text() != expected:
        raise ValueError(f"this is not the key that the lake {path.parent} was made with")
