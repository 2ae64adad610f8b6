"""The hypergraph of each user, computed from mentions, assertions and merges in force (DESIGN 3, 4).

Anchors and frames are never stored as their own truth: so the graph does not depend on the order of arrival,
merges can be undone, and it can be dropped and built again.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import polars as pl

from hypermnesia.fact_view import stated_facts
from hypermnesia.ports.graph import Anchor, Citation, Frame, FrameRole
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.merging import Member, kept_anchors, split_mentions
from hypermnesia.rules.stated_facts import Stated
from hypermnesia.views import Bucket

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class UserGraph:
    """One user's graph; `fingerprint` changes where any part of it does."""

    user_id: str
    anchors: tuple[Anchor, ...]
    frames: tuple[Frame, ...]
    fingerprint: str

    @property
    def parts(self) -> list[Anchor | Frame]:
        """Anchors, then frames."""
        return [*self.anchors, *self.frames]


@dataclass(slots=True)
class _Written:
    """One anchor as it was written, before merges."""

    anchor_id: str
    type: str
    key: str
    surfaces: Counter[str] = field(default_factory=Counter)
    rows: set[str] = field(default_factory=set)
    first_said: str = "~"  # after every time
    facts: dict[str, set[str]] = field(default_factory=dict)


def user_graphs(bucket: Bucket, identity: Identity) -> Iterator[UserGraph]:
    """The graphs of a bucket's users that have any anchor, by user."""
    said = dict(bucket.records.select("row_id", "said_local").iter_rows())
    assertions = _by_user(bucket.assertions)
    decisions = _by_user(bucket.merges)
    facts = stated_facts(bucket)
    for user, mentions in _by_user(bucket.mentions).items():
        decided, asserted = decisions.get(user, []), assertions.get(user, [])
        apart = split_mentions(decided)
        written = _written(mentions, said, apart, facts.get(user, {}))
        kept = kept_anchors((_member(w) for w in written.values()), decided)
        yield _graph(user, written, kept, [_divided(a, apart, identity) for a in asserted], said, identity)


def members(bucket: Bucket) -> Iterator[tuple[str, list[Member]]]:
    """(user, anchors as written) of a bucket: what decisions about names are made over."""
    said = dict(bucket.records.select("row_id", "said_local").iter_rows())
    decisions = _by_user(bucket.merges)
    facts = stated_facts(bucket)
    for user, mentions in _by_user(bucket.mentions).items():
        apart = split_mentions(decisions.get(user, []))
        yield user, [_member(w) for w in _written(mentions, said, apart, facts.get(user, {})).values()]


def _divided(assertion: Row, apart: Mapping[str, str], identity: Identity) -> Row:
    """The assertion over the anchors that its mentions have after splits: then it is another frame (DESIGN 4)."""
    if not any(role["mention_id"] in apart for role in assertion["roles"]):
        return assertion
    roles = [role | {"anchor_id": apart.get(role["mention_id"], role["anchor_id"])} for role in assertion["roles"]]
    parts = [assertion["frame_id"], *(role["anchor_id"] for role in roles)]
    return {**assertion, "roles": roles, "frame_id": identity.make("frame", *parts)}


