"""The online load of a real Neo4j. Names like f02 are cases of the collected traps."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.adapters import neo4j_build
from hypermnesia.adapters.neo4j import Neo4jGraphIndex
from hypermnesia.adapters.neo4j_schema import HUB_FRAMES
from hypermnesia.adapters.neo4j_servers import Server, TooLargeError
from hypermnesia.adapters.sqlite import SqliteGraphIndex
from hypermnesia.ports.graph import GraphUnavailableError
from tests.fixtures.graphs import GeneratedGraph
from tests.fixtures.neo4j_server import AUTH, Neo4jGraph, run_script

pytestmark = pytest.mark.neo4j


def together(*works: Callable[[], Any]) -> None:
    errors: list[BaseException] = []

    def run(work: Callable[[], Any]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_f01_eight_writers_of_one_anchor_make_one_node(neo4j_graph: Neo4jGraph) -> None:
    graph = GeneratedGraph("u1", 1)
    anchor = next(graph.anchors())
    with neo4j_graph.index.build(is_fresh=True):
        builds = [neo4j_graph.index.build(is_fresh=False) for _ in range(8)]
        together(*(lambda build=build: build.apply("u1", "x", [anchor], [], []) for build in builds))
    assert neo4j_graph.run("MATCH (a:Anchor) RETURN count(a), count(DISTINCT a.anchor_id)") == [[1, 1]]
    assert neo4j_graph.run("MATCH (n:Name) RETURN count(n)") == [[1]]


def test_f01_loading_is_refused_without_its_keys(neo4j_graph: Neo4jGraph) -> None:
    neo4j_graph.index.build(is_fresh=True)
    neo4j_graph.run("DROP CONSTRAINT anchor_key")
    neo4j_graph.run("CREATE INDEX anchor_key FOR (a:Anchor) ON (a.anchor_id)")
    with pytest.raises(RuntimeError, match="anchor_key"):
        neo4j_graph.index.build(is_fresh=False)
    neo4j_graph.run("DROP INDEX anchor_key")
    neo4j_graph.index.build(is_fresh=False)
    kinds = neo4j_graph.run("SHOW CONSTRAINTS YIELD name, type RETURN name, type")
    assert ["anchor_key", "UNIQUENESS"] in kinds


def test_f02_hubs_are_loaded_by_several_writers_with_an_exact_count(neo4j_graph: Neo4jGraph) -> None:
    graphs = [GeneratedGraph(f"user {n}", 2_500, hub_frames=1_500) for n in range(4)]
    with neo4j_graph.index.build(is_fresh=True) as build:
        together(
            *(
                lambda graph=graph: build.apply(graph.user_id, "whole", graph.anchors(), graph.frames(), [])
                for graph in graphs
            )
        )
        build.publish(reduce(add, (graph.counts() for graph in graphs)))
        assert build.n_retries == 0, "users have no node in common, so no writer waits for another"
    expected = sum(graph.counts().n_roles for graph in graphs)
    assert expected > 25_000
    assert neo4j_graph.run("MATCH ()-[r:ROLE]->() RETURN count(r)") == [[expected]]


def test_f02_a_deadlock_is_tried_again_and_counted(neo4j_graph: Neo4jGraph) -> None:
    neo4j_graph.run("CREATE (:User {user_id: 'a', n: 0}), (:User {user_id: 'b', n: 0})")
    server = Server(neo4j_graph.url, AUTH, 4)
    barrier = threading.Barrier(2)

    def write(first: str, second: str) -> Callable[[], None]:
        attempts = []

        def work(transaction: Any) -> None:
            attempts.append(1)
            query = "MATCH (u:User {user_id: $user}) SET u.n = u.n + 1"
            transaction.run(query, user=first).consume()
            if len(attempts) == 1:
                barrier.wait(60)
            transaction.run(query, user=second).consume()

        return lambda: server.write(work)

    together(write("a", "b"), write("b", "a"))
    assert server.n_retries >= 1
    assert neo4j_graph.run("MATCH (u:User) RETURN u.n") == [[2], [2]]
    server.close()


def test_f07_a_transaction_that_is_too_large_is_halved(
    neo4j_graph: Neo4jGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = GeneratedGraph("u", 700)
    write, sizes = neo4j_build.create_frames, []

    def write_few(transaction: Any, user_id: str, rows: Sequence[Any]) -> None:
        if len(rows) > 100:
            raise TooLargeError
        sizes.append(len(rows))
        write(transaction, user_id, rows)

    monkeypatch.setattr(neo4j_build, "create_frames", write_few)
    with neo4j_graph.index.build(is_fresh=True) as build:
        build.apply("u", "whole", graph.anchors(), graph.frames(), [])
        build.publish(graph.counts())
        assert build.users() == {"u": "whole"}
    assert sum(sizes) == 700
    assert max(sizes) <= 100


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from tests.fixtures.graphs import GeneratedGraph
from tests.fixtures.neo4j_server import AUTH
from hypermnesia.adapters.neo4j import Neo4jGraphIndex
graph = GeneratedGraph("u", 12_000)
build = Neo4jGraphIndex([sys.argv[1]], AUTH).build(is_fresh=False)
build.apply("u", "whole", graph.anchors(), graph.frames(), [])
"""


