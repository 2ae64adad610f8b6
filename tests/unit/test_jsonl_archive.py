"""The generic JSON lines: each line a message or a refusal, other fields ignored, constant memory."""

from __future__ import annotations

import codecs
import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from archive_reading import entries, peak, refusals

from hypermnesia.archives import KnownArchives, files
from hypermnesia.archives.jsonl import JsonlReader
from hypermnesia.ports import Entry, Refusal

LINE = {"conversation": "c", "speaker": "Ann", "text": "hi"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "archive.jsonl"


def read(path: Path, *lines: Any) -> list[Entry | Refusal]:
    data = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    path.write_bytes(data)
    return list(JsonlReader().read(path))


def test_the_least_line(path: Path) -> None:
    assert read(path, LINE) == [
        Entry(user=None, conversation="c", locator="line 1", text="hi", speaker="Ann", role="person")
    ]


def test_every_field(path: Path) -> None:
    line = {
        "user": "ann",
        "conversation": "c",
        "id": "7",
        "speaker": "Bot",
        "role": "assistant",
        "kind": "tool_call",
        "time": "2024-03-01T09:00:00",
        "timezone": "Europe/Berlin",
        "session": "s",
        "title": "t",
        "text": "done",
        "reply_to": "6",
        "edited_at": "2024-03-01T10:00:00Z",
        "deleted": True,
        "attachments": [{"text": "a dog", "type": "image", "name": "dog.png"}, {"name": "empty.pdf"}],
    }
    said, picture, file = entries(read(path, line))
    assert said == Entry(
        user="ann",
        conversation="c",
        locator="line 1",
        text="done",
        speaker="Bot",
        role="assistant",
        kind="tool_call",
        native_id="7",
        session="s",
        title="t",
        written_at="2024-03-01T09:00:00",
        local="2024-03-01T09:00:00",
        timezone="Europe/Berlin",
        reply_to="6",
        revised_at="2024-03-01T10:00:00Z",
        is_deleted=True,
    )
    assert (picture.part, picture.kind, picture.text) == ("attachment/000", "attachment", "a dog")
    assert picture.attributes == (("type", "image"), ("name", "dog.png"))
    assert (file.part, file.text, file.attributes) == ("attachment/001", "", (("name", "empty.pdf"),))
    assert {e.native_id for e in (said, picture, file)} == {"7"}


def test_null_is_absent(path: Path) -> None:
    nulls = dict.fromkeys(
        ("user", "id", "role", "kind", "time", "timezone", "session", "attachments", "deleted", "edited_at")
    )
    assert read(path, LINE | nulls) == read(path, LINE)


def test_an_empty_id_is_no_id(path: Path) -> None:
    assert [e.native_id for e in entries(read(path, LINE | {"id": ""}, LINE | {"id": ""}))] == [None, None]


def test_a_role_stands_for_a_speaker(path: Path) -> None:
    (entry,) = entries(read(path, {"conversation": "c", "role": "assistant", "text": "x"}))
    assert (entry.speaker, entry.role) == ("assistant", "assistant")


def test_other_fields_are_ignored(path: Path) -> None:
    mark = "MARKER"
    labels = dict.fromkeys(
        ("qa", "evidence", "observation", "session_summary", "event_summary", "query", "score"), mark
    )
    found = entries(read(path, LINE | labels | {"attachments": [{"text": "a dog", "query": mark}]}))
    assert len(found) == 2
    assert mark not in repr([astuple(e) for e in found])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{broken", "broken_json"),
        (b'{"conversation": "c", "speaker": "Ann", "text": "cut o', "broken_json"),
        (b'{"n": ' + b"1" * 5_000 + b"}", "broken_json"),
        (b"[" * 100_000, "broken_json"),
        (b"7", "not_a_message"),
        (b"null", "not_a_message"),
        (b"[]", "not_a_message"),
        (b"{}", "not_a_message"),
        ({**LINE, "conversation": ""}, "not_a_message"),
        ({**LINE, "conversation": 7}, "not_a_message"),
        ({**LINE, "speaker": ""}, "not_a_message"),
        ({**LINE, "speaker": ["Ann"]}, "not_a_message"),
        ({**LINE, "text": 7}, "not_a_message"),
        ({"conversation": "c", "speaker": "Ann"}, "not_a_message"),
        ({**LINE, "role": "king"}, "not_a_message"),
        ({**LINE, "kind": "song"}, "not_a_message"),
        ({**LINE, "id": 7}, "not_a_message"),
        ({**LINE, "time": 1_700_000_000}, "not_a_message"),
        ({**LINE, "deleted": "false"}, "not_a_message"),
        ({**LINE, "attachments": {}}, "not_a_message"),
        ({**LINE, "attachments": ["x"]}, "not_a_message"),
        ({**LINE, "attachments": [{"text": 7}]}, "not_a_message"),
        (json.dumps(LINE).encode().replace(b"hi", b"\xff"), "bad_encoding"),
    ],
)
def test_a_broken_line_costs_itself(path: Path, line: Any, reason: str) -> None:
    found = read(path, LINE, line, b"", b"  ", LINE)
    assert [e.locator for e in entries(found)] == ["line 1", "line 5"]
    assert refusals(found) == [(reason, "line 2")]


