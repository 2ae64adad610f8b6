"""merge_entities: by night, names that are one become one, as decisions that can be undone (DESIGN 6).

The boundary are the anchors of semantic records that came since the last night. Pairs are proposed by name keys and
by nearest vectors; the string judge says same, different or unsure; a model judge, where there is one, looks at what
strings leave unsure. Only "same", a model's "different" and what is left for the next night are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from hypermnesia.contracts.tables import MERGES
from hypermnesia.graph_view import members
from hypermnesia.ports import Lake, Part, Shard
from hypermnesia.rules.activation import Active
from hypermnesia.rules.consolidation import (
    FINAL_BUDGET,
    REPAIR_BUDGET,
    STREAM_BUDGET,
    nearest_pairs,
    plan_round,
    settled_pairs,
)
from hypermnesia.rules.cutting import natural_runs
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.merging import MERGED_TYPES, Member, Pair, kept_anchors, verdict_of
from hypermnesia.rules.names import RULES_VERSION
from hypermnesia.stages.decision_rows import decision_row
from hypermnesia.stages.embed import NAME
from hypermnesia.stages.rejects import refused_item
from hypermnesia.views import Bucket, Buckets

Row = dict[str, Any]
Vectors = Mapping[str, np.ndarray[Any, np.dtype[np.float32]]]

CHUNKS_A_ROUND = 5  # in streaming replay (DESIGN 6)
STREAM, NIGHTLY = "stream", "nightly"


@dataclass(frozen=True, slots=True)
class _User:
    """One user's anchors that may merge, and what a night needs to know of them."""

    name: str
    members: tuple[Member, ...]
    batches: tuple[frozenset[str], ...]  # boundaries, one a round
    decisions: tuple[Row, ...]

    @property
    def boundary(self) -> frozenset[str]:
        return frozenset[str]().union(*self.batches)


