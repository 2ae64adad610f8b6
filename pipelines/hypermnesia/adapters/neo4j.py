"""The cluster's graph: Neo4j servers that share the users by bucket (DESIGN 9). The model is in `neo4j_schema.py`.

A server has no generations. What a reader sees while a load runs: a user whose change fits one transaction
(`BATCH_ROWS` anchors and frames) changes as a whole; a larger one changes batch by batch, anchors first, each
frame whole with its roles and citations, dropped ones last. Other users are not touched.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypermnesia.adapters.graph_rows import need_limit, unpack_anchor, unpack_frame
from hypermnesia.adapters.neo4j_build import Neo4jGraphBuild
from hypermnesia.adapters.neo4j_counts import count_all, count_user, published_number
from hypermnesia.adapters.neo4j_servers import Servers
from hypermnesia.adapters.neo4j_writes import id_number
from hypermnesia.ports.graph import Anchor, Frame, GraphCounts
from hypermnesia.rules.identity import need_user

ANCHOR = "a.anchor_id, a.type, a.name, a.names, a.n_records, a.degree, a.fingerprint"
FRAME = """
    f.frame_id, f.predicate, f.is_event, f.occurrence, f.order, f.fingerprint,
    [(f)-[r:ROLE]->(a) | [r.role, a.anchor_id, coalesce(r.written_id, a.anchor_id)]], f.citations
"""
BY_ID = f"""
    CALL () {{
        UNWIND $ids AS id MATCH (a:Anchor {{user_id: $user, anchor_id: id}}) RETURN a
        UNION
        UNWIND $ids AS id MATCH (:Name {{user_id: $user, name: "id:" + id}})-[:NAMES]->(a:Anchor) RETURN a
    }}
    RETURN DISTINCT {ANCHOR}
"""
BY_KEY = f"""
    UNWIND $keys AS key MATCH (:Name {{user_id: $user, name: "key:" + key}})-[:NAMES]->(a:Anchor)
    RETURN DISTINCT {ANCHOR}
"""
OF_USER = f"MATCH (a:Anchor) WHERE a.user_id = $user AND a.anchor_id IS NOT NULL RETURN {ANCHOR}"
FRAMES = f"UNWIND $ids AS id MATCH (f:Frame {{user_id: $user, frame_id: id}}) RETURN {FRAME}"
CITING = f"""
    UNWIND $cited AS cited
    CALL (cited) {{
        MATCH (f:Frame {{cited: cited}}) RETURN f
        UNION
        MATCH (:Citation {{cited: cited}})<-[:CITES]-(f:Frame) RETURN f
    }}
    WITH DISTINCT f WHERE f.user_id = $user RETURN {FRAME}
"""
NEWEST = f"WITH DISTINCT f ORDER BY f.order DESC, f.frame_id LIMIT $limit RETURN {FRAME}"


def _walk(anchor: str, condition: str) -> str:
    """Frames of an anchor: all of one that is no hub, the newest of a hub, by the index and no further than needed.

    The index's order has the hub's number first, which is one here: it is named in the order so that it is used.
    """
    frame, edge = (f"($predicates IS NULL OR {n}.predicate IN $predicates) AND {condition}" for n in ("f", "r"))
    return f"""
        MATCH ({anchor})<-[:ROLE]-(f:Frame) WHERE {anchor}.hub IS NULL AND {frame} RETURN f
        UNION
        MATCH (f)-[r:ROLE]->() USING INDEX r:ROLE(hub, order, predicate)
        WHERE r.hub = {anchor}.hub AND r.order IS NOT NULL AND r.predicate IS NOT NULL AND {edge}
        WITH DISTINCT f, r.hub AS hub, r.order AS order ORDER BY hub DESC, order DESC, f.frame_id LIMIT $limit
        WITH f WHERE f.user_id = $user RETURN f
    """


AROUND = f"""
    UNWIND $ids AS id MATCH (a:Anchor {{user_id: $user, anchor_id: id}})
    CALL (a) {{ {_walk("a", "true")} }}
    {NEWEST}
"""
JOINING = f"""
    UNWIND $ids AS id MATCH (a:Anchor {{user_id: $user, anchor_id: id}})
    WITH a ORDER BY COUNT {{ (a)<-[:ROLE]-() }}, a.anchor_id
    WITH collect(a) AS anchors WHERE size(anchors) = size($ids)
    WITH anchors, anchors[0] AS rarest
    CALL (anchors, rarest) {{
        {_walk("rarest", "COUNT { MATCH (f)-[:ROLE]->(b) WHERE b IN anchors RETURN DISTINCT b } = size(anchors)")}
    }}
    {NEWEST}
