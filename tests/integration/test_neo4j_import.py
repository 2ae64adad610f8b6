"""The offline load, on two real servers, against the embedded graph: the same questions, the same rows, one order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.adapters.neo4j import Neo4jGraphIndex
from hypermnesia.adapters.neo4j_import import import_parts, write_part
from hypermnesia.adapters.neo4j_schema import server_of
from hypermnesia.adapters.sqlite import SqliteGraphIndex
from hypermnesia.ports.graph import Anchor, Frame, GraphCounts
from tests.fixtures import neo4j_server
from tests.fixtures.graphs import GeneratedGraph

pytestmark = pytest.mark.neo4j

USERS = ["ann", "bob", 'the "third", user;\nof two lines', "dan\\", "eve 北京"]
GRAPHS = [GeneratedGraph(user, 3_000 if user == "ann" else 1_000, hub_frames=1_200) for user in USERS]  # hubs and none
COUNTS: GraphCounts = reduce(add, (graph.counts() for graph in GRAPHS))


def parts(graph: GeneratedGraph) -> tuple[list[Anchor], list[Frame]]:
    """With names that need quoting in CSV."""
    anchors = [replace(a, name=f'"{a.name}",\r\n', keys=(*a.keys, 'k";\n')) for a in graph.anchors()]
    return anchors, list(graph.frames())


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Two servers, loaded offline by two workers' parts."""
    neo4j_server.need_java()
    folder = tmp_path_factory.mktemp("neo4j_import")
    counts = []
    for part, graphs in enumerate((GRAPHS[:2], GRAPHS[2:])):
        counts.append(write_part(folder / "csv", part, ((g.user_id, "whole", *parts(g)) for g in graphs), 2))
    assert reduce(add, counts) == COUNTS
    homes = [folder / f"home {number}" for number in range(2)]
    urls = []
    for number, home in enumerate(homes):
        admin = [str(neo4j_server.SCRIPT), "--admin", str(home)]
        import_parts(admin, folder / "csv" / str(number))
        urls.append(neo4j_server.start(home))
    yield urls
    for home in homes:
        neo4j_server.stop(home)


@pytest.fixture(scope="module")
def loaded(servers: list[str]) -> Iterator[Neo4jGraphIndex]:
    index = Neo4jGraphIndex(servers, neo4j_server.AUTH)
    assert index.published() is None
    with index.build(is_fresh=False) as build:
        assert build.users() == dict.fromkeys(USERS, "whole")
        with pytest.raises(RuntimeError, match="roles"):
            build.publish(replace(COUNTS, n_roles=COUNTS.n_roles + 1))
        build.publish(COUNTS)
    yield index
    index.close()


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> SqliteGraphIndex:
    index = SqliteGraphIndex(tmp_path_factory.mktemp("embedded"))
    with index.build(is_fresh=True) as build:
        for graph in GRAPHS:
            build.apply(graph.user_id, "whole", *parts(graph), [])
        build.publish(COUNTS)
    return index


def test_1000_questions_give_the_same_rows_in_the_same_order(
    loaded: Neo4jGraphIndex, embedded: SqliteGraphIndex
) -> None:
    rng = random.Random(3)
    readers = [loaded.reader(), embedded.reader()]
    ids = {graph.user_id: graph.ids() for graph in GRAPHS}
    frames = {graph.user_id: list(graph.frames()) for graph in GRAPHS}
    rows = {user: [c.row_id for frame in frames[user] for c in frame.citations] for user in USERS}
    frame_ids = {user: [frame.frame_id for frame in frames[user]] for user in USERS}
    n_rows = 0
    for number in range(1_000):
        user, owner = rng.choice(USERS), rng.choice([*USERS, USERS[number % 5]])
        options: dict[str, Any] = {}
        name = rng.choice(
            ["anchors", "anchors_by_key", "frames", "frames_citing", *["frames_around"] * 4, "frames_joining"]
        )
        pools = {"anchors_by_key": ['k";\n', "x"], "frames": frame_ids[owner], "frames_citing": rows[owner]}
        values = rng.choices(pools.get(name, ids[owner]), k=15)
        if name == "frames_joining":
            roles = rng.choice(frames[owner]).roles
            values = [role.anchor_id for role in rng.sample(roles, rng.randint(1, 2))]
        if name in ("frames_around", "frames_joining"):
            predicates = [f"predicate {rng.randrange(20):02d}" for _ in range(3)]
            options = {"predicates": rng.choice([None, predicates]), "limit": rng.choice([10, 240])}
        found = [list(getattr(reader, name)(user, values, **options)) for reader in readers]
        assert found[0] == found[1], (user, name, values, options)
        assert user == owner or not found[0] or name == "anchors_by_key"
        n_rows += len(found[0])
    assert n_rows > 20_000
    assert sorted(loaded.entries()) == sorted(embedded.entries())
    for user in USERS:
        assert readers[0].counts(user) == readers[1].counts(user)
    readers[1].close()


def test_users_are_spread_and_stay_where_they_are(loaded: Neo4jGraphIndex, servers: list[str]) -> None:
    found = [{row[0] for row in neo4j_server.run(url, "MATCH (u:User) RETURN u.user_id")} for url in servers]
    assert found == [{user for user in USERS if server_of(user, 2) == number} for number in range(2)]
    assert all(found)
    for wrong in (servers[::-1], servers[:1]):
        index = Neo4jGraphIndex(wrong, neo4j_server.AUTH)
        with pytest.raises(RuntimeError, match="put the servers back in order"):
            index.build(is_fresh=False)
        index.close()


def test_a_later_load_is_online(loaded: Neo4jGraphIndex) -> None:
    before = sorted(loaded.entries())
    graph = GRAPHS[0]
    with loaded.build(is_fresh=False) as build:
        build.apply(graph.user_id, "whole", *parts(graph), [])
        build.publish(COUNTS)
    assert sorted(loaded.entries()) == before


def test_a_role_of_no_anchor_is_refused(tmp_path: Path) -> None:
    anchors, frames = parts(GRAPHS[0])
    with pytest.raises(ValueError, match="not there"):
        write_part(tmp_path, 0, [(USERS[0], "whole", anchors[10:], frames)])


def test_a_server_that_was_started_is_not_overwritten(neo4j_home: tuple[Path, str], tmp_path: Path) -> None:
    write_part(tmp_path, 0, [(USERS[0], "whole", *parts(GRAPHS[0]))])
    admin = [str(neo4j_server.SCRIPT), "--admin", str(neo4j_home[0])]
    with pytest.raises(RuntimeError, match="stop it first"):
        import_parts(admin, tmp_path / "0")