def _by_user(rows: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    ordered = rows.sort("user_id").iter_rows(named=True)
    return {user: list(group) for user, group in groupby(ordered, key=lambda row: row["user_id"])}


def _written(
    mentions: Sequence[Row],
    said: Mapping[str, str | None],
    apart: Mapping[str, str],
    facts: Mapping[str, Sequence[Stated]],
) -> dict[str, _Written]:
    anchors: dict[str, _Written] = {}
    for mention in mentions:
        anchor_id = apart.get(mention["mention_id"], mention["anchor_id"])
        anchor = anchors.setdefault(anchor_id, _Written(anchor_id, mention["type"], mention["key"]))
        anchor.surfaces[mention["surface"]] += 1
        anchor.rows.add(mention["row_id"])
        anchor.first_said = min(anchor.first_said, said.get(mention["row_id"]) or "~")
    meant = {(m["anchor_id"], m["message_id"]): apart[m["mention_id"]] for m in mentions if m["mention_id"] in apart}
    for anchor_id, stated in facts.items():
        for one in stated:
            owners = {meant.get((anchor_id, message_id), anchor_id) for message_id in one.message_ids}
            for owner in owners & anchors.keys():
                anchors[owner].facts.setdefault(one.fact, set()).add(one.value)
    return dict(sorted(anchors.items()))


def _member(written: _Written) -> Member:
    facts = {fact: frozenset(values) for fact, values in written.facts.items()}
    return Member(written.anchor_id, written.type, _name(written), len(written.rows), written.first_said, facts)


def _name(written: _Written) -> str:
    """The spelling that was used most, then the smallest."""
    return min(written.surfaces, key=lambda surface: (-written.surfaces[surface], surface))


def _graph(
    user: str,
    written: Mapping[str, _Written],
    kept: Mapping[str, str],
    assertions: Iterable[Row],
    said: Mapping[str, str | None],
    identity: Identity,
) -> UserGraph:
    frames = [_frame(user, list(rows), kept, said, identity) for rows in _by_frame(assertions)]
    degrees = Counter(anchor_id for frame in frames for anchor_id in {role.anchor_id for role in frame.roles})
    groups: dict[str, list[_Written]] = defaultdict(list)
    for anchor_id, anchor in written.items():
        groups[kept[anchor_id]].append(anchor)
    anchors = [_anchor(user, written[kept_id], group, degrees[kept_id], identity) for kept_id, group in groups.items()]
    graph = UserGraph(user, tuple(anchors), tuple(frames), "")
    return replace(graph, fingerprint=identity.content("\n".join(sorted(part.fingerprint for part in graph.parts))))


def _by_frame(assertions: Iterable[Row]) -> Iterator[Iterable[Row]]:
    ordered = sorted(assertions, key=lambda row: (row["frame_id"], row["row_id"]))
    return (group for _, group in groupby(ordered, key=lambda row: row["frame_id"]))


def _frame(
    user: str, rows: list[Row], kept: Mapping[str, str], said: Mapping[str, str | None], identity: Identity
) -> Frame:
    first = rows[0]
    roles = tuple(
        FrameRole(role, kept[written_id], written_id)
        for role, written_id in sorted({(r["role"], r["anchor_id"]) for r in first["roles"]})
    )
    citations = tuple(_citation(row, said.get(row["row_id"])) for row in rows)
    order = max(citation.event_start or citation.said_local or "" for citation in citations)
    content = [first["predicate"], first["is_event"], first["occurrence"], order]
    content += [[role.role, role.anchor_id, role.written_id] for role in roles]
    content += [[getattr(citation, name) for name in Citation.__slots__] for citation in citations]
    return Frame(
        frame_id=first["frame_id"],
        user_id=user,
        predicate=first["predicate"],
        is_event=first["is_event"],
        occurrence=first["occurrence"],
        order=order,
        roles=roles,
        citations=citations,
        fingerprint=_fingerprint([first["frame_id"], *content], identity),
    )


def _citation(row: Row, said_local: str | None) -> Citation:
    return Citation(
        row_id=row["row_id"],
        modality=row["modality"],
        is_negated=bool(row["is_negated"]),
        said_local=said_local,
        event_start=row["event_start"],
        event_end=row["event_end"],
        event_precision=row["event_precision"],
        attributes=tuple(sorted((a["key"], a["value"]) for a in row["attributes"])),
    )


def _anchor(user: str, kept: _Written, group: list[_Written], degree: int, identity: Identity) -> Anchor:
    aliases = tuple(sorted({surface for written in group for surface in written.surfaces}))
    keys = tuple(sorted({written.key for written in group}))
    members = tuple(sorted(written.anchor_id for written in group))
    n_records = len(set().union(*(written.rows for written in group)))
    content = [kept.anchor_id, kept.type, _name(kept), aliases, keys, members, n_records, degree]
    return Anchor(
        anchor_id=kept.anchor_id,
        user_id=user,
        type=kept.type,
        name=_name(kept),
        aliases=aliases,
        keys=keys,
        members=members,
        n_records=n_records,
        degree=degree,
        fingerprint=_fingerprint(content, identity),
    )


def _fingerprint(content: list[Any], identity: Identity) -> str:
    return identity.content(json.dumps(content, ensure_ascii=False))
