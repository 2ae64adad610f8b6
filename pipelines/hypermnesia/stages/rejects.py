"""Rows of `rejects`: what was refused, why, where it stands and what to do; no secret, no long text."""

from __future__ import annotations

from typing import Any

from hypermnesia.rules.identity import Identity
from hypermnesia.rules.text import one_line, repair

NO_BUCKET = -1


def reject_row(
    identity: Identity,
    *,
    stage: str,
    reason: str,
    remedy: str,
    shard_id: str,
    user_id: str | None = None,
    bucket: int = NO_BUCKET,
    archive: str | None = None,
    locator: str | None = None,
    subject_id: str | None = None,
    detail: str = "",
    occurrence: str | None = None,
) -> dict[str, Any]:
    """One row; the same refusal of the same thing has the same id. The engine stamps `rejected_at`.

    `occurrence` tells apart what has no id of its own: two rows of an archive at one place.
    """
    return {
        "user_id": user_id,
        "bucket": bucket,
        "reject_id": identity.make("reject", stage, reason, archive, locator, subject_id, occurrence),
        "stage": stage,
        "reason": reason,
        "archive": archive,
        "locator": locator,
        "subject_id": subject_id,
        "detail": one_line(repair(detail)[0]),
        "remedy": remedy,
        "shard_id": shard_id,
    }
