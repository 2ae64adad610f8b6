"""The graph's figures: loading Neo4j online and offline, and the graph step of a question on both stores.

`make bench-graph` runs all (about 10 minutes on 2 cores); `ARGS=--quick` a tenth of the sizes. It starts real Neo4j
servers by `cluster/neo4j/start.sh`. The last line is one JSON object.

Loading: 1 million role edges of 16 users, the largest with a hub of 50,000 frames, and two speakers a user who stand
in half of its frames each. Online, the server has taken a quarter of a million edges of other users before, since its
compiler is busy until then. Offline, seconds run from the first row in the workers to reconciled counts and digest,
with neo4j-admin's run and the making of keys, without the start of the server. Questions: 15 anchors (a speaker, the
hub, 13 others) to at most 240 frames with roles and citations, with three predicates. Merges, undos: `decisions.py`.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import reduce
from multiprocessing import get_context
from operator import add
from pathlib import Path

import numpy as np

from hypermnesia.adapters.neo4j import Neo4jGraphIndex
from hypermnesia.adapters.neo4j_import import import_parts, write_part
from hypermnesia.adapters.sqlite import SqliteGraphIndex
from hypermnesia.ports.graph import GraphCounts, GraphReader
from tests.bench.decisions import measure_decisions
from tests.fixtures import neo4j_server
from tests.fixtures.graphs import GeneratedGraph

N_USERS = 16
N_WORKERS = 2
N_CONNECTIONS = 4
N_QUESTIONS = 200
QUESTION_USER = "user 0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    scale = 10 if parser.parse_args().quick else 1
    folder = Path(tempfile.mkdtemp(prefix="hypermnesia-bench-graph-"))
    figures: dict[str, float] = {}
    try:
        graphs = _users(400_000 // scale, 50_000 // scale)
        figures |= _measure("online", lambda: _online(folder / "online", graphs))
        figures |= _measure("offline", lambda: _offline(folder / "offline", graphs))
        figures |= _measure("decisions", lambda: measure_decisions(folder / "decisions", 2))
        for name, n_frames in (("10k", 10_000), ("1m", 1_000_000 // scale)):
            graph = GeneratedGraph(QUESTION_USER, n_frames, hub_frames=n_frames // 20)
            figures |= _measure(name, lambda name=name, graph=graph: _questions(folder / name, name, graph))
    finally:
        shutil.rmtree(folder)
    print(json.dumps(figures))


def _measure(name: str, work: object) -> dict[str, float]:
    assert callable(work)
    figures: dict[str, float] = work()
    print(json.dumps({name: figures}), file=sys.stderr)
    return figures


def _users(n_frames: int, hub_frames: int) -> list[GeneratedGraph]:
    """The first user has a quarter of the frames, the others share the rest."""
    first = n_frames // 4
    rest = (n_frames - first) // (N_USERS - 1)
    others = [GeneratedGraph(f"user {number}", rest) for number in range(1, N_USERS)]
    return [GeneratedGraph("user 0", first, hub_frames=hub_frames), *others]


def _online(home: Path, graphs: Sequence[GeneratedGraph]) -> dict[str, float]:
    """Rows are made before the clock starts; the largest user is one writer, the others go to the second."""
    index = Neo4jGraphIndex([_start(home)], neo4j_server.AUTH)
    before, _ = _load(index, [GeneratedGraph(f"before {n}", graphs[0].n_frames // 4) for n in range(4)], None)
    counts, figures = _load(index, graphs, before)
    index.close()
    neo4j_server.stop(home)
    return {"n_edges": counts.n_roles, **figures}


def _load(
    index: Neo4jGraphIndex, graphs: Sequence[GeneratedGraph], before: GraphCounts | None
) -> tuple[GraphCounts, dict[str, float]]:
    """Loads users beside what is there `before`; what they hold, and the figures."""
    rows = {graph.user_id: (list(graph.anchors()), list(graph.frames())) for graph in graphs}
    counts = reduce(add, (GraphCounts.of(*parts) for parts in rows.values()))
    cpu, started = time.process_time(), time.perf_counter()
    with index.build(is_fresh=False) as build, ThreadPoolExecutor(N_CONNECTIONS) as pool:
        list(pool.map(lambda user: build.apply(user, "whole", *rows[user], []), rows))
        loaded = time.perf_counter() - started
        build.publish(counts if before is None else counts + before)
        retries = build.n_retries
    seconds = time.perf_counter() - started
    return counts, {
        "online_edges_per_s": round(counts.n_roles / seconds),
        "online_check_s": round(seconds - loaded, 2),
        "online_client_cpu_s": round(time.process_time() - cpu, 2),
        "online_retries": retries,
    }


def _offline(home: Path, graphs: Sequence[GeneratedGraph]) -> dict[str, float]:
    files = home.with_name("csv")
    shares = [[graph for number, graph in enumerate(graphs) if _worker(number) == w] for w in range(N_WORKERS)]
    with ProcessPoolExecutor(N_WORKERS, mp_context=get_context("spawn")) as pool:
        wrote = list(pool.map(_write, [files] * N_WORKERS, range(N_WORKERS), shares))
    counts = reduce(add, (part for part, _ in wrote))
    write_s = max(seconds for _, seconds in wrote)
    started = time.perf_counter()
    import_parts([str(neo4j_server.SCRIPT), "--admin", str(home)], files / "0")
    import_s = time.perf_counter() - started
    index = Neo4jGraphIndex([_start(home)], neo4j_server.AUTH)
    started = time.perf_counter()
    with index.build(is_fresh=False) as build:
        keys_s = time.perf_counter() - started
        build.publish(counts)
    check_s = time.perf_counter() - started
    index.close()
    neo4j_server.stop(home)
    return {
        "offline_edges_per_s": round(counts.n_roles / (write_s + import_s + check_s)),
        "offline_import_edges_per_s": round(counts.n_roles / import_s),
        "offline_write_s": round(write_s, 2),
        "offline_import_s": round(import_s, 2),
        "offline_keys_s": round(keys_s, 2),
        "offline_check_s": round(check_s - keys_s, 2),
    }


def _worker(number: int) -> int:
    """The first user and a third of the others, who together are half."""
    return 0 if number % 3 == 0 else 1


def _write(folder: Path, part: int, graphs: Sequence[GeneratedGraph]) -> tuple[GraphCounts, float]:
    """A worker's part; its seconds are without making the rows."""
    rows = [(graph.user_id, "whole", list(graph.anchors()), list(graph.frames())) for graph in graphs]
    started = time.perf_counter()
    return write_part(folder, part, rows), time.perf_counter() - started


