"""ingest: each message once, where it was seen, and what was refused."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_home import IDS, NOW, Home, line, write

from hypermnesia.archives import KnownArchives
from hypermnesia.rules.identity import Identity, bucket_of
from hypermnesia.stages import ingest
from hypermnesia.stages.ingest import ArchiveInput


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_message_and_its_sighting(home: Home, tmp_path: Path) -> None:
    said = line("7", "Gru\u0308\u00dfe\x00", timezone="Europe/Berlin", session="s", title="T", reply_to="6")
    counts = home.run(write(tmp_path / "in/a.jsonl", "", said), until="ingest")["ingest"]
    assert counts.sentence() == "1 in = 1 out"
    (message,), (seen,) = home.rows("messages"), home.rows("message_sources")
    conversation_id = IDS.conversation("ann", "jsonl", "c")
    message_id = IDS.message(conversation_id, "", "7")
    shard_id = message["shard_id"]
    assert message == {
        "user_id": "ann",
        "bucket": bucket_of("ann", 64),
        "message_id": message_id,
        "content_hash": IDS.content("Gr\u00fc\u00dfe"),  # repaired before it is hashed
        "source": "jsonl",
        "conversation_id": conversation_id,
        "conversation": "c",
        "native_id": "7",
        "part": "",
        "parent_message_id": None,
        "kind": "utterance",
        "text": "Gr\u00fc\u00dfe",
        "written_at": "2024-05-01T09:00:00",
        "reply_to": "6",
        "attributes": [],
        "shard_id": shard_id,
        "schema_version": 1,
    }
    assert seen == {
        "user_id": "ann",
        "bucket": bucket_of("ann", 64),
        "message_id": message_id,
        "content_hash": message["content_hash"],
        "archive": "a.jsonl",
        "position": 0,
        "locator": "line 2",
        "title": "T",
        "session": "s",
        "branch": "",
        "speaker": "Ann",
        "role": "person",
        "revised_at": None,
        "is_deleted": False,
        "is_repaired": True,
        "sequence": 0,
        "said_at": datetime(2024, 5, 1, 7, tzinfo=UTC),
        "said_local": "2024-05-01T09:00:00",
        "timezone": "Europe/Berlin",
        "is_tz_known": True,
        "seen_at": NOW.replace(day=2),
        "shard_id": shard_id,
        "schema_version": 1,
    }


def test_golden_ids(home: Home, tmp_path: Path) -> None:
    """Ids are final: a release that changes one of these makes every lake twice as large."""
    picture = line("2", "look", attachments=[{"text": "a dog"}])
    home.run(write(tmp_path / "a.jsonl", line("1", "hi"), picture, line(None, "hi"), line(None, "hi")), until="ingest")
    ids = [row["message_id"] for row in sorted(home.rows("message_sources"), key=lambda row: row["position"])]
    assert ids == [
        "msg_83f68c45f1109a2d50f61c48930a5678",
        "msg_2c965ebe607c4f294b1d3672720567f3",
        "msg_cb24bcc4c156e6ddf0903d4726384118",
        "msg_f394118b38e7b49f6436a8a54cbedf8d",
        "msg_3d5e4f320176a7726b100bdc32dc22a9",
    ]


def test_what_came_with_a_message_names_it(home: Home, tmp_path: Path) -> None:
    both = [{"text": "a dog", "type": "image"}, {"text": "a cat", "type": "image", "name": "cat\x00.png"}]
    home.run(
        write(tmp_path / "a.jsonl", line("1", "look", attachments=both), line(None, "", attachments=both)),
        until="ingest",
    )
    rows = {(row["native_id"], row["part"]): row for row in home.rows("messages")}
    assert len(rows) == 6
    for native in ("1", None):
        head = rows[native, ""]
        for part, text in (("attachment/000", "a dog"), ("attachment/001", "a cat")):
            row = rows[native, part]
            assert (row["parent_message_id"], row["text"], row["kind"]) == (head["message_id"], text, "attachment")
    assert rows["1", "attachment/001"]["attributes"] == [
        {"key": "type", "value": "image"},
        {"key": "name", "value": "cat.png"},
    ]


def test_messages_without_an_id_are_told_apart_by_ordinal_alone(home: Home, tmp_path: Path) -> None:
    equal = [line(None, "ok"), line(None, "ok"), line(None, "ok", 5), line(None, "ok", speaker="Ben")]
    path = write(tmp_path / "a.jsonl", *equal)
    assert home.run(path, until="ingest")["ingest"].n_out == 4
    copy = write(tmp_path / "b.jsonl", *equal[:2], line(None, "new"))
    counts = home.run(copy, until="ingest")["ingest"]
    assert (counts.n_in, counts.n_out, counts.n_merged) == (3, 1, 2)


def test_overlapping_archives_add_what_is_new_in_any_order(tmp_path: Path) -> None:
    said = [line(str(n), f"text {n}", n) for n in range(9)]
    one = write(tmp_path / "in/one.jsonl", *said[:6])
    two = write(tmp_path / "in/two.jsonl", *said[3:])
    digests = []
    for name, order in (("x", (one, two)), ("y", (two, one)), ("z", (tmp_path / "in",))):
        home = Home(tmp_path / name)
        counts = home.run(*order, until="ingest")["ingest"]
        assert (counts.n_in, counts.n_out, counts.n_merged) == (12, 9, 3)
        assert len(home.rows("message_sources")) == 12
        digests.append(home.digest())
    assert digests[0] == digests[1] == digests[2]


def test_running_again_does_nothing(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", line("1", "hi"), "broken", line("2", "ho"))
    first = home.run(path, until="ingest")["ingest"]
    before = home.n_rows()
    assert home.run(path, until="ingest")["ingest"].row() == first.row()
    assert home.n_rows() == before


def test_parts_of_a_large_file_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    equal = [line(None, "ok", attachments=[{"text": "a dog"}]) for _ in range(5)]
    path = write(tmp_path / "a.jsonl", *equal, "broken", *equal)
    whole, pieces = Home(tmp_path / "x"), Home(tmp_path / "y")
    whole.run(path, until="ingest")
    monkeypatch.setattr(ingest, "PART_ENTRIES", 3)
    counts = pieces.run(path, until="ingest")["ingest"]
    assert (counts.n_in, counts.n_out, counts.n_rejected) == (21, 20, 1)
    assert pieces.digest() == whole.digest()


def test_two_users_share_no_id(tmp_path: Path) -> None:
    said = [{k: v for k, v in line(str(n), f"text {n}").items() if k != "user"} for n in range(3)]
    path = write(tmp_path / "shared.jsonl", *said, {k: v for k, v in line(None, "x").items() if k != "user"})
    home = Home(tmp_path)
    home.run(ArchiveInput(path, user="ann"), ArchiveInput(path, user="bob"), until="ingest")
    rows = home.rows("messages")
    ids = {
        user: {r[c] for r in rows if r["user_id"] == user for c in ("message_id", "conversation_id")}
        for user in ("ann", "bob")
    }
    assert len(ids["ann"]) == len(ids["bob"]) == 5
    assert not ids["ann"] & ids["bob"]


def test_the_key_makes_the_ids(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", line("1", "hi"))
    digests = []
    for name, key in (("x", b"k" * 32), ("y", b"k" * 32), ("z", b"o" * 32)):
        home = Home(tmp_path / name, Identity(key))
        home.run(path, until="ingest")
        digests.append(home.digest()["lake"])
    assert digests[0] == digests[1] != digests[2]


def test_the_source_is_no_path(tmp_path: Path) -> None:
    """The same archive in another folder is the same archive; a source id makes it another one."""
    home = Home(tmp_path)
    one, two = write(tmp_path / "x/a.jsonl", line("1", "hi")), write(tmp_path / "y/a.jsonl", line("1", "hi"))
    home.run(one, until="ingest")
    before = home.n_rows()
    home.run(two, until="ingest")
    assert home.n_rows() == before
    assert home.run(ArchiveInput(two, source_id="work"), until="ingest")["ingest"].n_out == 1
    assert {row["source"] for row in home.rows("messages")} == {"jsonl", "jsonl:work"}


def test_the_archive_names_the_user_before_the_command_does(home: Home, tmp_path: Path) -> None:
    other = {k: v for k, v in line("2", "ho").items() if k != "user"}
    path = write(tmp_path / "a.jsonl", line("1", "hi"), other)
    home.run(ArchiveInput(path, user=" bob "), until="ingest")
    assert {row["text"]: row["user_id"] for row in home.rows("messages")} == {"hi": "ann", "ho": "bob"}


def test_a_time_zone_that_is_said_is_for_times_without_one(home: Home, tmp_path: Path) -> None:
    lines = [line("1", "a"), line("2", "b", timezone="Asia/Tokyo"), line("3", "c", time="2024-05-01T09:00:00Z")]
    home.run(ArchiveInput(write(tmp_path / "a.jsonl", *lines), timezone="Europe/Berlin"), until="ingest")
    seen = sorted(home.rows("message_sources"), key=lambda row: row["position"])
    assert [row["timezone"] for row in seen] == ["Europe/Berlin", "Asia/Tokyo", "UTC"]
    assert [row["said_at"].hour for row in seen] == [7, 0, 9]


BROKEN = [
    ("{broken", "broken_json"),
    ("[]", "not_a_message"),
    (line("2", "x", user=" \x00"), "no_user"),
    (line("2", "x", user="x" * 2_000), "user_too_long"),
    (line("2", "x", time="yesterday"), "bad_time"),
    (line("2", "x", timezone="Mars/Olympus"), "bad_time"),
    (line("2", "x", time="0001-01-01T00:00:00+05:00", timezone="America/New_York"), "bad_time"),
    (line("2", "x", edited_at="later"), "bad_time"),
]


def test_a_row_that_is_refused_costs_itself(home: Home, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", line("1", "hi"), *(entry for entry, _ in BROKEN), line("3", "ho"))
    counts = home.run(path, until="ingest")["ingest"]
    assert (counts.n_in, counts.n_out, counts.n_rejected) == (10, 2, 8)
    assert counts.reasons == Counter(reason for _, reason in BROKEN)
    rows = {row["locator"]: row for row in home.rows("rejects")}
    for n, (_, reason) in enumerate(BROKEN, 2):
        row = rows[f"line {n}"]
        assert (row["stage"], row["archive"], row["reason"]) == ("ingest", "a.jsonl", reason)
        assert row["remedy"] and row["rejected_at"]


def test_a_file_of_no_known_format_is_refused_and_the_others_go_on(home: Home, tmp_path: Path) -> None:
    write(tmp_path / "in/good.jsonl", line("1", "hi"))
    (tmp_path / "in/photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 jpeg")
    (tmp_path / "in/empty.jsonl").write_bytes(b"")
    counts = home.run(tmp_path / "in", until="ingest")["ingest"]
    assert (counts.n_out, counts.n_rejected) == (1, 2)
    assert {(row["archive"], row["reason"]) for row in home.rows("rejects")} == {
        ("photo.jpg", "unknown_format"),
        ("empty.jsonl", "unknown_format"),
    }


def test_a_locomo_file_that_holds_bad_text_is_read(home: Home, tmp_path: Path) -> None:
    """A lone surrogate or a NUL in any field must not end the file (cases A13, A14)."""
    bad = "x\ud83d\x00"
    turns = [{"speaker": bad, "dia_id": f"D1:1{bad}", "text": bad, "blip_caption": bad}, None]
    talk = {"speaker_a": bad, "session_1": turns, "session_1_date_time": bad, "session_2": bad}
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": bad, "conversation": talk}]), encoding="utf-8")
    counts = home.run(path, until="ingest")["ingest"]
    assert dict(counts.reasons) == {"bad_time": 1, "not_a_turn": 1, "not_a_session": 1}
    kept = {(row["user_id"], row["text"], row["written_at"]) for row in home.rows("messages")}
    assert kept == {("x\ufffd", "x\ufffd", "x\ufffd")}
    assert {row["speaker"] for row in home.rows("message_sources")} == {"x\ufffd"}


def test_what_nobody_knows_is_refused_before_anything_is_read(home: Home, tmp_path: Path) -> None:
    for wrong in (ArchiveInput(tmp_path, format="fax"), ArchiveInput(tmp_path, timezone="Mars/Olympus")):
        with pytest.raises(ValueError, match=r"fax|Mars"):
            home.stage("ingest", [wrong])


def test_a_missing_path_is_an_error(home: Home, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        home.run(tmp_path / "missing", until="ingest")


def test_two_documents_of_one_name_are_two(home: Home, tmp_path: Path) -> None:
    (tmp_path / "docs/sub").mkdir(parents=True)
    for place, text in (("README.md", "# A\none\n"), ("sub/README.md", "# A\ntwo\n")):
        (tmp_path / "docs" / place).write_text(text, encoding="utf-8")
    home.run(ArchiveInput(tmp_path / "docs", user="ann"), until="ingest")
    assert {row["conversation"] for row in home.rows("messages")} == {"README.md", "sub/README.md"}
    assert len({row["message_id"] for row in home.rows("messages")}) == 2


def test_a_conversation_without_a_name_gets_a_keyed_one(home: Home, tmp_path: Path) -> None:
    """A plain hash of a short content could be guessed."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"conversations": [{"from": "human", "value": "my pin"}]}]), encoding="utf-8")
    home.run(ArchiveInput(path, user="ann"), until="ingest")
    (message,) = home.rows("messages")
    (entry,) = KnownArchives().named("sharegpt").read(path)
    assert message["conversation"] == "unnamed-" + IDS.content(entry.conversation)
