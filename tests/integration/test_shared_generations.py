"""Vectors and graph in one generation: each build shares the other's files, and never writes them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from hypermnesia.adapters.milvus import MilvusVectorIndex
from hypermnesia.adapters.sqlite import SqliteGraphIndex
from hypermnesia.ports import IndexRow
from tests.fixtures.graphs import GeneratedGraph
from tests.fixtures.index_rows import index_row


def make_row(row_id: str) -> IndexRow:
    vector = np.ones(4, dtype=np.float32)
    return index_row(row_id, vector=vector, context_vector=vector)


def add_rows(vectors: MilvusVectorIndex, *row_ids: str, expected: int, is_fresh: bool = False) -> None:
    with vectors.build(is_fresh=is_fresh) as build:
        build.upsert(map(make_row, row_ids))
        build.publish(expected)


def load_graph(graph: SqliteGraphIndex, generated: GeneratedGraph) -> None:
    with graph.build(is_fresh=True) as build:
        build.apply(generated.user_id, "whole", generated.anchors(), generated.frames(), [])
        build.publish(generated.counts())


def checksums(folder: Path) -> dict[Path, str]:
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def test_a_build_of_one_keeps_the_other(tmp_path: Path) -> None:
    vectors, graph = MilvusVectorIndex(tmp_path, 4), SqliteGraphIndex(tmp_path)
    add_rows(vectors, "r1", "r2", expected=2)
    assert graph.published() is None
    generated = GeneratedGraph("ann", 30)
    load_graph(graph, generated)
    add_rows(vectors, "r3", expected=3)
    add_rows(vectors, "r9", expected=1, is_fresh=True)
    assert vectors.published() == graph.published()
    reader = graph.reader()
    assert reader.counts() == generated.counts()
    reader.close()
    rows = vectors.reader()
    assert [row.row_id for row in rows.user_rows("ann")] == ["r9"]
    rows.close()


def test_no_build_writes_to_a_file_that_it_shares(tmp_path: Path) -> None:
    """What was published is the same afterwards, seen through links that outlive it."""
    vectors, graph = MilvusVectorIndex(tmp_path, 4), SqliteGraphIndex(tmp_path)
    add_rows(vectors, "r1", "r2", expected=2)
    load_graph(graph, GeneratedGraph("ann", 30))
    published = tmp_path / "generations" / str(graph.published())
    held = tmp_path / "held"
    held.mkdir()
    for number, path in enumerate(sorted(path for path in published.rglob("*") if path.is_file())):
        if path.suffix in (".parquet", ".idx", ".sqlite"):
            (held / f"{number}{path.suffix}").hardlink_to(path)
    before = checksums(held)
    assert {path.suffix for path in before} >= {".parquet", ".sqlite"}
    add_rows(vectors, "r1", "r3", expected=3)
    with vectors.build(is_fresh=False) as build:
        assert build.delete(["r2"]) == 1
        build.publish(2)
    load_graph(graph, GeneratedGraph("ann", 40))
    assert checksums(held) == before


def test_a_published_graph_is_one_closed_file(tmp_path: Path) -> None:
    graph = SqliteGraphIndex(tmp_path)
    load_graph(graph, GeneratedGraph("ann", 30))
    reader = graph.reader()
    published = tmp_path / "generations" / str(graph.published())
    assert [path.name for path in published.iterdir()] == ["graph.sqlite"]
    copies = [path for path in (tmp_path / "readers").rglob("*") if path.suffix == ".sqlite"]
    assert [copy.samefile(published / "graph.sqlite") for copy in copies] == [True]
    assert len(list(copies[0].parent.iterdir())) == 1, "no journal beside it"
    reader.close()
