"""The vault's audit log: who asked for which secret and why, granted or not; never the secret."""

from __future__ import annotations

import getpass
import json
import os
from datetime import UTC, datetime
from pathlib import Path

AUDIT_FILE = "vault_audit.jsonl"


def write_attempt(home: Path, *, vault_id: str, user: str, reason: str, is_granted: bool) -> None:
    """Appends one line, on the disk before this returns. Raises `OSError`: what can't be logged is not granted."""
    line = {
        "at": datetime.now(UTC).isoformat(),
        "who": _who(),
        "vault_id": vault_id,
        "user": user,
        "reason": reason,
        "granted": is_granted,
    }
    descriptor = os.open(home / AUDIT_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, (json.dumps(line, ensure_ascii=False) + "\n").encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as containers have
        return f"uid {os.getuid()}"
