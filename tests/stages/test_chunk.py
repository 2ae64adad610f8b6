"""chunk: every message is cut into one chunk, or deferred with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_home import Home, line, write


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_golden_chunks(home: Home, tmp_path: Path) -> None:
    """Cuts are final: a release that moves them extracts every lake again."""
    talk = [line(str(n), f"text {n}", n) for n in range(40)]
    home.run(write(tmp_path / "a.jsonl", *talk), until="chunk")
    order = {row["message_id"]: int(row["native_id"]) for row in home.rows("messages")}
    chunks = sorted(home.rows("chunks"), key=lambda row: order[row["messages"][0]["message_id"]])
    assert [(c["chunk_id"], c["content_hash"], c["n_messages"], c["n_characters"]) for c in chunks] == [
        ("chk_a5123a8ba4a748e0d2292679fffaaad2", "txt_8e75150124cec9c026f83e16126ebd3e", 24, 158),
        ("chk_860bbdb987d1ed09311602dc62739147", "txt_f98417ba99327ebc0bc3853fb9aba42b", 16, 112),
    ]
    assert [[m["message_id"] for m in c["lead"]] for c in chunks[1:]] == [
        [m["message_id"] for m in c["messages"][-2:]] for c in chunks[:-1]
    ]


def test_what_is_left_out_is_deferred_with_a_reason(home: Home, tmp_path: Path) -> None:
    picture = [{"text": "a dog", "type": "image"}]
    path = write(
        tmp_path / "a.jsonl",
        line("1", "stays", attachments=picture),
        line("2", "goes", 1, attachments=picture),
        line("2", "", 1, deleted=True),
        line("3", "was never there", 2, deleted=True),
    )
    counts = home.run(path, until="chunk")["chunk"]
    assert counts.sentence() == "5 in = 2 out + 3 deferred (deleted 3)"
    (chunk,) = home.rows("chunks")
    assert [home.rows("messages", message_id=m["message_id"])[0]["text"] for m in chunk["messages"]] == [
        "stays",
        "a dog",
    ]


def test_sittings_and_conversations_are_apart(home: Home, tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        line("1", "nine"),
        line("2", "one minute later", 1),
        line("3", "after lunch", 5 * 60),
        line("4", "another", conversation="d"),
        line("5", "session one", conversation="e", session="1"),
        line("6", "session two", conversation="e", session="2"),
        line("1", "nine", user="bob"),
    )
    home.run(path, until="chunk")
    sizes = sorted((row["user_id"], row["n_messages"]) for row in home.rows("chunks"))
    assert sizes == [("ann", 1), ("ann", 1), ("ann", 1), ("ann", 1), ("ann", 2), ("bob", 1)]


def test_shards_do_not_change_what_is_cut(tmp_path: Path) -> None:
    talk = [line(str(n), f"text {n}", n, conversation=f"c{n % 7}") for n in range(120)]
    path = write(tmp_path / "a.jsonl", *talk)
    large, small = Home(tmp_path / "large"), Home(tmp_path / "small", messages=16, records=8)
    large.run(path)
    small.run(path)
    shards = [len(list(home.stage("chunk").plan())) for home in (large, small)]
    assert shards[0] == 1 < shards[1]
    assert large.digest() == small.digest()


def test_only_conversations_that_changed_are_cut_again(tmp_path: Path) -> None:
    home = Home(tmp_path, messages=8)
    talk = [line(f"{c}-{n}", f"text {n}", n, conversation=f"c{c}") for c in range(30) for n in range(8)]
    home.run(write(tmp_path / "a.jsonl", *talk), until="chunk")
    before = {shard.id for shard in home.stage("chunk").plan()}
    home.run(write(tmp_path / "b.jsonl", line("late", "late", 99, conversation="c3")), until="chunk")
    after = {shard.id for shard in home.stage("chunk").plan()}
    assert len(before) == len(after) == 30
    assert len(after - before) == 1


def test_a_refused_conversation_counts_its_messages(home: Home, tmp_path: Path) -> None:
    home.run(write(tmp_path / "a.jsonl", line("1", "hi"), line("2", "ho")), until="ingest")
    stage = home.stage("chunk")
    (shard,) = stage.plan()
    part = stage.refuse(shard, shard.items[0], "worker_died", "")
    assert (part.n_in, part.n_rejected) == (2, 2)
    (row,) = part.tables["rejects"].to_pylist()
    assert (row["user_id"], row["subject_id"], row["reason"]) == ("ann", shard.items[0], "worker_died")
