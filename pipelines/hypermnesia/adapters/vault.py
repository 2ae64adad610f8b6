"""The vault's keys: a data key a user, wrapped by one master key; a secret is AES-GCM under its user's key.

Data keys are files in the home folder, outside the lake: destroying a user's file forgets the user's
secrets, in every copy of the lake. Nothing here is logged.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hypermnesia.adapters.key_files import KeyPlace, sync_path, write_new
from hypermnesia.rules.identity import Identity, bucket_of, need_user

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_FILE, KEYS_FOLDER, CHECK_FILE = "vault.key", "vault_keys", "key.check"
MOST_HELD_KEYS = 10_000
_NONCE_BYTES = 12

#: What tells one file of a data key from the next at the same place.
_Stamp = tuple[int, int]


def read_vault_key(home: Path, given: str | None) -> bytes:
    """The master key that was given, else the home's file; where neither is, a new file with a warning.

    Raises `ValueError` where the vault was made with another key.
    """
    key_file = home / KEY_FILE
    place = KeyPlace(
        kind="vault",
        variable="HYPERMNESIA_VAULT_KEY",
        key_file=key_file,
        check_file=home / KEYS_FOLDER / CHECK_FILE,
        owner=f"the vault {home / KEYS_FOLDER}",
        made=f"made a vault key: keep {key_file} safe and apart from the lake; without it no secret can be read",
    )
    return place.read(given)


class FileVault:
    """Seals and opens secrets of users; data keys are files under `folder`, made when first needed."""

    def __init__(self, folder: Path, master_key: bytes, identity: Identity, n_buckets: int) -> None:
        self._folder = folder
        self._master_key = master_key
        self._identity = identity
        self._n_buckets = n_buckets
        self._held: dict[str, tuple[_Stamp, str, AESGCM]] = {}

    def seal(self, user: str, vault_id: str, value: str) -> tuple[bytes, str]:
        """(ciphertext, id of the data key): fresh each time."""
        key_id, key = self._data_key(need_user(user), makes=True)
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + key.encrypt(nonce, value.encode(), _bound(user, vault_id)), key_id

    def open(self, user: str, vault_id: str, key_id: str, ciphertext: bytes) -> str:
        """The secret. Raises `LookupError` where its key was destroyed, `ValueError` for another row's ciphertext."""
        held_id, key = self._data_key(need_user(user), makes=False)
        if held_id != key_id:
            raise LookupError("this secret is forgotten: the key that it was sealed with was destroyed")
        nonce, sealed = ciphertext[:_NONCE_BYTES], ciphertext[_NONCE_BYTES:]
        return _decrypt(key, nonce, sealed, _bound(user, vault_id)).decode()

    def destroy(self, user: str) -> bool:
        """Forgets the user's secrets for good; whether there was a key."""
        path = self._path(need_user(user))
        self._held.pop(user, None)
        if not path.exists():
            return False
        path.unlink()
        sync_path(path.parent)
        return True

    def _data_key(self, user: str, *, makes: bool) -> tuple[str, AESGCM]:
        path = self._path(user)
        stamp = _stamp(path)
        if stamp is None:
            if not makes:
                raise LookupError("this secret is forgotten: its user's key was destroyed")
            write_new(path, self._new_key(path.name))  # where another process was first, its key is the one
            stamp = _stamp(path)
        held = self._held.get(user)
        if held is None or held[0] != stamp or stamp is None:
            if len(self._held) >= MOST_HELD_KEYS:
                self._held.clear()
            held = self._held[user] = (stamp or (0, 0), *self._read_key(path))
        return held[1], held[2]

    def _new_key(self, name: str) -> bytes:
        nonce, data_key = os.urandom(_NONCE_BYTES), secrets.token_bytes(32)
        wrapped = nonce + self._master.encrypt(nonce, data_key, name.encode())
        content = {
            "version": 1,
            "key_id": f"key_{secrets.token_hex(16)}",
            "wrapped": base64.b64encode(wrapped).decode(),
        }
        return json.dumps(content).encode()

    def _read_key(self, path: Path) -> tuple[str, AESGCM]:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        content = json.loads(path.read_bytes())
        wrapped = base64.b64decode(content["wrapped"])
        nonce, sealed = wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:]
        return content["key_id"], AESGCM(_decrypt(self._master, nonce, sealed, path.name.encode()))

    @cached_property
    def _master(self) -> AESGCM:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        return AESGCM(HKDF(SHA256(), 32, salt=None, info=b"hypermnesia vault").derive(self._master_key))

    def _path(self, user: str) -> Path:
        name = self._identity.make("vault", "data key of", user)
        return self._folder / str(bucket_of(user, self._n_buckets)) / f"{name}.key"


def _decrypt(key: AESGCM, nonce: bytes, sealed: bytes, bound: bytes) -> bytes:
    from cryptography.exceptions import InvalidTag

    try:
        return key.decrypt(nonce, sealed, bound)
    except InvalidTag:
        raise ValueError("this can't be opened: another key, or it was changed") from None


def _bound(user: str, vault_id: str) -> bytes:
    """What a ciphertext is bound to: it opens nowhere else."""
    return f"{vault_id}\0{user}".encode()


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns
