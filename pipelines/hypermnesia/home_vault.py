"""Secrets of a home by exact request; every attempt is in its audit log, with who asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypermnesia.adapters.vault_audit import write_attempt
from hypermnesia.inspection.vault import get_secret

if TYPE_CHECKING:
    from hypermnesia.app import App


def open_secret(
    app: App, vault_id: str, user: str, reason: str, *, by: str = "", is_permitted: bool = True
) -> dict[str, Any]:
    """One secret with its value, where `vault_read` permits it too; `by` is added to the reason in the log.

    Raises as `inspection.vault.get_secret`.
    """

    def audit(vault_id: str, user: str, reason: str, is_granted: bool) -> None:
        reason = f"{reason} ({by})" if by else reason
        write_attempt(app.home, vault_id=vault_id, user=user, reason=reason, is_granted=is_granted)

    is_permitted = is_permitted and app.settings.vault_read
    return get_secret(app.lake, lambda: app.vault, audit, vault_id, user, reason, is_permitted=is_permitted)