def test_a_killed_load_goes_on_where_it_was(neo4j_graph: Neo4jGraph) -> None:
    graph = GeneratedGraph("u", 12_000)
    neo4j_graph.index.build(is_fresh=True)
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen([sys.executable, "-c", KILLED, neo4j_graph.url, root])
    while neo4j_graph.run("MATCH (f:Frame) RETURN count(f)")[0][0] < 5_000 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with neo4j_graph.index.build(is_fresh=False) as build:
        assert build.users() == {"u": ""}
        held = build.present("u")
        assert len(held) >= 5_000
        anchors = [a for a in graph.anchors() if a.anchor_id not in held]
        frames = [f for f in graph.frames() if f.frame_id not in held]
        assert 0 < len(frames) <= 7_000
        build.apply("u", "whole", anchors, frames, [])
        build.publish(graph.counts())


def test_a_user_of_one_transaction_changes_as_a_whole(neo4j_graph: Neo4jGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a reader sees: the old graph or the new one, also when the load ends in the middle."""
    old, new = GeneratedGraph("u", 50), GeneratedGraph("u", 60, seed=1)
    with neo4j_graph.index.build(is_fresh=True) as build:
        build.apply("u", "old", old.anchors(), old.frames(), [])
        build.publish(old.counts())

    def fail(*arguments: Any) -> None:
        raise KeyError

    monkeypatch.setattr(neo4j_build, "drop_anchors", fail)
    dropped = [*old.ids(), *(frame.frame_id for frame in old.frames())]
    with pytest.raises(KeyError), neo4j_graph.index.build(is_fresh=False) as build:
        build.apply("u", "new", new.anchors(), new.frames(), dropped)
    assert neo4j_graph.index.reader().counts("u") == old.counts()
    monkeypatch.undo()
    with neo4j_graph.index.build(is_fresh=False) as build:
        build.apply("u", "new", new.anchors(), new.frames(), dropped)
        build.publish(new.counts())


def test_an_anchor_that_becomes_a_hub_is_read_the_same(neo4j_graph: Neo4jGraph, tmp_path: Path) -> None:
    """Its edges from before get its number too; questions give what SQLite gives, with predicates and joined."""
    graph = GeneratedGraph("u", 2_400, hub_frames=1_100)
    anchors, frames = list(graph.anchors()), list(graph.frames())
    few = [replace(anchor, degree=min(anchor.degree, 300)) for anchor in anchors]
    embedded = SqliteGraphIndex(tmp_path)
    with neo4j_graph.index.build(is_fresh=True) as build, embedded.build(is_fresh=True) as other:
        build.apply("u", "part", few, frames[:600], [])
        build.apply("u", "whole", anchors, frames[600:], [])
        build.publish(graph.counts())
        other.apply("u", "whole", anchors, frames, [])
        other.publish(graph.counts())
    near = "MATCH (a:Anchor)<-[r:ROLE]-(f) WHERE r.hub = a.hub AND r.order = f.order RETURN a.anchor_id, count(r)"
    degrees = [[anchor.anchor_id, anchor.degree] for anchor in anchors if anchor.degree >= HUB_FRAMES]
    assert sorted(neo4j_graph.run(near)) == sorted(degrees)
    assert len(degrees) == 3, "two speakers and the hub"
    readers = [neo4j_graph.index.reader(), embedded.reader()]
    hubs = graph.ids()[:3]
    for asked in (hubs, hubs[:1], [hubs[0], hubs[2], graph.ids()[9]]):
        for predicates in (None, ["predicate 03", "predicate 30"], ["nothing"]):
            for limit in (7, 2_000):
                for name in ("frames_around", "frames_joining"):
                    found = [getattr(r, name)("u", asked, predicates=predicates, limit=limit) for r in readers]
                    assert found[0] == found[1], (name, asked, predicates, limit)
    readers[1].close()


def test_a_server_that_does_not_answer_is_an_error() -> None:
    index = Neo4jGraphIndex(["bolt://127.0.0.1:1"], AUTH)
    with pytest.raises(GraphUnavailableError, match=r"127\.0\.0\.1:1"):
        index.published()
    index.close()


def test_the_script_says_what_is_wrong(neo4j_graph: Neo4jGraph, tmp_path: Path) -> None:
    port = neo4j_graph.url.rsplit(":", 1)[1]
    with pytest.raises(RuntimeError, match="already running"):
        run_script(str(neo4j_graph.home), "--port", port)
    with pytest.raises(RuntimeError, match=f"port {port} is taken"):
        run_script(str(tmp_path), "--port", port)
    with pytest.raises(RuntimeError, match="name a folder"):
        run_script("--port", port)
    with pytest.raises(RuntimeError, match="stop it first"):
        run_script("--admin", str(neo4j_graph.home), "--version")
    assert run_script("--stop", str(tmp_path)) == ""
