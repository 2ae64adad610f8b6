"""One night: what came since the last is consolidated, probed, and published only where it is no worse (DESIGN 6)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from hypermnesia.graph_view import UserGraph, user_graphs
from hypermnesia.ports import Lake, Part
from hypermnesia.rules.activation import Active
from hypermnesia.rules.identity import Identity
from hypermnesia.stages.decisions import Decisions
from hypermnesia.views import Bucket

MOST_USERS = 25  # that are probed in one night
WORSE = 0.01  # a mean recall that falls by more than this takes the night back

#: (user, graph before, graph after) -> recall of the probes before and after.
Measure = Callable[[str, UserGraph, UserGraph], tuple[float, float]]


def last_night(lake: Lake) -> datetime | None:
    """When the last night began that ended well, or None before the first: what came since is new."""
    rows = lake.read("runs", columns=["command", "status", "started_at"]).to_pylist()
    nights = [r["started_at"] for r in rows if r["command"] == "nightly" and r["status"] == "finished"]
    return max(nights, default=None)


class Probe:
    """Asks probes over the night's decisions, not yet published; takes the decisions back where they make it worse."""

    name = "probe"

    def __init__(self, lake: Lake, identity: Identity, active: Active, run_id: str, measure: Measure) -> None:
        self._lake = lake
        self._identity = identity
        self._active = active
        self._run_id = run_id
        self._measure = measure

    def load(self) -> Part:
        """Counts users with decisions of this night: out were probed, deferred were not sampled."""
        part = Part(tables={})
        touched = self._touched()
        part.n_in = len(touched)
        before = after = 0.0
        for bucket, user in touched[:MOST_USERS]:
            old, new = self._graphs(bucket, user)
            was, became = self._measure(user, old, new)
            before, after = before + was, after + became
            part.n_out += 1
        part.n_deferred = part.n_in - part.n_out
        if part.n_deferred:
            part.reasons["not_sampled"] = part.n_deferred
        if part.n_out and (after - before) / part.n_out < -WORSE:
            n = self._take_back()
            part.reasons["taken_back"] = n
        return part

    def _touched(self) -> list[tuple[int, str]]:
        columns = ["user_id", "bucket", "run_id", "decision"]
        rows = self._lake.read("merges", columns=columns, equals={"run_id": self._run_id}).to_pylist()
        users = {(row["bucket"], row["user_id"]) for row in rows if row["decision"] == "same"}
        return sorted(users, key=lambda u: self._identity.content(u[1]))

    def _graphs(self, number: int, user: str) -> tuple[UserGraph, UserGraph]:
        bucket = Bucket(self._lake, self._identity, number, self._active, user)
        new = next(user_graphs(bucket, self._identity))
        bucket.merges = bucket.merges.filter(bucket.merges["run_id"] != self._run_id)
        return next(user_graphs(bucket, self._identity)), new

    def _take_back(self) -> int:
        reason = "the probe set got worse"
        return Decisions(self._lake, self._identity).undo_run(self._run_id, reason, self._run_id, datetime.now(UTC))
