"""embed: two vectors a record, each made once, named by the hash of its text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_home import IDS, Home, line, write


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_vectors_of_the_text_and_of_the_text_with_the_row_before(home: Home, tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl", line("1", "What is it?", speaker="Ben"), line("2", "...", 1), line("3", "A cat.", 2)
    )
    counts = home.run(path)["embed"]
    # The first row stands alone: its two texts are one.
    assert counts.sentence() == "4 in = 3 out + 1 merged"
    texts = ["Ben: What is it?", "Ann: A cat.", "Ben: What is it?\nAnn: A cat."]
    assert sorted(home.embedder.texts) == sorted(texts)
    rows = home.rows("embeddings")
    assert {row["text_hash"] for row in rows} == {IDS.content(text) for text in texts}
    by_hash = {row["text_hash"]: row for row in rows}
    record = {row["text"]: row["row_id"] for row in home.rows("records")}
    for text, said in zip(texts, ("What is it?", "A cat.", "A cat."), strict=True):
        row = by_hash[IDS.content(text)]
        assert (row["id"], row["model"], row["user_id"]) == (record[said], "hash/1", "ann")
        np.testing.assert_array_equal(np.array(row["vector"], np.float32), home.embedder.one(text))


def test_the_row_before_is_of_the_same_sitting(home: Home, tmp_path: Path) -> None:
    lines = [
        line("1", "one"),
        line("2", "two", 5 * 60),
        line("3", "three", conversation="d"),
        line("4", "four", user="bob"),
    ]
    home.run(write(tmp_path / "a.jsonl", *lines))
    assert sorted(home.embedder.texts) == ["Ann: four", "Ann: one", "Ann: three", "Ann: two"]


def test_running_again_embeds_nothing(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *(line(str(n), f"text {n}", n) for n in range(30)))
    home.run(path)
    n, before = len(home.embedder.texts), home.n_rows()
    home.run(path)
    assert (len(home.embedder.texts), home.n_rows()) == (n, before)


def test_a_late_message_embeds_only_what_it_changes(tmp_path: Path) -> None:
    home = Home(tmp_path, records=8)
    home.run(write(tmp_path / "a.jsonl", *(line(str(n), f"text {n}", 2 * n) for n in range(60))))
    home.embedder.texts.clear()
    home.run(write(tmp_path / "b.jsonl", line("late", "late", 61)))
    assert sorted(home.embedder.texts) == ["Ann: late", "Ann: late\nAnn: text 31", "Ann: text 30\nAnn: late"]


def test_two_models_stand_side_by_side(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", line("1", "hi"))
    home.run(path)
    home.embedder.model = "hash/2"
    assert home.run(path)["embed"].n_out == 1
    assert sorted(row["model"] for row in home.rows("embeddings")) == ["hash/1", "hash/2"]


def test_a_refused_record_counts_both_vectors(home: Home, tmp_path: Path) -> None:
    home.run(write(tmp_path / "a.jsonl", line("1", "hi")), until="extract")
    stage = home.stage("embed")
    (shard,) = stage.plan()
    part = stage.refuse(shard, shard.items[0], "stage_failed", "ValueError: x")
    assert (part.n_in, part.n_rejected) == (2, 2)
    assert part.tables["rejects"].to_pylist()[0]["subject_id"] == shard.items[0]
