"""What people decide about names: taking back, forbidding, dividing. Rows of `merges`, appended, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from hypermnesia.contracts.tables import MERGES
from hypermnesia.fact_view import stated_facts
from hypermnesia.ports import Lake
from hypermnesia.rules.activation import Active
from hypermnesia.rules.clusters import in_force
from hypermnesia.rules.consolidation import pair_of
from hypermnesia.rules.identity import Identity, bucket_of, need_user
from hypermnesia.rules.merging import LINKED, decision_of, split_mentions
from hypermnesia.rules.names import RULES_VERSION
from hypermnesia.rules.splits import Place, divide
from hypermnesia.views import Bucket

Row = dict[str, Any]


class Decisions:
    """The decisions about names in a lake. Use it under the lease of `merge_entities`: one writer at a time."""

    def __init__(self, lake: Lake, identity: Identity) -> None:
        self._lake = lake
        self._identity = identity

    def of_user(self, user: str) -> list[Row]:
        """Every decision of a user with `is_in_force`, the oldest first."""
        bucket = bucket_of(need_user(user), self._lake.n_buckets)
        return _with_state(self._lake.read("merges", buckets=[bucket], equals={"user_id": user}).to_pylist())

    def one(self, decision_id: str) -> Row:
        """One decision with `is_in_force`. Raises `LookupError`."""
        found = self._lake.read("merges", equals={"decision_id": decision_id}).to_pylist()
        if not found:
            raise LookupError(f"no decision {decision_id}: `merges list USER` names them")
        return next(row for row in self.of_user(found[0]["user_id"]) if row["decision_id"] == decision_id)

    def undo(self, decision_ids: Sequence[str], reason: str, run_id: str, at: datetime) -> int:
        """Takes decisions back; one that is not in force stays as it is. Returns how many were taken back."""
        rows = [self.one(decision_id) for decision_id in decision_ids]
        return self._append(
            [
                self._row(
                    row["user_id"], "undone", row["left_id"], row["right_id"], reason, run_id, at, row["decision_id"]
                )
                | {name: row[name] for name in ("left_name", "right_name", "anchor_type")}
                for row in rows
                if row["is_in_force"]
            ]
        )

    def undo_run(self, run: str, reason: str, run_id: str, at: datetime) -> int:
        """Takes back every decision of a run. Raises `LookupError` where the run decided nothing."""
        rows = self._lake.read("merges", columns=["decision_id", "run_id", "decision"]).to_pylist()
        made = [row["decision_id"] for row in rows if row["run_id"] == run and row["decision"] != "undone"]
        if not made:
            raise LookupError(f"run {run} made no decision: `status` names the runs")
        return self.undo(made, reason, run_id, at)

    def forbid(self, user: str, left: str, right: str, reason: str, run_id: str, at: datetime) -> int:
        """Two anchors that must never be one, for good. Raises `LookupError` where one is not the user's."""
        names = self._names(user, [left, right])
        row = self._row(user, "blocked", *pair_of(left, right), reason, run_id, at)
        first, second = pair_of(left, right)
        return self._append([row | {"left_name": names[first], "right_name": names[second]}])

    def split(
        self, user: str, anchor_id: str, mention_ids: Sequence[str], reason: str, run_id: str, at: datetime
    ) -> str:
        """Divides an anchor that holds two of one name: the mentions get an anchor of their own, whose id is returned.

        Raises `LookupError` for a mention that is not of this anchor.
        """
        mentions = self._mentions(user, {"mention_id": list(mention_ids)})
        if strangers := set(mention_ids) - {m["mention_id"] for m in mentions if m["anchor_id"] == anchor_id}:
            raise LookupError(f"{sorted(strangers)[0]} is no mention of {anchor_id}: `show {anchor_id}` lists them")
        apart = self._identity.make("anchor", user, anchor_id, *sorted(mention_ids))
        row = self._row(user, "split", anchor_id, apart, reason, run_id, at)
        name = mentions[0]["surface"]
        self._append([row | {"mention_ids": sorted(mention_ids), "left_name": name, "right_name": name}])
        return apart

    def split_by_facts(
        self, user: str, anchor_id: str, active: Active, reason: str, run_id: str, at: datetime
    ) -> list[str]:
        """Divides an anchor by the birth dates and other identifiers that its records state; returns the new anchors.

        Raises `LookupError` where nothing that is in force says that it is more than one.
        """
        bucket = Bucket(self._lake, self._identity, bucket_of(need_user(user), self._lake.n_buckets), active, user)
        moved = split_mentions(bucket.merges.to_dicts())
        conversations = dict(bucket.records.select("row_id", "conversation_id").iter_rows())
        places = [
            Place(m["mention_id"], m["message_id"], conversations[m["row_id"]])
            for m in bucket.mentions.iter_rows(named=True)
            if m["anchor_id"] == anchor_id and m["mention_id"] not in moved
        ]
        apart = divide(places, stated_facts(bucket).get(user, {}).get(anchor_id, ()))
        if not apart:
            raise LookupError(f"no fact says that {anchor_id} is more than one: name the mentions (`show {anchor_id}`)")
        return [
            self.split(user, anchor_id, part.mention_ids, f"{reason} ({part.fact} {part.value})", run_id, at)
            for part in apart
        ]

    def _row(
        self,
        user: str,
        decision: str,
        left: str,
        right: str,
        reason: str,
        run_id: str,
        at: datetime,
        undoes: str | None = None,
    ) -> Row:
        parts = (user, decision, left, right, "person", at.isoformat(), undoes)
        return {
            "user_id": user,
            "bucket": bucket_of(user, self._lake.n_buckets),
            "decision_id": self._identity.make("decision", *parts),
            "decision": decision,
            "left_id": left,
            "right_id": right,
            "mention_ids": [],
            "undoes": undoes,
            "judge": "person",
            "reason": reason,
            "round": "person",
            "run_id": run_id,
            "decided_at": at,
            "shard_id": run_id,
        }

    def _append(self, rows: Sequence[Row]) -> int:
        if rows:
            self._lake.open("merges").append(MERGES.table(rows), [f"decisions/{rows[0]['decision_id']}"])
        return len(rows)

    def _names(self, user: str, anchor_ids: Sequence[str]) -> dict[str, str]:
        names = {m["anchor_id"]: m["surface"] for m in self._mentions(user, {"anchor_id": list(anchor_ids)})}
        if missing := set(anchor_ids) - set(names):
            raise LookupError(f"no anchor {sorted(missing)[0]} of {user}: `merges list` and `show` name them")
        return names

    def _mentions(self, user: str, equals: dict[str, Sequence[str]]) -> list[Row]:
        bucket = bucket_of(need_user(user), self._lake.n_buckets)
        rows: list[Row] = self._lake.read("mentions", buckets=[bucket], equals={"user_id": user, **equals}).to_pylist()
        return rows


def _with_state(rows: Iterable[Row]) -> list[Row]:
    ordered = sorted(rows, key=lambda row: (row["decided_at"], row["decision_id"]))
    judged = [decision_of(row) for row in ordered if row["decision"] != LINKED]
    counting = {decision.decision_id for decision in in_force(judged, RULES_VERSION)}
    undone = {row["undoes"] for row in ordered if row["decision"] == "undone"}
    return [
        row
        | {
            "is_in_force": row["decision_id"] in counting
            or (row["decision"] == LINKED and row["decision_id"] not in undone)
        }
        for row in ordered
    ]
