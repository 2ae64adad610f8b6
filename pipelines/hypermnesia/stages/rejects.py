"""Rows of `rejects`: what was refused, why, where it stands and what to do; no secret, no long text."""

from __future__ import annotations

from typing import Any

from hypermnesia.contracts.tables import REJECTS
from hypermnesia.ports import Part, Shard
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


def refused_item(
    identity: Identity,
    shard: Shard,
    item: str,
    reason: str,
    detail: str,
    *,
    user_id: str,
    remedy: str,
    n: int = 1,
    bucket: int | None = None,
    occurrence: str | None = None,
) -> Part:
    """The part that stands for an item that could not be run at all: one reject, counted as `n` rows.

    `bucket` is its user's, where the shard has none.
    """
    bucket = shard.bucket if bucket is None else bucket
    row = reject_row(
        identity,
        stage=shard.stage,
        reason=reason,
        remedy=remedy,
        shard_id=shard.id,
        user_id=user_id,
        bucket=NO_BUCKET if bucket is None else bucket,
        subject_id=item,
        detail=detail,
        occurrence=occurrence,
    )
    return Part(tables={"rejects": REJECTS.table([row])}, n_in=n, n_rejected=n, reasons={reason: n})
