"""`vault get` and `vault list`: secrets by exact request, each attempt audited; values only where it is permitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypermnesia.ports import Lake, Vault
from hypermnesia.rules.identity import bucket_of, need_user

#: Appends to the audit log: vault id, user, reason, whether it was granted.
Audit = Callable[[str, str, str, bool], None]

_SHOWN = ("vault_id", "kind", "placeholder", "message_id", "content_hash")


def list_secrets(lake: Lake, user: str) -> list[dict[str, Any]]:
    """What the vault holds of a user, without values."""
    bucket = bucket_of(need_user(user), lake.n_buckets)
    rows = lake.read("vault", columns=[*_SHOWN, "ordinal"], buckets=[bucket], equals={"user_id": user}).to_pylist()
    rows.sort(key=lambda row: (row["kind"], row["message_id"], row["content_hash"], row["ordinal"]))
    return [{name: row[name] for name in _SHOWN} for row in rows]


def get_secret(
    lake: Lake, vault: Callable[[], Vault], audit: Audit, vault_id: str, user: str, reason: str, *, is_permitted: bool
) -> dict[str, Any]:
    """One secret with its value.

    Raises `PermissionError` without permission or a reason, `LookupError` where the user has no such secret or it
    was forgotten. Each is in the audit log before it is raised or answered.
    """
    try:
        found = _open(lake, vault, vault_id, need_user(user), reason, is_permitted=is_permitted)
    except BaseException:
        audit(vault_id, user, reason, False)
        raise
    audit(vault_id, user, reason, True)
    return found


def _open(
    lake: Lake, vault: Callable[[], Vault], vault_id: str, user: str, reason: str, *, is_permitted: bool
) -> dict[str, Any]:
    if not is_permitted:
        raise PermissionError(
            "reading secrets is not permitted here: set HYPERMNESIA_VAULT_READ=1, or `vault_read: true` in the profile"
        )
    if not reason.strip():
        raise PermissionError("a secret is read for a reason: say it with --reason")
    bucket = bucket_of(user, lake.n_buckets)
    rows = lake.read("vault", buckets=[bucket], equals={"vault_id": vault_id, "user_id": user}).to_pylist()
    if not rows:
        raise LookupError(f"{user} has no secret {vault_id}")
    row = rows[0]
    value = vault().open(user, vault_id, row["key_id"], row["ciphertext"])
    return {name: row[name] for name in _SHOWN} | {"value": value}
