"""The statements that write a user's rows. Each gives the same when it runs again.

Rows are lists, not maps, which take half as long on the wire and in the server. Keys are named as hints: a plan
made while the server was empty would scan.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from hypermnesia.adapters.graph_rows import (
    check_anchor,
    check_frame,
    merged_ids,
    pack_citations,
    pack_json,
    pack_names,
    pack_roles,
)
from hypermnesia.adapters.neo4j_schema import HUB_FRAMES
from hypermnesia.ports.graph import Anchor, Frame, entry_checksum

Row = list[Any]
DROPPED_ROWS = 2_000

MARK = "MERGE (u:User {user_id: $user}) SET u.fingerprint = $fingerprint, u.build = $build"
ANCHORS = """
    UNWIND $rows AS row
    MERGE (a:Anchor {user_id: $user, anchor_id: row[0]})
    WITH a, row, coalesce(a.names, "") <> row[3] AS is_renamed
    SET a.type = row[1], a.name = row[2], a.names = row[3], a.n_records = row[4], a.degree = row[5],
        a.fingerprint = row[6], a.checksum = row[7]
    WITH a, row WHERE is_renamed
    OPTIONAL MATCH (n:Name)-[:NAMES]->(a)
    DETACH DELETE n
    WITH DISTINCT a, row
    UNWIND row[8] AS name
    CREATE (:Name {user_id: $user, name: name})-[:NAMES]->(a)
"""
HUBS = """
    UNWIND $hubs AS hub
    MATCH (a:Anchor {user_id: $user, anchor_id: hub[0]}) USING INDEX a:Anchor(user_id, anchor_id) WHERE a.hub IS NULL
    SET a.hub = hub[1]
    WITH a MATCH (a)<-[r:ROLE]-(f:Frame)
    SET r.hub = a.hub, r.order = f.order, r.predicate = f.predicate
"""
FRAMES = """
    UNWIND range(0, size($anchors) - 1) AS number
    MATCH (a:Anchor {user_id: $user, anchor_id: $anchors[number]}) USING INDEX a:Anchor(user_id, anchor_id)
    WITH a, number ORDER BY number
    WITH collect(a) AS anchors WHERE size(anchors) = size($anchors)
    UNWIND $rows AS row
    CREATE (f:Frame {user_id: $user, frame_id: row[0], predicate: row[1], is_event: row[2], occurrence: row[3],
        order: row[4], fingerprint: row[5], checksum: row[6], citations: row[7], cited: row[8], n_citations: row[9]})
    FOREACH (cited IN row[10] | CREATE (f)-[:CITES]->(:Citation {cited: cited}))
    WITH anchors, f, row
    UNWIND row[11] AS place
    WITH f, place, anchors[place[1]] AS a
    WITH f, place, a, CASE WHEN a.hub IS NULL THEN null ELSE f END AS near
    CREATE (f)-[:ROLE {
        role: place[0], written_id: place[2], hub: a.hub, order: near.order, predicate: near.predicate
    }]->(a)
    RETURN count(*)
"""
FIND_ANCHORS = "UNWIND $ids AS id MATCH (a:Anchor {user_id: $user, anchor_id: id}) RETURN a.anchor_id"
DROP_FRAMES = """
    UNWIND $ids AS id
    MATCH (f:Frame {user_id: $user, frame_id: id}) USING INDEX f:Frame(user_id, frame_id)
    OPTIONAL MATCH (f)-[:CITES]->(c:Citation)
    DETACH DELETE c, f
"""
IN_USE = """
    UNWIND $ids AS id
    MATCH (a:Anchor {user_id: $user, anchor_id: id})<-[:ROLE]-(f:Frame)
    RETURN a.anchor_id, f.frame_id LIMIT 1
"""
DROP_ANCHORS = """
    UNWIND $ids AS id
    MATCH (a:Anchor {user_id: $user, anchor_id: id}) USING INDEX a:Anchor(user_id, anchor_id)
    OPTIONAL MATCH (n:Name)-[:NAMES]->(a)
    DETACH DELETE n, a
"""
FRAMES_OF_USER = """
    MATCH (f:Frame) WHERE f.user_id = $user AND f.frame_id IS NOT NULL WITH f LIMIT $limit
    OPTIONAL MATCH (f)-[:CITES]->(c:Citation) DETACH DELETE c, f RETURN count(*)
"""
ANCHORS_OF_USER = """
    MATCH (a:Anchor) WHERE a.user_id = $user AND a.anchor_id IS NOT NULL WITH a LIMIT $limit
    OPTIONAL MATCH (n:Name)-[:NAMES]->(a) DETACH DELETE n, a RETURN count(*)
