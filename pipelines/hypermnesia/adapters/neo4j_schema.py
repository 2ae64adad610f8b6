"""The graph's model on a Neo4j server, and on which server a user is.

    (:User {user_id, fingerprint, build})                      one a user; "" as fingerprint while a load is cut off
    (:Anchor {user_id, anchor_id, type, name, names, ...})     `names` is JSON of aliases, keys and members
    (:Name {user_id, name})-[:NAMES]->(:Anchor)                "key:..." of an anchor key, "id:..." of a merged anchor
    (:Frame {user_id, frame_id, predicate, order, cited, ...}) `citations` is JSON of them all
    (:Frame)-[:ROLE {role, written_id}]->(:Anchor)             the edges that questions walk; kept anchor at the end,
                                                               `written_id` where another one was written; those of a
                                                               hub also have its `hub` and the frame's order, predicate
    (:Frame)-[:CITES]->(:Citation {cited})                     each cited record but the first
    (:Store {name: "graph", published, server, n_servers, version})

Every key starts with the user, and every pattern starts at such a key, so no walk leaves a user's graph. `cited` is a
number made of user and record, on the frame for its first one: most frames cite one, and need no node for it. An anchor
that was ever in `HUB_FRAMES` frames is a hub and has a number `hub`, by which an index keeps its edges newest first:
so a question reads the newest frames of a speaker, not all of them.
"""

from __future__ import annotations

from typing import Any

from hypermnesia.rules.identity import bucket_of

VERSION = 3
HUB_FRAMES = 1_000
N_BUCKETS = 64
SCHEMA_SECONDS = 600

UNIQUE = {
    "store_key": ("Store", ["name"]),
    "user_key": ("User", ["user_id"]),
    "anchor_key": ("Anchor", ["user_id", "anchor_id"]),
    "frame_key": ("Frame", ["user_id", "frame_id"]),
}
INDEXED = {
    "name_key": ("Name", ["user_id", "name"]),
    "frame_cited": ("Frame", ["cited"]),
    "citation_cited": ("Citation", ["cited"]),
}
EDGE_INDEXED = {"role_hub": ("ROLE", ["hub", "order", "predicate"])}


def server_of(user_id: str, n_servers: int) -> int:
    """The number of the server that holds a user: users of one bucket stay together."""
    return bucket_of(user_id, N_BUCKETS) * n_servers // N_BUCKETS


def ensure_schema(session: Any) -> None:
    """Makes constraints and indexes where missing, waits for them, and checks that they are what loading needs.

    Raises `RuntimeError` where one is not there and online afterwards: MERGE without it makes duplicates.
    """
    if not _differences(session):
        return
    for kind, rule, wanted in (
        ("CONSTRAINT", "FOR (n:{}) REQUIRE ({}) IS UNIQUE", UNIQUE),
        ("INDEX", "FOR (n:{}) ON ({})", INDEXED),
        ("INDEX", "FOR ()-[n:{}]-() ON ({})", EDGE_INDEXED),
    ):
        for name, (label, properties) in wanted.items():
            key = ", ".join(f"n.{property_}" for property_ in properties)
            session.run(f"CREATE {kind} {name} IF NOT EXISTS {rule.format(label, key)}").consume()
    session.run("CALL db.awaitIndexes($seconds)", seconds=SCHEMA_SECONDS).consume()
    if differences := _differences(session):
        raise RuntimeError(f"the graph server's keys are not as loading needs them: {'; '.join(differences)}")


def _differences(session: Any) -> list[str]:
    """What is missing, on other properties than its name says, not unique, or not online."""
    constraints = {row["name"] for row in session.run("SHOW CONSTRAINTS") if row["type"] == "UNIQUENESS"}
    found = {
        row["name"]: (row["labelsOrTypes"], row["properties"], row["state"], row["name"] in constraints)
        for row in session.run("SHOW INDEXES")
    }
    wanted = {
        name: ([label], properties, "ONLINE", name in UNIQUE)
        for name, (label, properties) in {**UNIQUE, **INDEXED, **EDGE_INDEXED}.items()
    }
    return [f"{name} is {found.get(name)}, not {key}" for name, key in wanted.items() if found.get(name) != key]


def ensure_store(session: Any, server: int, n_servers: int) -> int:
    """Holds a server to its place among the others; returns the number of its last publication, 0 before the first.

    Raises `RuntimeError` where it was loaded as another one: its users would be looked for elsewhere.
    """
    query = """
        MERGE (s:Store {name: "graph"})
        ON CREATE SET s.published = 0, s.server = $server, s.n_servers = $n_servers, s.version = $version
        RETURN s.published, s.server, s.n_servers, s.version
    """
    row = session.run(query, server=server, n_servers=n_servers, version=VERSION).single()
    published, *place = row.values()
    if place != [server, n_servers, VERSION]:
        raise RuntimeError(
            f"this server was loaded as number {place[0]} of {place[1]} with model {place[2]}, and is now named as "
            f"number {server} of {n_servers} with model {VERSION}: put the servers back in order, or load empty ones"
        )
    return int(published)
