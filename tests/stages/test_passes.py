"""All stages over one archive: reruns, shuffled files, late data, edits, corrections and walls."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from small_home import Home, line, write

from hypermnesia.rules.identity import Identity
from hypermnesia.stages.ingest import ArchiveInput

Row = dict[str, Any]


def talk(n: int = 45, **more: Any) -> list[Row]:
    """A conversation with questions, pictures, a gap and a message that says nothing."""
    lines = []
    for i in range(n):
        text = "..." if i % 11 == 5 else f"Did you see {i}?" if i % 3 == 0 else f"Yes, {i}."
        extra = {"attachments": [{"text": f"picture {i}", "type": "image"}]} if i % 7 == 0 else {}
        lines.append(line(f"m{i}", text, i + (300 if i > 30 else 0), speaker=["Ann", "Ben"][i % 2], **extra, **more))
    return lines


def locomo(name: str) -> list[Row]:
    turns = [{"speaker": "Ann", "dia_id": f"D1:{n}", "text": f"turn {n}", "blip_caption": "a dog"} for n in range(9)]
    return [{"sample_id": name, "conversation": {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}}]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Three files of three users: overlapping, with two broken rows."""
    folder = tmp_path / "archive"
    said = talk()
    write(folder / "one.jsonl", *said[:30], "broken", *talk(5, user="bob"))
    write(folder / "two.jsonl", *said[20:], line("x", "x", time="yesterday"))
    write(folder / "three.json", json.dumps(locomo("conv-1")))
    return folder


def everything(root: Path, *inputs: Any, **shards: int) -> Home:
    home = Home(root, **shards)
    home.run(*inputs)
    home.load()
    return home


def test_counts_add_up_and_a_rerun_adds_nothing(tmp_path: Path, archive: Path) -> None:
    home = Home(tmp_path)
    first = home.run(archive)
    assert first["ingest"].sentence() == "90 in = 76 out + 2 rejected + 12 merged (bad_time 1, broken_json 1)"
    assert first["chunk"].n_in == first["ingest"].n_out == first["extract"].n_in
    assert first["embed"].n_in == 2 * first["extract"].n_out == 2 * len(home.view())
    home.load()
    before, digest = home.n_rows(), home.digest()
    again = home.run(archive)
    home.load()
    assert (home.n_rows(), home.digest(), home.index.n_published) == (before, digest, 1)
    assert {name: c.row() for name, c in again.items()} == {name: c.row() for name, c in first.items()}


def test_order_of_files_and_size_of_shards_do_not_matter(tmp_path: Path, archive: Path) -> None:
    files = sorted(archive.iterdir())
    expected = everything(tmp_path / "expected", *files).digest()
    random.Random(7).shuffle(files)
    assert everything(tmp_path / "shuffled", *files, messages=32, records=16).digest() == expected
    one_by_one = Home(tmp_path / "one-by-one")
    for file in files:
        one_by_one.run(file)
    one_by_one.load()
    assert {name: one_by_one.digest()[name] for name in ("view", "vectors")} == {
        name: expected[name] for name in ("view", "vectors")
    }


@pytest.mark.parametrize("places", [[0], [3, 17, 30, 31, 44]])
def test_late_messages_give_the_view_of_a_fresh_backfill(tmp_path: Path, places: list[int]) -> None:
    said = talk()
    late = [said[i] for i in places]
    early = write(tmp_path / "in/early.jsonl", *(row for row in said if row not in late))
    added = write(tmp_path / "in/late.jsonl", *late)
    grown = everything(tmp_path / "grown", early)
    grown.run(early, added)
    grown.load()
    fresh = everything(tmp_path / "fresh", early, added)
    assert grown.digest()["view"] == fresh.digest()["view"]
    assert grown.digest()["vectors"] == fresh.digest()["vectors"]
    assert [row["row_id"] for row in grown.view()] == [row["row_id"] for row in fresh.view()]
    served = [{row.row_id: row.fingerprint for row in home.index.rows.values()} for home in (grown, fresh)]
    assert served[0] == served[1]


