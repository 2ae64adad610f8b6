"""A key that is given, or kept in a file of the home folder: made once, private, checked at every use."""

from __future__ import annotations

import hmac
import os
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

LEAST_BYTES = 16


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where a key is and how it is called.

    `check_file` tells a wrong key from the right one without holding it; `made` is said when it is made.
    """

    kind: str
    variable: str
    key_file: Path
    check_file: Path
    owner: str
    made: str

    def read(self, given: str | None) -> bytes:
        """The key that was given, else the file's; where neither is, a new file with a warning.

        Raises `ValueError` for a short key, a lost one, and one that is not the key of what is there.
        """
        if given is not None:
            key = given.encode()
            if len(key) < LEAST_BYTES:
                raise ValueError(f"{self.variable} must have at least {LEAST_BYTES} bytes")
        elif self.key_file.exists():
            key = self.key_file.read_text().strip().encode()
        elif self.check_file.exists():
            raise ValueError(f"the {self.kind}'s key is missing: set {self.variable} or put {self.key_file} back")
        else:
            key = self._make()
        self._check(key)
        return key

    def _make(self) -> bytes:
        key = secrets.token_hex(32)
        if not write_new(self.key_file, (key + "\n").encode()):  # another run made it meanwhile
            return self.key_file.read_text().strip().encode()
        print(self.made, file=sys.stderr)
        return key.encode()

    def _check(self, key: bytes) -> None:
        expected = hmac.digest(key, f"hypermnesia {self.kind} key check".encode(), "sha256").hex()[:16]
        if not self.check_file.exists() and write_new(self.check_file, expected.encode(), mode=0o644):
            return
        if self.check_file.read_text() != expected:
            raise ValueError(f"this is not the key that {self.owner} was made with")


def write_new(path: Path, content: bytes, mode: int = 0o600) -> bool:
    """Writes a file that is not there, whole or not at all; whether it was this call that made it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    sync_path(path.parent)
    return True


def sync_path(path: Path) -> None:
    """Makes a file, or a folder's entries, outlive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
