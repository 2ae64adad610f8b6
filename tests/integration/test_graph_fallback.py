"""A graph that errs is no empty answer: rows come by text, and the answer says why (DESIGN 7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from homes import make_app, write_archives

from hypermnesia.app import App
from hypermnesia.engine.progress import Progress
from hypermnesia.stages.ingest import ArchiveInput


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    folder = tmp_path_factory.mktemp("home")
    made = make_app(folder / "home")
    made.backfill([ArchiveInput(path) for path in write_archives(folder / "archives")], Progress())
    return made


def graph_files(app: App) -> list[Path]:
    return list((app.home / "index" / "generations").rglob("graph.sqlite"))


@pytest.mark.parametrize("profile", ["default", "papers"])
def test_rows_come_by_text_and_the_answer_says_so(app: App, profile: str) -> None:
    asker = app.__class__(app.settings)
    asker.__dict__["embedder"] = app.embedder
    whole = asker.asker.ask("ann", "What about trains?", profile=profile)
    assert whole["rows"] and whole["fallback"] is None
    (file,) = graph_files(app)
    kept = file.read_bytes()
    file.unlink()
    file.write_bytes(b"no database")
    try:
        fresh = app.__class__(app.settings)
        fresh.__dict__["embedder"] = app.embedder
        answer = fresh.asker.ask("ann", "What about trains?", profile=profile)
    finally:
        file.unlink()
        file.write_bytes(kept)
    assert "the graph could not be read" in answer["fallback"]
    assert answer["rows"] and {row["lane"] for row in answer["rows"]} == {"direct"}
    assert answer["facts"] == []
    assert answer["rows"] == fresh_direct(app)


def fresh_direct(app: App) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = app.asker.ask("ann", "What about trains?", profile="direct")["rows"]
    return rows


def test_rebuild_gives_the_graph_again(app: App) -> None:
    before = app.digest()
    for file in graph_files(app):
        file.unlink()
    app.rebuild(Progress())
    assert app.digest() == before
    assert app.asker.ask("ann", "Where does Ann work?", profile="papers")["fallback"] is None


def test_a_fact_names_rows_of_the_answering_user_alone(app: App) -> None:
    for user in ("ann", "ben"):
        own = {row.row_id for row in app.index.reader().user_rows(user)}
        answer = app.asker.ask(user, "Who works at Harrow Tools, and where does the sister live?", profile="papers")
        assert {row["row_id"] for row in answer["rows"]} <= own
        assert {row_id for fact in answer["facts"] for row_id in fact["rows"]} <= own