"""


class Neo4jGraphIndex:
    """The graph on the servers at `urls` (bolt://...), whose order says which users are on which.

    `auth` is (user, password), alike on each; `n_connections` is the most that are open to one server.
    """

    def __init__(self, urls: Sequence[str], auth: tuple[str, str], *, n_connections: int = 8) -> None:
        self.n_writers = n_connections
        self._servers = Servers(urls, auth, n_connections)

    def published(self) -> str | None:
        """The name of the last publication, or None before the first."""
        numbers = [published_number(server) for server in self._servers.all]
        return _name(numbers) if all(numbers) else None

    def reader(self) -> Neo4jGraphReader:
        """A reader of what is committed. Raises `LookupError` before the first publication."""
        name = self.published()
        if name is None:
            urls = ", ".join(server.url for server in self._servers.all)
            raise LookupError(f"no graph is published on {urls} yet: run `hypermnesia backfill` first")
        return Neo4jGraphReader(self._servers, name)

    def build(self, *, is_fresh: bool) -> Neo4jGraphBuild:
        """A build from what is there; where `is_fresh`, each user is dropped before it is loaded again.

        Makes and checks constraints and indexes first. Raises `RuntimeError` where one can't be had.
        """
        return Neo4jGraphBuild(self._servers, is_fresh=is_fresh)

    def entries(self) -> Iterator[tuple[str, str, str]]:
        """(user_id, anchor or frame id, fingerprint) of everything; nothing before the first publication."""
        if self.published() is None:
            return
        for server in self._servers.all:
            for label, key in (("Anchor", "anchor_id"), ("Frame", "frame_id")):
                query = f"MATCH (n:{label}) RETURN n.user_id, n.{key}, n.fingerprint"
                yield from ((user_id, entry_id, mark) for user_id, entry_id, mark in server.stream(query))

    def close(self) -> None:
        """Closes the connections."""
        self._servers.close()


class Neo4jGraphReader:
    """Reads what is committed; see `GraphReader`. `generation` is the last publication when it was opened."""

    def __init__(self, servers: Servers, generation: str) -> None:
        self.generation = generation
        self._servers = servers

    def anchors(self, user_id: str, anchor_ids: Sequence[str]) -> Sequence[Anchor]:
        """Those of the kept anchors that there are, sorted by id; a merged id finds its kept anchor."""
        return self._anchors(user_id, BY_ID, ids=_distinct(anchor_ids))

    def anchors_by_key(self, user_id: str, keys: Sequence[str]) -> Sequence[Anchor]:
        """The anchors that have one of the anchor keys as an alias, sorted by id."""
        return self._anchors(user_id, BY_KEY, keys=_distinct(keys))

    def user_anchors(self, user_id: str) -> Sequence[Anchor]:
        """All anchors of a user, sorted by id."""
        return self._anchors(user_id, OF_USER)

    def frames(self, user_id: str, frame_ids: Sequence[str]) -> Sequence[Frame]:
        """Those of the frames that there are, sorted by id."""
        found = self._frames(user_id, FRAMES, ids=_distinct(frame_ids))
        return [found[frame_id] for frame_id in sorted(found)]

    def frames_around(
        self, user_id: str, anchor_ids: Sequence[str], *, predicates: Sequence[str] | None = None, limit: int = 240
    ) -> Sequence[Frame]:
        """Frames in which one of the kept anchors has a role, newest first, then by id, at most `limit`."""
        return self._newest(user_id, AROUND, anchor_ids, predicates, limit)

    def frames_joining(
        self, user_id: str, anchor_ids: Sequence[str], *, predicates: Sequence[str] | None = None, limit: int = 240
    ) -> Sequence[Frame]:
        """Frames in which every one of the anchors has a role, newest first, then by id, at most `limit`."""
        return self._newest(user_id, JOINING, anchor_ids, predicates, limit)

    def frames_citing(self, user_id: str, row_ids: Sequence[str]) -> Sequence[Frame]:
        """Frames that cite one of the records, sorted by id."""
        wanted = set(row_ids)
        found = self._frames(user_id, CITING, cited=[id_number(user_id, row_id) for row_id in sorted(wanted)])
        citing = [frame for frame in found.values() if not wanted.isdisjoint(c.row_id for c in frame.citations)]
        return sorted(citing, key=lambda frame: frame.frame_id)

    def counts(self, user_id: str | None = None) -> GraphCounts:
        """Of one user, or of all servers where it is None."""
        if user_id is None:
            return count_all(self._servers)
        return count_user(self._servers.of(user_id), user_id)

    def close(self) -> None:
        """The connections are the index's."""

    def _anchors(self, user_id: str, query: str, **parameters: Any) -> list[Anchor]:
        rows = self._servers.of(need_user(user_id)).read(query, user=user_id, **parameters)
        return sorted((unpack_anchor(user_id, *row) for row in rows), key=lambda anchor: anchor.anchor_id)

    def _newest(
        self, user_id: str, query: str, anchor_ids: Sequence[str], predicates: Sequence[str] | None, limit: int
    ) -> list[Frame]:
        named = None if predicates is None else _distinct(predicates)
        found = self._frames(user_id, query, ids=_distinct(anchor_ids), predicates=named, limit=need_limit(limit))
        by_id = [found[frame_id] for frame_id in sorted(found)]
        return sorted(by_id, key=lambda frame: frame.order, reverse=True)

    def _frames(self, user_id: str, query: str, **parameters: Any) -> Mapping[str, Frame]:
        found = {}
        for row in self._servers.of(need_user(user_id)).read(query, user=user_id, **parameters):
            *head, roles, citations = row
            roles.sort(key=lambda role: (role[0], role[2]))
            found[row[0]] = unpack_frame(user_id, tuple(head), roles, json.loads(citations))
        return found


def _distinct(values: Sequence[str]) -> list[str]:
    return sorted(set(values))


def _name(numbers: Sequence[int]) -> str:
    """One number, or one a server where a publication was cut off between them."""
    return ".".join(f"{number:06d}" for number in ([numbers[0]] if len(set(numbers)) == 1 else numbers))
