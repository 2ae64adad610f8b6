"""Which anchors are one: components of the decisions in force, computed anew each time (DESIGN 4, notes: names, 6).

Nothing is stored but decisions, so undoing one is the same computation without it, and the order in which anchors
and decisions arrive never matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

MAX_ALIASES = 12

Kind = Literal["same", "different", "split", "undone", "blocked", "deferred"]
JudgedBy = Literal["person", "model", "string"]
Pair = tuple[str, str]

# Who is believed where decisions in force contradict each other about one pair.
_AUTHORITY = {"person": 2, "model": 1, "string": 0}


@dataclass(frozen=True, slots=True)
class ClusterAnchor:
    """An anchor as clusters see it. `first_at` sorts by time (ISO text or microseconds as zero-filled text)."""

    anchor_id: str
    n_records: int = 0
    first_at: str = ""
    is_bare_name: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """One row of `merges`: about two original anchors, or (undone) about another decision, `undoes`.

    `decided_at` sorts by time. A split is about an anchor and a sub-anchor of it, which never join again.
    """

    decision_id: str
    kind: Kind
    a: str = ""
    b: str = ""
    judged_by: JudgedBy = "string"
    rules_version: str = ""
    strength: int = 0
    decided_at: str = ""
    undoes: str = ""

    @property
    def pair(self) -> Pair:
        """The two anchors, smaller id first."""
        return _pair(self.a, self.b)


@dataclass(frozen=True, slots=True)
class Clusters:
    """`kept` maps every anchor to its component's kept anchor; `refused` says why a "same" in force joined nothing."""

    kept: Mapping[str, str]
    refused: Mapping[str, str] = field(default_factory=dict)


def in_force(decisions: Iterable[Decision], rules_version: str) -> list[Decision]:
    """The decisions that count, by id: not undone, and for a string judge's, made by this version of its rules.

    An undoing that is itself undone does not count. Raises ValueError for undoings that undo each other in a circle.
    """
    by_id = {d.decision_id: d for d in decisions}
    undoing: dict[str, list[str]] = {}
    for decision in by_id.values():
        if decision.kind == "undone":
            undoing.setdefault(decision.undoes, []).append(decision.decision_id)
    state: dict[str, bool | None] = {}

    def counts(decision_id: str) -> bool:
        if decision_id in state:
            known = state[decision_id]
            if known is None:
                raise ValueError(f"decision {decision_id} undoes itself, over other undoings: remove one of them")
            return known
        state[decision_id] = None
        state[decision_id] = not any(counts(other) for other in undoing.get(decision_id, ()))
        return state[decision_id] is True

    return [
        by_id[i]
        for i in sorted(by_id)
        if counts(i) and (by_id[i].judged_by != "string" or by_id[i].rules_version == rules_version)
    ]


def _verdicts(decisions: Iterable[Decision]) -> dict[Pair, Decision]:
    """One decision a pair: a block or split before all, then the higher authority, then the later one."""
    chosen: dict[Pair, Decision] = {}
    for decision in decisions:
        if decision.kind in ("undone", "deferred") or decision.a == decision.b:
            continue
        before = chosen.get(decision.pair)
        if before is None or _rank(decision) > _rank(before):
            chosen[decision.pair] = decision
    return chosen


def _rank(decision: Decision) -> tuple[bool, int, str, bool, int, str]:
    return (
        decision.kind in ("blocked", "split"),
        _AUTHORITY[decision.judged_by],
        decision.decided_at,  # strings too are judged again when facts are added
        decision.kind == "different",
        decision.strength,
        decision.decision_id,
    )


def components(
    anchors: Iterable[ClusterAnchor],
    decisions: Iterable[Decision],
    compatible: Callable[[str, str], bool],
    *,
    rules_version: str,
    max_aliases: int = MAX_ALIASES,
) -> Mapping[str, str]:
    """Every anchor's kept anchor (`cluster` without the reasons)."""
    return cluster(anchors, decisions, compatible, rules_version=rules_version, max_aliases=max_aliases).kept


def cluster(
    anchors: Iterable[ClusterAnchor],
    decisions: Iterable[Decision],
    compatible: Callable[[str, str], bool],
    *,
    rules_version: str,
    max_aliases: int = MAX_ALIASES,
) -> Clusters:
    """Components of one user's anchors.

    Decisions "same" are taken by authority and strength, then by ids. One joins two components only if every cross
    pair is decided "same" or `compatible`, and none is decided otherwise. A person's joins whatever no person, model
    or block forbids; aliases of names so joined need to be compatible with their own side only. More than
    `max_aliases` anchors need a person. A bare name is joined by a person only, last, and only where it leads to one
    component: it never bridges two. A string judge's "same" counts for nothing about an anchor that fits two rivals
    (Acme is Acme GmbH and Acme AG). Decisions about unknown anchors are passed over.
    """
    known = {a.anchor_id: a for a in anchors}
    verdicts = _verdicts(in_force(decisions, rules_version))
    edges = [d for pair, d in verdicts.items() if d.kind == "same" and pair[0] in known and pair[1] in known]
    edges.sort(key=lambda d: (-_AUTHORITY[d.judged_by], -d.strength, d.pair))
    joining = _Joining(known, verdicts, compatible, max_aliases)
    refused: dict[str, str] = {}
    bare: list[Decision] = []
    ambiguous = _ambiguous(edges, joining)
    for edge in edges:
        if known[edge.a].is_bare_name or known[edge.b].is_bare_name:
            bare.append(edge)
        elif _is_string(edge) and not ambiguous.isdisjoint(edge.pair):
            refused[edge.decision_id] = "a rival fits as well"
        elif reason := joining.join(edge):
            refused[edge.decision_id] = reason
    refused |= _attach_bare(bare, joining)
    return Clusters(joining.kept(), refused)