def _questions(folder: Path, name: str, graph: GeneratedGraph) -> dict[str, float]:
    """Milliseconds of one question on both stores, which must give the same; both are filled at once."""
    home = folder / "home"
    with ProcessPoolExecutor(N_WORKERS, mp_context=get_context("spawn")) as pool:
        embedding = pool.submit(_embed, folder / "embedded", graph)
        counts = pool.submit(_write_one, folder / "csv", graph).result()
        seconds = embedding.result()
    embedded = SqliteGraphIndex(folder / "embedded")
    import_parts([str(neo4j_server.SCRIPT), "--admin", str(home)], folder / "csv" / "0")
    index = Neo4jGraphIndex([_start(home)], neo4j_server.AUTH)
    with index.build(is_fresh=False) as build:
        build.publish(counts)
    readers: dict[str, GraphReader] = {"sqlite": embedded.reader(), "neo4j": index.reader()}
    figures = {f"sqlite_load_frames_per_s_{name}": round(graph.n_frames / seconds)}
    answers = []
    for store, reader in readers.items():
        asked = list(_ask(reader, graph))
        answers.append([ids for _, ids in asked])
        times = [milliseconds for milliseconds, _ in asked[N_QUESTIONS // 10 :]]  # caches are warm then
        figures |= {f"{store}_p{p}_ms_{name}": round(float(np.percentile(times, p)), 2) for p in (50, 99)}
        reader.close()
    assert answers[0] == answers[1], "the stores differ"
    index.close()
    neo4j_server.stop(home)
    return figures


def _embed(folder: Path, graph: GeneratedGraph) -> float:
    """The seconds of loading SQLite, with making the rows."""
    counts = graph.counts()
    started = time.perf_counter()
    with SqliteGraphIndex(folder).build(is_fresh=True) as build:
        build.apply(graph.user_id, "whole", graph.anchors(), graph.frames(), [])
        build.publish(counts)
    return time.perf_counter() - started


def _write_one(folder: Path, graph: GeneratedGraph) -> GraphCounts:
    return write_part(folder, 0, [(graph.user_id, "whole", graph.anchors(), graph.frames())])


def _ask(reader: GraphReader, graph: GeneratedGraph) -> Iterator[tuple[float, list[str]]]:
    rng = random.Random(1)
    ids = graph.ids()
    for number in range(N_QUESTIONS):
        anchors = [ids[number % 2], ids[2], *rng.sample(ids, 13)]
        predicates = [f"predicate {rng.randrange(40):02d}" for _ in range(3)]
        started = time.perf_counter()
        found = reader.frames_around(graph.user_id, anchors, predicates=predicates)
        yield (time.perf_counter() - started) * 1_000, [frame.frame_id for frame in found]


def _start(home: Path) -> str:
    return neo4j_server.start(home, heap="2g", pagecache="1g", java="")


if __name__ == "__main__":
    main()
