"""resolve: decisions about the names of each user that need no look around, and links of bare first names.

Only the string judge's accepting rules attach a name while writing (DESIGN 5.6); what it leaves unsure waits for
the night. Users are read whole, in sorted order, behind extract: so the order of arrival never matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from hypermnesia.contracts.tables import MERGES
from hypermnesia.graph_view import members
from hypermnesia.ports import Lake, Part, Shard
from hypermnesia.rules.activation import Active
from hypermnesia.rules.cutting import natural_runs
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.merging import LINKED, Member, kept_anchors, verdict_of, worth_judging
from hypermnesia.rules.name_hypotheses import MentionContext, link_bare_name
from hypermnesia.rules.names import RULES_VERSION, accepts_at_write
from hypermnesia.stages.decision_rows import decision_row
from hypermnesia.stages.rejects import refused_item
from hypermnesia.views import Bucket, Buckets

Row = dict[str, Any]


class Resolve:
    """The resolve stage over the names in force."""

    name = "resolve"
    version = RULES_VERSION
    tables = ("merges",)
    counted_table = None

    def __init__(self, lake: Lake, identity: Identity, active: Active, shard_names: int) -> None:
        self._buckets = Buckets(lake, identity, active)
        self._identity = identity
        self._shard_names = shard_names
        self._opened: tuple[int, dict[str, list[Member]]] | None = None

    def plan(self) -> Iterator[Shard]:
        """Shards of whole users of one bucket, about `shard_names` anchors each."""
        for number in self._buckets.numbers():
            runs = natural_runs(
                self._open(number).items(),
                size=lambda user: len(user[1]),
                key=lambda user: user[1][0].anchor_id,
                modulus=4,
                most=self._shard_names,
            )
            for run in runs:
                content = [
                    part for _, known in run for m in known for part in (m.anchor_id, m.name, m.first_said, *_said(m))
                ]
                mentions = self._buckets.open(number).mentions
                named = mentions.filter(pl.col("user_id").is_in([user for user, _ in run]))["mention_id"].sort()
                shard_id = self._identity.make("shard", self.name, self.version, *content, *named)
                yield Shard(self.name, shard_id, number, tuple(user for user, _ in run))

    def run(self, shard: Shard) -> Iterator[Part]:
        """Counts anchors: merged into another one, or out as they are."""
        assert shard.bucket is not None
        bucket = self._buckets.open(shard.bucket)
        people = _people_by_session(bucket)
        part = Part(tables={})
        rows: list[Row] = []
        for user in shard.items:
            known = self._open(shard.bucket)[user]
            owner = {"user_id": user, "bucket": shard.bucket, "shard_id": shard.id}
            decided = [owner | row for row in self._same(user, known)]
            rows += decided
            rows += [owner | row for row in self._links(user, known, people.get(user, {}))]
            n_merged = _n_merged(known, decided)
            part.n_in += len(known)
            part.n_merged += n_merged
            part.n_out += len(known) - n_merged
        part.tables = {"merges": MERGES.table(rows)}
        yield part

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A user whose names could not be judged: they stay apart until a replay."""
        assert shard.bucket is not None
        n = len(self._open(shard.bucket)[item])
        remedy = "run `replay resolve`; until then the user's names stay apart"
        return refused_item(self._identity, shard, item, reason, detail, user_id=item, remedy=remedy, n=n)

    def _open(self, bucket: int) -> dict[str, list[Member]]:
        """The bucket's anchors as written by user; the last one is kept."""
        if self._opened is None or self._opened[0] != bucket:
            self._opened = (bucket, dict(members(self._buckets.open(bucket))))
        return self._opened[1]

    def _same(self, user: str, known: list[Member]) -> Iterator[Row]:
        by_id = {m.anchor_id: m for m in known}
        for left, right in ((by_id[a], by_id[b]) for a, b in worth_judging(known)):
            verdict = verdict_of(left, right)
            if accepts_at_write(verdict):
                yield self._decision(user, "same", (left, right), verdict.rule, float(verdict.strength), [])

    def _links(self, user: str, known: list[Member], people: dict[str, dict[str, list[str]]]) -> Iterator[Row]:
        """A hypothesis for each bare first name and session in which one full name fits it."""
        by_id = {m.anchor_id: m for m in known}
        full = {m.anchor_id: m.name for m in known if m.type == "person" and not m.is_bare_name}
        for anchors in people.values():
            in_session = {anchor_id: full[anchor_id] for anchor_id in anchors if anchor_id in full}
            for anchor_id, mention_ids in anchors.items():
                if anchor_id in full or not in_session:
                    continue
                guess = link_bare_name(MentionContext(by_id[anchor_id].name, in_session, full))
                if guess and guess.anchor_id:
                    ends = (by_id[anchor_id], by_id[guess.anchor_id])
                    yield self._decision(user, LINKED, ends, "bare_name", guess.confidence, mention_ids)

    def _decision(
        self, user: str, decision: str, ends: tuple[Member, Member], rule: str, score: float, mentions: Sequence[str]
    ) -> Row:
        judge = {"judge": "string", "judge_version": RULES_VERSION, "round": "write"}
        return decision_row(self._identity, user, decision, ends, rule=rule, score=score, mention_ids=mentions, **judge)


def _said(member: Member) -> list[str]:
    """What is stated of an anchor, as parts of a shard's content: facts that come later are judged again."""
    return [f"{fact} {value}" for fact in sorted(member.facts) for value in sorted(member.facts[fact])]


def _n_merged(known: list[Member], decided: list[Row]) -> int:
    rows = [row | {"decided_at": None, "undoes": None} for row in decided]
    return sum(anchor_id != kept for anchor_id, kept in kept_anchors(known, rows).items())


def _people_by_session(bucket: Bucket) -> dict[str, dict[str, dict[str, list[str]]]]:
    """user -> session -> person's anchor -> its mentions there, all sorted."""
    sessions = bucket.records.select("row_id", session=pl.concat_str("conversation_id", pl.col("sitting").cast(str)))
    named = (
        bucket.mentions.filter(pl.col("type") == "person")
        .join(sessions, on="row_id")
        .sort("user_id", "session", "anchor_id", "mention_id")
    )
    people: dict[str, dict[str, dict[str, list[str]]]] = {}
    for user, session, anchor_id, mention_id in named.select(
        "user_id", "session", "anchor_id", "mention_id"
    ).iter_rows():
        people.setdefault(user, {}).setdefault(session, {}).setdefault(anchor_id, []).append(mention_id)
    return people