def test_two_users_of_the_same_conversation_share_no_id(tmp_path: Path) -> None:
    said = [{k: v for k, v in row.items() if k != "user"} for row in talk(20)]
    path = write(tmp_path / "shared.jsonl", *said)
    home = everything(tmp_path / "home", ArchiveInput(path, user="ann"), ArchiveInput(path, user="bob"))
    columns = {
        "messages": ["message_id", "conversation_id"],
        "chunks": ["chunk_id", "content_hash"],
        "extractions": ["extraction_id"],
        "records": ["row_id"],
        "embeddings": ["id"],
    }
    for table, names in columns.items():
        ids = {u: {row[n] for row in home.rows(table, user_id=u) for n in names} for u in ("ann", "bob")}
        assert len(ids["ann"]) == len(ids["bob"]) > 0
        assert not ids["ann"] & ids["bob"], table
    owners = {row["message_id"]: row["user_id"] for row in home.rows("messages")}
    assert all(owners[s.message_id] == row.user_id for row in home.index.rows.values() for s in row.sources)


def test_a_user_alone_has_the_rows_that_he_has_among_others(tmp_path: Path, archive: Path) -> None:
    alone = everything(tmp_path / "alone", write(tmp_path / "bob.jsonl", *talk(5, user="bob")))
    among = everything(tmp_path / "among", archive)
    rows = {row.row_id: row for row in among.index.rows.values() if row.user_id == "bob"}
    assert rows.keys() == alone.index.rows.keys()
    for row_id, row in alone.index.rows.items():
        assert (row.session, row.order, row.context) == (rows[row_id].session, rows[row_id].order, rows[row_id].context)


def test_another_key_gives_other_ids_and_the_same_memory(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *talk(10))
    one, two = Home(tmp_path / "one"), Home(tmp_path / "two", Identity(b"o" * 32))
    for home in (one, two):
        home.run(path)
    assert [row["text"] for row in one.view()] == [row["text"] for row in two.view()]
    assert not {row["row_id"] for row in one.view()} & {row["row_id"] for row in two.view()}


def edits(*texts: str) -> list[Row]:
    """One message and its later wordings, an hour apart."""
    return [
        line("2", text, 1, **({"edited_at": f"2024-05-01T{10 + n}:00:00"} if n else {})) for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_the_record_in_force_is_that_of_the_last_edit(tmp_path: Path, order: tuple[int, ...]) -> None:
    wordings = edits("a cat", "two cats", "three cats")
    home = Home(tmp_path)
    for n in order:
        home.run(write(tmp_path / f"{n}.jsonl", line("1", "hi"), wordings[n], line("3", "bye", 2)))
    assert [row["text"] for row in home.view()] == ["hi", "three cats", "bye"]
    assert len(home.rows("messages", native_id="2")) == 3  # every revision stays
    assert len({row["message_id"] for row in home.rows("messages", native_id="2")}) == 1
    assert {row["text"] for row in home.rows("records")} >= {"hi", "three cats", "bye"}


def test_a_deleted_message_leaves_the_view_with_what_came_with_it(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.run(write(tmp_path / "a.jsonl", line("1", "hi"), line("2", "secret", 1, attachments=[{"text": "picture"}])))
    assert len(home.view()) == 2
    home.run(write(tmp_path / "b.jsonl", line("2", "", 1, deleted=True)))
    assert [row["text"] for row in home.view()] == ["hi"]
    assert len(home.rows("records")) == 2  # committed evidence is not deleted


def test_a_corrected_time_zone_moves_times_and_no_id(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *talk(12))
    home = Home(tmp_path / "home")
    home.run(ArchiveInput(path, timezone="Asia/Tokyo"))
    ids = [row["row_id"] for row in home.view()]
    n_rows = home.n_rows()
    home.run(ArchiveInput(path, timezone="Europe/Berlin"))
    fresh = Home(tmp_path / "fresh")
    fresh.run(ArchiveInput(path, timezone="Europe/Berlin"))
    assert [row["row_id"] for row in home.view()] == ids
    assert home.view()[0]["said_at"].hour == 7
    assert home.digest()["view"] == fresh.digest()["view"]
    grown = {table for table, n in home.n_rows().items() if n != n_rows[table]}
    assert grown == {"message_sources", "extractions", "commits"}  # "yesterday" by another clock is another day


def test_an_edit_back_to_an_earlier_text_is_the_last_edit(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.run(write(tmp_path / "a.jsonl", *edits("a cat", "two cats", "a cat")))
    assert [row["text"] for row in home.view()] == ["a cat"]


def test_a_message_that_is_taken_back_with_its_text_leaves_the_view(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.run(write(tmp_path / "a.jsonl", line("1", "hi"), line("2", "secret", 1)))
    home.run(write(tmp_path / "b.jsonl", line("2", "secret", 1, deleted=True)))
    assert [row["text"] for row in home.view()] == ["hi"]
