"""load_vectors: the index is brought to what the lake holds, and published only where something changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scripted_extractor import ScriptedExtractor
from small_home import Home, line, write

from hypermnesia.rules.extraction import EPISODIC, Passage, Reading
from hypermnesia.rules.identity import bucket_of


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.run(write(tmp_path / "a.jsonl", line("1", "What is it?", speaker="Ben", role="user"), line("2", "A cat.", 1)))
    home.load()
    return home


def test_a_row_holds_all_that_a_question_needs(home: Home) -> None:
    first, row = sorted(home.index.rows.values(), key=lambda row: row.order)
    (message,) = home.rows("messages", native_id="2")
    assert (row.user_id, row.text, row.speaker, row.role, row.context) == (
        "ann",
        "A cat.",
        "Ann",
        "person",
        "What is it?",
    )
    assert (row.said_at, row.said_local) == ("2024-05-01T09:01:00+00:00", "2024-05-01T09:01:00")
    assert (row.memory_type, row.trust, row.event_precision) == ("episodic", "other_person", "unknown")
    assert (row.conversation_id, row.session, row.order) == (
        message["conversation_id"],
        f"{message['conversation_id']}/0",
        1,
    )
    assert [(s.message_id, s.archive, s.conversation, s.native_id) for s in row.sources] == [
        (message["message_id"], "a.jsonl", "c", "2")
    ]
    np.testing.assert_array_equal(row.vector, home.embedder.one("Ann: A cat."))
    np.testing.assert_array_equal(row.context_vector, home.embedder.one("Ben: What is it?\nAnn: A cat."))
    assert first.role == "user"
    assert first.text_hash == first.context_hash


class FactsAlone(ScriptedExtractor):
    """Only the records of facts hold frames."""

    def read(self, passages: Sequence[Passage]) -> list[Reading]:
        readings = super().read(passages)
        for reading in readings:
            reading.made = [
                replace(made, mentions=(), assertions=()) if made.memory_type == EPISODIC else made
                for made in reading.made
            ]
        return readings


def test_the_turn_that_states_a_fact_carries_its_signals(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.extractor = FactsAlone()
    fact = line("1", "fact plays agent=person:Ann object=object:cello")
    home.run(write(tmp_path / "a.jsonl", fact, line("2", "Nice.", 1)))
    home.load()
    rows = {(row.memory_type, row.order): row.signals for row in home.index.rows.values()}
    assert rows["episodic", 0] == rows["semantic", 0] == ("ag:ann", "is:object", "pr:plays")
    assert rows["episodic", 1] == ()


def test_where_nothing_changed_nothing_is_published(home: Home) -> None:
    part = home.load()
    assert (part.n_out, part.n_merged, home.index.n_published) == (0, 2, 1)


def test_an_empty_lake_publishes_once(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.load().n_in == 0
    home.load()
    assert home.index.n_published == 1


def test_a_new_source_of_a_row_loads_it_again(home: Home, tmp_path: Path) -> None:
    home.run(write(tmp_path / "b.jsonl", line("2", "A cat.", 1)))
    part = home.load()
    assert (part.n_out, part.n_merged, home.index.n_published) == (1, 1, 2)
    row = next(row for row in home.index.rows.values() if row.order == 1)
    assert [source.archive for source in row.sources] == ["a.jsonl", "b.jsonl"]


def test_an_edit_replaces_its_record_and_touches_nobody_else(home: Home, tmp_path: Path) -> None:
    home.run(write(tmp_path / "z.jsonl", line("1", "hello", user="bob"), line("2", "again", 1, user="bob")))
    home.load()
    home.run(write(tmp_path / "b.jsonl", line("2", "Two cats.", 1, edited_at="2024-05-02T00:00:00")))
    part = home.load()
    assert (part.n_out, part.n_merged, part.reasons) == (1, 3, {"dropped_from_index": 1})
    assert {row.text for row in home.index.rows.values()} == {"What is it?", "Two cats.", "hello", "again"}


def test_a_deleted_message_leaves_the_index(home: Home, tmp_path: Path) -> None:
    home.run(write(tmp_path / "b.jsonl", line("2", "", 1, deleted=True)))
    part = home.load()
    assert part.reasons == {"dropped_from_index": 1}
    assert [row.text for row in home.index.rows.values()] == ["What is it?"]
    assert home.load().n_merged == 1
    assert home.index.n_published == 2


def test_a_record_without_vectors_waits_with_a_reason(home: Home, tmp_path: Path) -> None:
    home.run(write(tmp_path / "b.jsonl", line("3", "new", 2)), until="extract")
    part = home.load()
    assert (part.n_in, part.n_merged, part.n_deferred, part.reasons) == (3, 2, 1, {"no_vector": 1})
    assert home.index.n_published == 1
    home.run()
    assert home.load().n_out == 1


def test_a_fresh_build_is_equal(home: Home) -> None:
    before = home.digest()["vectors"]
    part = home.load(is_fresh=True)
    assert (part.n_out, home.index.n_published) == (2, 2)
    assert home.digest()["vectors"] == before


def test_another_conversation_loads_no_row_again(home: Home, tmp_path: Path) -> None:
    """Many users share a bucket: one who comes later must not move another's rows."""
    written = home.index.n_written
    users = [name for n in range(1_000) if bucket_of(name := f"u{n}", 64) == bucket_of("ann", 64)]
    lines = [line(str(n), f"text {n}", user=user, session=f"s{n}") for n, user in enumerate(users)]
    home.run(write(tmp_path / "b.jsonl", *lines))
    part = home.load()
    assert len(users) > 8
    assert (part.n_out, part.n_merged) == (len(users), 2)
    assert home.index.n_written == written + len(users)
