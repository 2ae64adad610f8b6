"""The graph store of a home: which one, and the files that fill empty servers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path

from hypermnesia.adapters.delta import DeltaLake
from hypermnesia.adapters.neo4j import Neo4jGraphIndex
from hypermnesia.adapters.neo4j_import import write_part
from hypermnesia.adapters.sqlite import SqliteGraphIndex
from hypermnesia.engine.fan_out import fan_out
from hypermnesia.graph_view import user_graphs
from hypermnesia.ports import GraphCounts, GraphIndex
from hypermnesia.rules.activation import Active
from hypermnesia.rules.identity import Identity
from hypermnesia.settings import Settings
from hypermnesia.views import Bucket


def open_graph(settings: Settings, home: Path) -> GraphIndex:
    """The store that the settings name. Raises `ValueError` for servers without a password."""
    if settings.graph == "neo4j":
        if settings.neo4j_password is None:
            raise ValueError("graph: neo4j needs the servers' password: set HYPERMNESIA_NEO4J_PASSWORD")
        auth = (settings.neo4j_user, settings.neo4j_password.get_secret_value())
        return Neo4jGraphIndex(settings.neo4j_urls, auth, n_connections=settings.neo4j_connections)
    return SqliteGraphIndex(home / "index")


def write_parts(settings: Settings, lake: DeltaLake, identity: Identity, active: Active, folder: Path) -> GraphCounts:
    """Every user's graph as one part a bucket; returns what all hold. See `neo4j_import`.

    Raises `ValueError` where the folder is not empty: parts of another lake would be loaded with these.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty: name a new folder for the graph's files")
    write = GraphPart(lake, identity, active, folder, max(1, len(settings.neo4j_urls)))
    n_workers = settings.workers if settings.executor == "ray" else 0
    return reduce(add, fan_out(write, lake.buckets("messages"), n_workers), GraphCounts.of([], []))


@dataclass(frozen=True)
class GraphPart:
    """Writes one bucket's graphs, here or in a worker. A part that is written again replaces its files."""

    lake: DeltaLake
    identity: Identity
    active: Active
    folder: Path
    n_servers: int

    def __call__(self, number: int) -> GraphCounts:
        """Writes the bucket's part."""
        bucket = Bucket(self.lake, self.identity, number, self.active)
        graphs = ((g.user_id, g.fingerprint, g.anchors, g.frames) for g in user_graphs(bucket, self.identity))
        return write_part(self.folder, number, graphs, self.n_servers)
