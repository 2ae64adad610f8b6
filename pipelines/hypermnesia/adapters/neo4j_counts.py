"""How much the Neo4j servers hold."""

from __future__ import annotations

from functools import reduce
from operator import add

from hypermnesia.adapters.neo4j_servers import Server, Servers
from hypermnesia.ports.graph import GraphCounts

OF_ALL = """
    CALL () { MATCH (a:Anchor) RETURN count(a) AS n_anchors, sum(a.checksum) AS of_anchors }
    CALL () {
        MATCH (f:Frame)
        RETURN count(f) AS n_frames, sum(f.checksum) AS of_frames, sum(f.n_citations) AS n_citations
    }
    CALL () { MATCH ()-[r:ROLE]->() RETURN count(r) AS n_roles }
    RETURN n_anchors, n_frames, n_roles, n_citations, of_anchors + of_frames
"""
OF_USER = """
    CALL () {
        MATCH (a:Anchor) WHERE a.user_id = $user AND a.anchor_id IS NOT NULL
        RETURN count(a) AS n_anchors, sum(a.checksum) AS of_anchors
    }
    CALL () {
        MATCH (f:Frame) WHERE f.user_id = $user AND f.frame_id IS NOT NULL
        RETURN count(f) AS n_frames, sum(f.checksum) AS of_frames,
            sum(COUNT { (f)-[:ROLE]->() }) AS n_roles, sum(f.n_citations) AS n_citations
    }
    RETURN n_anchors, n_frames, n_roles, n_citations, of_anchors + of_frames
"""


def count_all(servers: Servers) -> GraphCounts:
    """What all servers hold together."""
    return reduce(add, (GraphCounts(*row) for server in servers.all for row in server.read(OF_ALL)))


def count_user(server: Server, user_id: str) -> GraphCounts:
    """What one user's server holds of it."""
    (row,) = server.read(OF_USER, user=user_id)
    return GraphCounts(*row)


def published_number(server: Server) -> int:
    """The number of the server's last publication, 0 before the first."""
    rows = server.read('MATCH (s:Store {name: "graph"}) RETURN s.published')
    return int(rows[0][0]) if rows else 0
