"""Secrets: what finds them and what seals them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hypermnesia.rules.secrets import Secret


class SecretDetector(Protocol):
    """What finds secrets in texts; people's names, addresses and phone numbers are none."""

    def find(self, texts: Sequence[str]) -> list[list[Secret]]:
        """The secrets of each text, in order, none overlapping another."""
        ...


class Vault(Protocol):
    """Seals secrets under a key of their user; without that key they are gone."""

    def seal(self, user: str, vault_id: str, value: str) -> tuple[bytes, str]:
        """(ciphertext, id of the data key); the user's key is made when first needed, once for all processes."""
        ...

    def open(self, user: str, vault_id: str, key_id: str, ciphertext: bytes) -> str:
        """The secret. Raises `LookupError` where its key was destroyed, `ValueError` for another row's ciphertext."""
        ...

    def destroy(self, user: str) -> bool:
        """Forgets the user's secrets for good; whether there was a key."""
        ...
