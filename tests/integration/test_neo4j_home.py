"""A home whose graph is on Neo4j: the same answers and digests as with the embedded graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from homes import KEY, make_app

from hypermnesia.adapters.neo4j import Neo4jGraphIndex
from hypermnesia.app import App
from hypermnesia.demo import SAMPLE
from hypermnesia.engine.progress import Progress
from hypermnesia.stages.ingest import ArchiveInput
from tests.fixtures import neo4j_server
from tests.fixtures.neo4j_server import Neo4jGraph

pytestmark = pytest.mark.neo4j

QUESTIONS = ["Where does Tomás live?", "When did Tomás go climbing with Elena?", "Where does Priya's uncle work?"]
QUESTIONS += ["What does Priya like?", "Who is Elena?", "How many bikes does Tomás have?"]


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> App:
    """A home after a backfill, with the graph in SQLite."""
    neo4j_server.need_java()
    app = make_app(tmp_path_factory.mktemp("embedded"))
    app.backfill([ArchiveInput(SAMPLE / "tomas.jsonl")], Progress())
    return app


def app_on(url: str, home: Path) -> App:
    return make_app(home, graph="neo4j", neo4j_urls=(url,), neo4j_password=neo4j_server.PASSWORD)


def answers(app: App) -> list[Any]:
    found = [app.asker.ask("tomas", question, profile="papers") for question in QUESTIONS]
    assert any(answer["rows"] for answer in found)
    return [{name: value for name, value in answer.items() if name != "ms"} for answer in found]


def test_a_backfill_onto_neo4j_gives_the_same_answers_and_digest(
    neo4j_graph: Neo4jGraph, embedded: App, tmp_path: Path
) -> None:
    app = app_on(neo4j_graph.url, tmp_path / "home")
    report = app.backfill([ArchiveInput(SAMPLE / "tomas.jsonl")], Progress())
    assert report.counts()["load_graph"]["n_out"] > 100
    assert app.digest()["graph"] == embedded.digest()["graph"]
    assert answers(app) == answers(embedded)
    again = app.load_graph(Progress())
    assert again.counts()["load_graph"]["n_out"] == 0
    night = app.nightly(Progress())
    assert night.counts()["load_graph"]["n_out"] > 0
    undone = app.decide(
        "rollback", lambda made, run, at: made.undo_run(night.run_id, "rolled back", run, at), Progress()
    )
    assert undone > 0
    assert app.digest()["graph"] == embedded.digest()["graph"]
    assert isinstance(app.graph, Neo4jGraphIndex)
    app.graph.close()


def test_the_password_is_nowhere_to_be_seen(tmp_path: Path) -> None:
    app = app_on("bolt://127.0.0.1:1", tmp_path)
    assert neo4j_server.PASSWORD not in repr(app.settings) + app.settings.model_dump_json()
    assert KEY not in repr(app.settings)


def test_neo4j_needs_addresses_and_a_password(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="neo4j_urls"):
        make_app(tmp_path, graph="neo4j", neo4j_password="secret secret")
    with pytest.raises(ValueError, match="HYPERMNESIA_NEO4J_PASSWORD"):
        _ = make_app(tmp_path, graph="neo4j", neo4j_urls=("bolt://x",)).graph