class MergeEntities:
    """The merge_entities stage: one night, or the rounds of a streaming replay."""

    name = "merge_entities"
    version = RULES_VERSION
    tables = ("merges",)
    counted_table = None

    def __init__(
        self,
        lake: Lake,
        identity: Identity,
        active: Active,
        model: str,
        shard_names: int,
        *,
        since: datetime | None = None,
        rounds: str = NIGHTLY,
    ) -> None:
        self._lake = lake
        self._buckets = Buckets(lake, identity, active)
        self._identity = identity
        self._model = model
        self._shard_names = shard_names
        self._since = since
        self._rounds = rounds
        self._opened: tuple[int, dict[str, _User]] | None = None

    def plan(self) -> Iterator[Shard]:
        """Shards of whole users that have anything new since the last night, or pairs that were left from it."""
        for number in self._buckets.numbers():
            runs = natural_runs(
                self._open(number).values(),
                size=lambda user: len(user.members),
                key=lambda user: user.members[0].anchor_id,
                modulus=4,
                most=self._shard_names,
            )
            for run in runs:
                content = [part for user in run for part in (user.name, *sorted(user.boundary))]
                content += [f"{m.anchor_id} {m.name}" for user in run for m in user.members]
                night = {"since": self._since.isoformat() if self._since else "", "rounds": self._rounds}
                shard_id = self._identity.make("shard", self.name, self.version, *night.values(), *content)
                yield Shard(self.name, shard_id, number, tuple(user.name for user in run), night)

    def run(self, shard: Shard) -> Iterator[Part]:
        """Counts pairs: out were judged, deferred wait for the next night."""
        assert shard.bucket is not None
        self._take_night(shard)
        part = Part(tables={})
        reasons: Counter[str] = Counter()
        rows: list[Row] = []
        vectors = self._vectors(shard.bucket)
        for name in shard.items:
            user = self._open(shard.bucket)[name]
            owner = {"user_id": name, "bucket": shard.bucket, "shard_id": shard.id}
            rows += [owner | row for row in self._night(user, vectors, part, reasons)]
        part.tables = {"merges": MERGES.table(rows)}
        part.reasons = dict(reasons)
        yield part

    def unsure(self, shard: Shard, name: str) -> tuple[dict[str, Member], list[Pair]]:
        """A user's anchors, and the pairs of the night's last round on which strings can't tell."""
        assert shard.bucket is not None
        self._take_night(shard)
        user = self._open(shard.bucket)[name]
        by_id = {m.anchor_id: m for m in user.members}
        waiting = {(r["left_id"], r["right_id"]) for r in user.decisions if r["decision"] == "deferred"}
        near = nearest_pairs(user.members, self._vectors(shard.bucket), user.boundary)
        settled = settled_pairs(user.decisions)
        last = plan_round(user.members, user.boundary, near, settled, waiting, FINAL_BUDGET)
        return by_id, [p for p in last.judged if verdict_of(by_id[p[0]], by_id[p[1]]).answer == "unsure"]

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A user whose pairs could not be judged: they are tried again next night."""
        remedy = "the next `nightly` tries again; until then the user's names stay apart"
        return refused_item(self._identity, shard, item, reason, detail, user_id=item, remedy=remedy)

    def _take_night(self, shard: Shard) -> None:
        """A worker knows from its shard which night it is."""
        since = shard.details["since"]
        self._since = datetime.fromisoformat(since) if since else None
        self._rounds = shard.details["rounds"]

    def _night(self, user: _User, vectors: Vectors, part: Part, reasons: Counter[str]) -> list[Row]:
        """All rounds of one user; what is over the last one's budget waits."""
        by_id = {m.anchor_id: m for m in user.members}
        settled = settled_pairs(user.decisions)
        rows: list[Row] = []

        def judge_all(pairs: Sequence[Pair]) -> None:
            rows.extend(row for pair in pairs if (row := self._judged(user.name, pair, by_id, reasons)))
            settled.update(pairs)
            part.n_in += len(pairs)
            part.n_out += len(pairs)

        for boundary in user.batches[:-1]:
            near = nearest_pairs(user.members, vectors, boundary)
            judge_all(plan_round(user.members, boundary, near, settled, (), STREAM_BUDGET).judged)
        waiting = {(r["left_id"], r["right_id"]) for r in user.decisions if r["decision"] == "deferred"}
        near = nearest_pairs(user.members, vectors, user.boundary)
        last = plan_round(user.members, user.boundary, near, settled, waiting, FINAL_BUDGET)
        judge_all(last.judged)
        repairs = self._repairs(user, rows, last.deferred, settled)
        judge_all(repairs)
        left = [pair for pair in last.deferred if pair not in settled]
        part.n_in += len(left)
        part.n_deferred += len(left)
        if left:
            reasons["over_budget"] += len(left)
        return rows + [self._row(user.name, "deferred", pair, by_id, "over_budget", 0.0) for pair in left]

    def _repairs(self, user: _User, same: Sequence[Row], deferred: Sequence[Pair], settled: set[Pair]) -> list[Pair]:
        """Pairs of the anchors that survived a merge, within a budget of their own."""
        if not same:
            return []
        rows = [{"decided_at": None, "undoes": None, **row} for row in (*user.decisions, *same)]
        kept = kept_anchors(user.members, rows)
        grown = {kept[row["left_id"]] for row in same}
        touched = {anchor_id for anchor_id, keeper in kept.items() if keeper in grown}
        waiting = [pair for pair in deferred if not touched.isdisjoint(pair)]
        return list(plan_round(user.members, touched, (), settled, waiting, REPAIR_BUDGET).judged)

    def _judged(self, user: str, pair: Pair, by_id: dict[str, Member], reasons: Counter[str]) -> Row | None:
        verdict = verdict_of(by_id[pair[0]], by_id[pair[1]])
        reasons[verdict.answer] += 1
        if verdict.answer != "same":
            return None
        return self._row(user, "same", pair, by_id, verdict.rule, float(verdict.strength))

    def _row(self, user: str, decision: str, pair: Pair, by_id: dict[str, Member], rule: str, score: float) -> Row:
        since = self._since.isoformat() if self._since else ""
        return decision_row(
            self._identity,
            user,
            decision,
            (by_id[pair[0]], by_id[pair[1]]),
            judge="string",
            judge_version=RULES_VERSION,
            rule=rule,
            score=score,
            round=self._rounds,
            night=since if decision == "deferred" else None,
        )

    def _open(self, bucket: int) -> dict[str, _User]:
        """The bucket's users with a boundary or pairs that wait; the last one is kept."""
        if self._opened is None or self._opened[0] != bucket:
            opened = self._buckets.open(bucket)
            boundaries = self._boundaries(opened)
            decisions: dict[str, list[Row]] = {}
            for row in opened.merges.iter_rows(named=True):
                decisions.setdefault(row["user_id"], []).append(row)
            supported = _supported(opened)
            users = {}
            for name, known in members(opened):
                eligible = tuple(m for m in known if m.type in MERGED_TYPES and m.anchor_id in supported)
                batches = tuple(b for b in boundaries.get(name, ()) if b) or (frozenset(),)
                waits = any(row["decision"] == "deferred" for row in decisions.get(name, ()))
                if eligible and (batches[0] or waits):
                    users[name] = _User(name, eligible, batches, tuple(decisions.get(name, ())))
            self._opened = (bucket, users)
        return self._opened[1]

    def _boundaries(self, bucket: Bucket) -> dict[str, list[frozenset[str]]]:
        """user -> the anchors of new semantic records: all at once, or of every five chunks in the order said."""
        semantic = bucket.records.filter(pl.col("memory_type") == "semantic")
        if self._since is not None:
            semantic = semantic.filter(pl.col("committed_at") > self._since)
        new = semantic.select("row_id", "chunk_id").join(
            bucket.mentions.select("row_id", "user_id", "anchor_id"), on="row_id", maintain_order="left"
        )
        found: dict[str, dict[str, set[str]]] = {}
        for chunk_id, user, anchor_id in new.select("chunk_id", "user_id", "anchor_id").iter_rows():
            found.setdefault(user, {}).setdefault(chunk_id, set()).add(anchor_id)
        size = CHUNKS_A_ROUND if self._rounds == STREAM else 1_000_000_000
        return {user: _batched(list(chunks.values()), size) for user, chunks in found.items()}

    def _vectors(self, bucket: int) -> Vectors:
        names = {"model": self._model, "kind": NAME}
        rows = self._lake.read("embeddings", columns=["id", "vector"], buckets=[bucket], equals=names)
        return {row["id"]: np.array(row["vector"], np.float32) for row in rows.to_pylist()}


def _supported(bucket: Bucket) -> set[str]:
    """Anchors that a semantic record names."""
    semantic = bucket.records.filter(pl.col("memory_type") == "semantic").select("row_id")
    return set(bucket.mentions.join(semantic, on="row_id", how="semi")["anchor_id"].to_list())


def _batched(chunks: list[set[str]], size: int) -> list[frozenset[str]]:
    return [frozenset[str]().union(*chunks[start : start + size]) for start in range(0, len(chunks), size)]
