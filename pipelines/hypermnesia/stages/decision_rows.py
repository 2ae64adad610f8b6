"""A row of `merges`: one judge's decision about two original anchors of a user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypermnesia.rules.identity import Identity
from hypermnesia.rules.merging import Member


def decision_row(
    identity: Identity,
    user: str,
    decision: str,
    ends: tuple[Member, Member],
    *,
    judge: str,
    judge_version: str,
    rule: str,
    score: float,
    round: str,
    mention_ids: Sequence[str] = (),
    night: str | None = None,
) -> dict[str, Any]:
    """The decision without its owner's columns; the same one has the same id, one that waits an id of its `night`."""
    left, right = ends
    parts = (user, decision, left.anchor_id, right.anchor_id, judge, judge_version, *mention_ids)
    return {
        "decision_id": identity.make("decision", *parts, *([] if night is None else [night])),
        "decision": decision,
        "anchor_type": left.type,
        "left_id": left.anchor_id,
        "right_id": right.anchor_id,
        "left_name": left.name,
        "right_name": right.name,
        "mention_ids": list(mention_ids),
        "score": score,
        "judge": judge,
        "rule": rule,
        "judge_version": judge_version,
        "round": round,
    }