def test_a_truncated_file_gives_what_is_whole(path: Path) -> None:
    found = read(path, LINE, LINE, json.dumps(LINE).encode()[:-3])
    assert len(entries(found)) == 2
    assert refusals(found) == [("broken_json", "line 3")]


def test_windows_line_ends_and_a_bom(path: Path) -> None:
    path.write_bytes(codecs.BOM_UTF8 + b"\r\n".join([json.dumps(LINE).encode()] * 2) + b"\r\n")
    found = list(JsonlReader().read(path))
    assert [e.locator for e in entries(found)] == ["line 1", "line 2"]
    assert not refusals(found)


def test_utf_16_is_recognised_and_refused_with_the_remedy(path: Path) -> None:
    path.write_bytes(codecs.BOM_UTF16_LE + json.dumps(LINE).encode("utf-16-le"))
    assert isinstance(KnownArchives().recognise(path), JsonlReader)
    (refusal,) = JsonlReader().read(path)
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.remedy, refusal.detail) == ("bad_encoding", "use UTF-8", "the file is utf-16-le")


def test_surrogates_written_as_bytes_pass(path: Path) -> None:
    """Case A13: the two halves become one emoji in text repair."""
    line = json.dumps(LINE).encode().replace(b"hi", b"\xed\xa0\xbd\xed\xb8\x82")
    assert [e.text for e in entries(read(path, line, LINE | {"text": "a\x00b"}))] == ["\ud83d\ude02", "a\x00b"]


@pytest.mark.parametrize("excess", [-1, 0, 1, 50, 200])
def test_a_gigantic_line_is_refused_and_the_next_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch, excess: int
) -> None:
    monkeypatch.setattr(files, "MOST_LINE_BYTES", 100)
    line = json.dumps(LINE | {"text": ""}).encode()
    long = line.replace(b'""', b'"' + b"x" * (100 - len(line) + excess - 1) + b'"')  # with its line end: 100 + excess
    assert len(long) + 1 == 100 + excess
    found = read(path, long, LINE)
    assert [e.locator for e in entries(found)][-1] == "line 2"
    assert refusals(found) == ([("line_too_long", "line 1")] if excess > 0 else [])


def test_an_empty_file_is_refused_and_not_passed_over(path: Path) -> None:
    (refusal,) = read(path)
    assert isinstance(refusal, Refusal) and refusal.reason == "empty_file"
    assert KnownArchives().recognise(path) is None


@pytest.mark.parametrize("name", ["chat.json", "locomo.json", "noname"])
def test_content_counts_and_the_name_does_not(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(b"broken\n" + json.dumps(LINE).encode())
    assert isinstance(KnownArchives().recognise(file), JsonlReader)


@pytest.mark.parametrize(
    "text", ["", "hello\nworld", '{"role": "user", "content": "x"}', '{"conversation": "c"}', "[]", "7"]
)
def test_other_files_are_not_taken(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    assert KnownArchives().recognise(path) is None


def test_a_format_can_be_forced_and_must_be_known() -> None:
    assert isinstance(KnownArchives().named("jsonl"), JsonlReader)
    with pytest.raises(ValueError, match=r"one of locomo, .*jsonl"):
        KnownArchives().named("fax")


def test_files_of_a_folder_are_found_in_order_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a/z.jsonl", ".hidden", ".git/x.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = list(KnownArchives().find(tmp_path))
    assert found == [(tmp_path / "a/z.jsonl", "a/z.jsonl"), (tmp_path / "b.jsonl", "b.jsonl")]
    assert list(KnownArchives().find(tmp_path / "b.jsonl")) == [(tmp_path / "b.jsonl", "b.jsonl")]
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        list(KnownArchives().find(tmp_path / "missing"))


def test_memory_does_not_grow_with_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither with lines nor with a line that is too long to be held."""
    monkeypatch.setattr(files, "MOST_LINE_BYTES", 64 * 1024)
    peaks = []
    for n in (500, 5_000):
        with path.open("w", encoding="utf-8") as file:
            for i in range(n):
                file.write(json.dumps(LINE | {"id": str(i), "text": "words " * 10}) + "\n")
            file.write("x" * (n * 500) + "\n")
        n_entries, most = peak(JsonlReader(), path)
        assert n_entries == n + 1
        peaks.append(most)
    assert max(peaks) < 1024 * 1024
    assert peaks[1] < 1.2 * peaks[0] + 50_000