class _Joining:
    """Components while they grow, made of parts whose names are compatible; only people join parts that are not."""

    def __init__(
        self,
        known: Mapping[str, ClusterAnchor],
        verdicts: Mapping[Pair, Decision],
        compatible: Callable[[str, str], bool],
        max_aliases: int,
    ) -> None:
        self.known = known
        self._verdicts = verdicts
        self._compatible = compatible
        self._max_aliases = max_aliases
        self._members = {i: [i] for i in known}
        self._parts = {i: [i] for i in known}

    def members(self, anchor_id: str) -> list[str]:
        """The component of an anchor."""
        return self._members[anchor_id]

    def join(self, edge: Decision) -> str:
        """Joins the components of an edge's anchors; "" if they are one now, else why not."""
        left, right = self._members[edge.a], self._members[edge.b]
        if left is right:
            return ""
        is_confirmed = edge.judged_by == "person"
        if len(left) + len(right) > self._max_aliases and not is_confirmed:
            return f"more than {self._max_aliases} aliases"
        if reason := _first(self.forbidden, left, right):
            return reason
        part_a, part_b = self._parts[edge.a], self._parts[edge.b]
        reason = _first(self._difference if is_confirmed else self.obstacle, part_a, part_b)
        if reason and not is_confirmed:
            return reason
        if not reason:
            _merge(self._parts, part_a, part_b)
        _merge(self._members, left, right)
        return ""

    def forbidden(self, x: str, y: str) -> str:
        """Why not even a person's "same" about their aliases joins two anchors, "" if it does."""
        decided = self._verdicts.get(_pair(x, y))
        if decided is None or decided.kind == "same" or (decided.kind == "different" and _is_string(decided)):
            return ""
        return f"{min(x, y)} and {max(x, y)} are {decided.kind}"

    def obstacle(self, x: str, y: str) -> str:
        """Why strings keep two anchors apart, "" if they do not."""
        pair = _pair(x, y)
        decided = self._verdicts.get(pair)
        if decided is not None:
            return "" if decided.kind == "same" else f"{pair[0]} and {pair[1]} are {decided.kind}"
        return self._difference(*pair)

    def _difference(self, x: str, y: str) -> str:
        pair = _pair(x, y)
        return "" if self._compatible(*pair) else f"{pair[0]} and {pair[1]} are not compatible"

    def kept(self) -> dict[str, str]:
        best = {
            id(members): min(members, key=lambda i: (-self.known[i].n_records, self.known[i].first_at, i))
            for members in self._members.values()
        }
        return {anchor_id: best[id(self._members[anchor_id])] for anchor_id in sorted(self.known)}


def _pair(x: str, y: str) -> Pair:
    return (x, y) if x <= y else (y, x)


def _first(why: Callable[[str, str], str], left: list[str], right: list[str]) -> str:
    """The first reason against a cross pair of two groups, in the order of ids."""
    return next((reason for x in sorted(left) for y in sorted(right) if (reason := why(x, y))), "")


def _merge(groups: dict[str, list[str]], left: list[str], right: list[str]) -> None:
    left.extend(right)
    for member in right:
        groups[member] = left


def _ambiguous(edges: list[Decision], joining: _Joining) -> set[str]:
    """Anchors that strings join to two others that exclude each other: no string decision about them counts."""
    at: dict[str, list[str]] = {}
    for edge in filter(_is_string, edges):
        at.setdefault(edge.a, []).append(edge.b)
        at.setdefault(edge.b, []).append(edge.a)
    return {
        anchor_id for anchor_id, others in at.items() if any(joining.obstacle(x, y) for x, y in combinations(others, 2))
    }


def _is_string(decision: Decision) -> bool:
    return decision.judged_by == "string"


def _attach_bare(edges: list[Decision], joining: _Joining) -> dict[str, str]:
    """Bare names after all others: each where a person puts it, if that is one component."""
    refused = {d.decision_id: "a bare name is linked mention by mention" for d in edges if d.judged_by != "person"}
    by_person = [d for d in edges if d.judged_by == "person"]
    targets: dict[str, set[int]] = {}
    for edge in by_person:
        for bare, other in ((edge.a, edge.b), (edge.b, edge.a)):
            if joining.known[bare].is_bare_name:
                targets.setdefault(bare, set()).add(id(joining.members(other)))
    for edge in by_person:
        if any(len(targets.get(end, ())) > 1 for end in (edge.a, edge.b)):
            refused[edge.decision_id] = "a bare name would bridge two components"
        elif reason := joining.join(edge):
            refused[edge.decision_id] = reason
    return refused