"""


def anchor_row(anchor: Anchor, user_id: str) -> Row:
    """An anchor as a row. Raises `ValueError` for one that no store could hold."""
    check_anchor(anchor, user_id)
    names = [f"key:{key}" for key in sorted(set(anchor.keys))] + [f"id:{other}" for other in merged_ids(anchor)]
    checksum = entry_checksum(user_id, anchor.anchor_id, anchor.fingerprint)
    head = [anchor.anchor_id, anchor.type, anchor.name, pack_names(anchor)]
    return [*head, anchor.n_records, anchor.degree, anchor.fingerprint, checksum, names]


def frame_row(frame: Frame, user_id: str) -> Row:
    """A frame with its citations and roles as a row. Raises `ValueError` for one that no store could hold.

    Its last parts are lists: numbers of the records that it cites beside the first, and (role, kept, written) anchors,
    with None as written where nothing was merged.
    """
    check_frame(frame, user_id)
    citations = pack_citations(frame)
    cited = [id_number(user_id, row[0]) for row in citations]
    checksum = entry_checksum(user_id, frame.frame_id, frame.fingerprint)
    head = [frame.frame_id, frame.predicate, frame.is_event, frame.occurrence, frame.order, frame.fingerprint]
    roles = [[role, kept, None if written == kept else written] for role, kept, written in pack_roles(frame)]
    return [*head, checksum, pack_json(citations), cited[0] if cited else None, len(cited), cited[1:], roles]


def id_number(user_id: str, entry_id: str) -> int:
    """63 bits of one record or anchor of one user, for an index; who finds by it looks whether it is what was meant."""
    digest = hashlib.blake2b(f"{len(user_id)}:{user_id}{entry_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


def hub_number(user_id: str, row: Row) -> int | None:
    """The number of an anchor's row as a hub; None where it is none."""
    return id_number(user_id, row[0]) if row[5] >= HUB_FRAMES else None


def set_mark(transaction: Any, user_id: str, mark: Sequence[Any]) -> None:
    """Says what a user's graph is whole as ("" for not whole), and by which build."""
    transaction.run(MARK, user=user_id, fingerprint=mark[0], build=mark[1]).consume()


def write_anchors(transaction: Any, user_id: str, rows: Sequence[Row]) -> None:
    """Upserts anchors; the names of those that are called otherwise now are made anew.

    One that becomes a hub has few edges yet, which get its number here; it stays a hub.
    """
    transaction.run(ANCHORS, user=user_id, rows=rows).consume()
    if hubs := [[row[0], hub] for row in rows if (hub := hub_number(user_id, row)) is not None]:
        transaction.run(HUBS, user=user_id, hubs=hubs).consume()


def write_frames(transaction: Any, user_id: str, rows: Sequence[Row]) -> None:
    """Replaces frames whole. Raises `ValueError` for a role of an anchor that is not there."""
    drop_frames(transaction, user_id, sorted({row[0] for row in rows}))
    create_frames(transaction, user_id, rows)


def create_frames(transaction: Any, user_id: str, rows: Sequence[Row]) -> None:
    """Writes frames that are not there yet, which takes a fifth less. Raises as `write_frames` does."""
    by_id = {row[0]: row for row in rows}
    numbers: dict[str, int] = {}  # each anchor is looked up once a batch
    sent = [
        [*row[:11], [[role, numbers.setdefault(kept, len(numbers)), written] for role, kept, written in row[11]]]
        for row in by_id.values()
    ]
    (n_written,) = transaction.run(FRAMES, user=user_id, rows=sent, anchors=list(numbers)).single()
    if n_written < sum(len(row[11]) for row in by_id.values()):
        wanted = set(numbers)
        found = {anchor_id for (anchor_id,) in transaction.run(FIND_ANCHORS, user=user_id, ids=sorted(wanted)).values()}
        missing = min(wanted - found)
        frame_id = next(row[0] for row in by_id.values() if missing in {place[1] for place in row[11]})
        raise ValueError(f"frame {frame_id} has a role of the anchor {missing}, which is not there")


def drop_frames(transaction: Any, user_id: str, frame_ids: Sequence[str]) -> None:
    """Drops those of the frames that there are, with their citations."""
    transaction.run(DROP_FRAMES, user=user_id, ids=frame_ids).consume()


def drop_anchors(transaction: Any, user_id: str, anchor_ids: Sequence[str]) -> None:
    """Drops those of the anchors that there are. Raises `ValueError` for one that stands in a frame."""
    if used := transaction.run(IN_USE, user=user_id, ids=anchor_ids).values():
        raise ValueError(f"the anchor {used[0][0]} can't be dropped: it stands in the frame {used[0][1]}")
    transaction.run(DROP_ANCHORS, user=user_id, ids=anchor_ids).consume()


def drop_some_of_user(transaction: Any, user_id: str) -> int:
    """Drops some frames of a user, then some anchors, at last the user; returns how many, 0 when none are left."""
    for query in (FRAMES_OF_USER, ANCHORS_OF_USER):
        if n_dropped := transaction.run(query, user=user_id, limit=DROPPED_ROWS).single()[0]:
            return int(n_dropped)
    transaction.run("MATCH (u:User {user_id: $user}) DELETE u", user=user_id).consume()
    return 0
