"""API keys in a file of the home folder: hashes only, private, followed by a running server without a restart.

A token is `hm_<key id>_<secret of 256 random bits>`; a plain SHA-256 of it can't be guessed from the file, so no slow
hash is needed at every request. A revoked key stays in the file, so that its id is never given again.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from hypermnesia.adapters.key_files import sync_path
from hypermnesia.rules.identity import need_user

KEYS_FILE, LOCK_FILE = "api_keys.json", ".api_keys.lock"
_PREFIX = "hm"
_NOBODY = hashlib.sha256(secrets.token_bytes(32)).hexdigest()  # what a token of no key is compared with


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key: bound to `user`, or a service key (`user` is None) whose caller names the user of each request."""

    key_id: str
    user: str | None
    name: str
    may_read_vault: bool
    created_at: str
    revoked_at: str | None
    token_hash: str

    @property
    def is_service(self) -> bool:
        """Whether the caller names the user."""
        return self.user is None


class ApiKeys:
    """The keys of one home folder."""

    def __init__(self, home: Path) -> None:
        self._path = home / KEYS_FILE
        self._lock = home / LOCK_FILE
        self._seen: tuple[int, ...] | None = None
        self._keys: dict[str, ApiKey] = {}

    def add(self, user: str | None, *, name: str = "", may_read_vault: bool = False) -> tuple[ApiKey, str]:
        """A new key and its token, which is kept nowhere. Raises `ValueError` for an empty user."""
        if user is not None:
            need_user(user)
        with self._changing() as keys:
            key_id = secrets.token_hex(4)
            while key_id in keys:
                key_id = secrets.token_hex(4)
            token = f"{_PREFIX}_{key_id}_{secrets.token_urlsafe(32)}"
            key = ApiKey(key_id, user, name, may_read_vault, _now(), None, _hash(token))
            keys[key_id] = key
        return key, token

    def revoke(self, key_id: str) -> ApiKey:
        """The key, which opens nothing from now on; a second time changes nothing. Raises `LookupError`."""
        with self._changing() as keys:
            if key_id not in keys:
                raise LookupError(f"no key {key_id!r}: `hypermnesia keys list` names them")
            key = keys[key_id]
            keys[key_id] = key if key.revoked_at else replace(key, revoked_at=_now())
            return keys[key_id]

    def all(self) -> list[ApiKey]:
        """Every key, the oldest first. Raises `PermissionError` where others may write or read the file."""
        return sorted(self._read().values(), key=lambda key: (key.created_at, key.key_id))

    def check(self, token: str) -> ApiKey | None:
        """The key of a token; None for one that is unknown or revoked. The file is read again when it changed."""
        prefix, _, rest = token.partition("_")
        key = self._read().get(rest.partition("_")[0]) if prefix == _PREFIX else None
        is_right = hmac.compare_digest(_hash(token), key.token_hash if key else _NOBODY)
        return key if key is not None and is_right and key.revoked_at is None else None

    def _read(self) -> dict[str, ApiKey]:
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            self._seen, self._keys = None, {}
            return self._keys
        if stat.st_mode & 0o077:
            raise PermissionError(f"{self._path} may be read or written by others: chmod 600 it")
        seen = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
        if seen != self._seen:
            # The file is replaced whole, so what is read is at least as new as `seen`.
            rows = json.loads(self._path.read_text(encoding="utf-8"))["keys"]
            self._keys, self._seen = {row["key_id"]: ApiKey(**row) for row in rows}, seen
        return self._keys

    @contextmanager
    def _changing(self) -> Iterator[dict[str, ApiKey]]:
        """The keys, written back whole or not at all; one process changes them at a time."""
        descriptor = os.open(self._lock, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            keys = dict(self._read())
            yield keys
            self._write(keys)
        finally:
            os.close(descriptor)

    def _write(self, keys: dict[str, ApiKey]) -> None:
        draft = self._path.with_name(f".{self._path.name}.{secrets.token_hex(4)}")
        content = json.dumps({"keys": [asdict(key) for key in keys.values()]}, ensure_ascii=False, indent=1)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content + "\n")
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._path)
        finally:
            draft.unlink(missing_ok=True)
        sync_path(self._path.parent)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
