"""From decisions about names to kept anchors: recomputed each time from the decisions in force (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from hypermnesia.contracts.answers import MergedType
from hypermnesia.rules.clusters import ClusterAnchor, Decision, components, in_force
from hypermnesia.rules.name_hypotheses import is_bare_name
from hypermnesia.rules.name_keys import proposed_pairs
from hypermnesia.rules.names import RULES_VERSION, Named, Verdict, is_compatible, judge

#: The types of anchors whose names may be merged (DESIGN 6).
MERGED_TYPES = frozenset[str](get_args(MergedType))

#: Two anchors, the smaller id first.
Pair = tuple[str, str]

#: What a row of `merges` says of a mention, not of two anchors.
LINKED = "linked"


@dataclass(frozen=True, slots=True)
class Member:
    """One anchor as written: its name as used most, how many records name it, and when it was first said."""

    anchor_id: str
    type: str
    name: str
    n_records: int
    first_said: str
    facts: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def is_bare_name(self) -> bool:
        """A person by a first name alone: no anchor to merge, since it may be several people (names.md, 4)."""
        return self.type == "person" and is_bare_name(self.name)

    @property
    def named(self) -> Named:
        """As the string judge takes it."""
        return Named(self.name, self.type, self.facts)  # type: ignore[arg-type]


def verdict_of(left: Member, right: Member) -> Verdict:
    """The string judge's verdict on two anchors of types that may merge."""
    return judge(left.named, right.named)


def worth_judging(members: Iterable[Member]) -> list[Pair]:
    """Pairs of anchors of one type whose names share a key or most letters, sorted; bare first names are left out."""
    names = {m.anchor_id: (m.name, m.named.type) for m in members if m.type in MERGED_TYPES and not m.is_bare_name}
    return sorted(proposed_pairs(names))


def kept_anchors(members: Iterable[Member], decisions: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """anchor_id -> the anchor that is kept for it, of rows of `merges`."""
    by_id = {member.anchor_id: member for member in members}
    taken = [decision_of(row) for row in decisions if row["decision"] != LINKED]
    if not taken:
        return {anchor_id: anchor_id for anchor_id in by_id}
    anchors = [ClusterAnchor(m.anchor_id, m.n_records, m.first_said, m.is_bare_name) for m in by_id.values()]

    def compatible(left: str, right: str) -> bool:
        return is_compatible(verdict_of(by_id[left], by_id[right]))

    def is_refuted(decision: Decision) -> bool:
        """Whether facts that came later speak against what strings said: their verdicts are not remembered."""
        ends = [by_id[end] for end in (decision.a, decision.b) if end in by_id]
        is_of_strings = decision.kind == "same" and decision.judged_by == "string" and len(ends) == 2
        return is_of_strings and any(end.facts for end in ends) and verdict_of(ends[0], ends[1]).answer != "same"

    taken = [decision for decision in taken if not is_refuted(decision)]
    return dict(components(anchors, taken, compatible, rules_version=RULES_VERSION))


def split_mentions(decisions: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """mention_id -> the anchor of its own that a split in force gives it; of several splits the last one's."""
    rows = {row["decision_id"]: row for row in decisions if row["decision"] in ("split", "undone")}
    if not any(row["decision"] == "split" for row in rows.values()):
        return {}
    counting = {d.decision_id for d in in_force([decision_of(row) for row in rows.values()], RULES_VERSION)}
    splits = [row for i, row in rows.items() if i in counting and row["decision"] == "split"]
    splits.sort(key=lambda row: (row["decided_at"], row["decision_id"]))
    return {mention_id: row["right_id"] for row in splits for mention_id in row["mention_ids"]}


def decision_of(row: Mapping[str, Any]) -> Decision:
    """A row of `merges` as clusters take it."""
    return Decision(
        decision_id=row["decision_id"],
        kind=row["decision"],
        a=row["left_id"] or "",
        b=row["right_id"] or "",
        judged_by=row["judge"],
        rules_version=row["judge_version"] or "",
        strength=int(row["score"] or 0),
        decided_at=row["decided_at"].isoformat() if row["decided_at"] else "",
        undoes=row["undoes"] or "",
    )
