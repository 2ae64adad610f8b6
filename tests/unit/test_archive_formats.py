"""Each format's sample is recognised by its own reader and by no other; what readers share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from archive_reading import write_zip
from json_archives import as_bytes, lines

from hypermnesia.archives import READERS, KnownArchives
from hypermnesia.archives.branches import Place, lay_out
from hypermnesia.archives.files import read_head
from hypermnesia.archives.json_rows import Rest, as_json, first_items, read_time

LONG = "words and words " * 40_000  # longer than a head
SAID = {"role": "user", "content": 'it says "messages": [{"role": 1}] and "mapping"'}
NODES = {"r": {"message": None}, "n": {"parent": "r", "message": {"author": {"role": "user"}, "messages": [SAID]}}}

SAMPLES: dict[str, Any] = {
    "locomo": [{"sample_id": "s", "conversation": {"speaker_a": "A", "session_1": [{"dia_id": "D1:1"}]}}],
    "chatgpt": [{"title": "T", "mapping": NODES, "current_node": "n"}],
    "claude": [{"uuid": "c", "name": "T", "chat_messages": [{"sender": "human", "text": "hi", "messages": [SAID]}]}],
    "longmemeval": [{"question_id": "q", "haystack_dates": [], "haystack_sessions": [[SAID]]}],
    "sharegpt": [{"id": "c", "conversations": [{"from": "human", "value": "hi"}]}],
    "openai_messages": [{"id": "c", "messages": [SAID]}],
    "jsonl": {"conversation": "c", "speaker": "Ann", "text": "hi"},
}


def recognisers(path: Path) -> list[str]:
    head = read_head(path)
    return [reader.name for reader in READERS if reader.recognises(path, head)]


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", ["compact", "indented", "lines"])
def test_a_sample_is_recognised_by_its_own_reader_alone(tmp_path: Path, name: str, form: str) -> None:
    sample = SAMPLES[name]
    rows = sample if isinstance(sample, list) else [sample]
    if name == "jsonl" and form == "indented":
        pytest.skip("JSON lines are not indented")
    data = {
        "compact": as_bytes(sample),
        "indented": json.dumps(sample, indent=2).encode(),
        "lines": lines(*rows, *rows),
    }[form]
    path = tmp_path / "file"
    path.write_bytes(data)
    assert recognisers(path) == [name]


@pytest.mark.parametrize(
    ("name", "key", "values"),
    [
        ("chatgpt", "mapping", NODES),
        ("claude", "chat_messages", [{"sender": "human"}]),
        ("longmemeval", "haystack_sessions", [[SAID]]),
        ("sharegpt", "conversations", [{"from": "human", "value": "hi"}]),
        ("openai_messages", "messages", [SAID]),
    ],
)
@pytest.mark.parametrize("is_line", [True, False])
def test_a_sample_longer_than_the_head_is_recognised(
    tmp_path: Path, name: str, key: str, values: Any, is_line: bool
) -> None:
    long = values | {"z": LONG} if isinstance(values, dict) else [*values, LONG]
    row = {"question_id": "q", key: long} if name == "longmemeval" else {"id": "c", key: long}
    path = tmp_path / "file"
    path.write_bytes(lines(row) if is_line else as_bytes([row]))
    assert recognisers(path) == [name]


@pytest.mark.parametrize("first", [b"broken", b'{"id": "x", "mess', b"7", b"{}", b'{"messages": [}'])
def test_a_broken_first_line_hides_no_format(tmp_path: Path, first: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(lines(first, SAMPLES["openai_messages"][0]))
    recognised = KnownArchives().recognise(path)
    assert recognised is not None and recognised.name == "openai_messages"


@pytest.mark.parametrize(
    "content",
    [
        {"name": "Ann", "type": "personal_chat", "id": 1, "messages": [{"id": 1, "type": "message", "from": "Ann"}]},
        [{"type": "message", "user": "U1", "text": "hi", "ts": "1700000000.000101"}],
        [{"title": "export", "mapping": {}}],
        {"items": [{"title": "x"}]},
        {"messages": []},
        b"[" * 300_000,
        b'{"a":' * 60_000,
        b"PK\x03\x04 no zip",
        b"\x00\xff\xfe" * 1_000,
    ],
)
def test_other_files_are_not_taken_by_the_readers_of_chats(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "file"
    path.write_bytes(as_bytes(content))
    assert not set(recognisers(path)) & {"chatgpt", "claude", "longmemeval", "sharegpt", "openai_messages"}


def test_zips_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    for name in ("chatgpt", "claude"):
        path = write_zip(tmp_path / name, {"x/conversations.json": SAMPLES[name], "user.json": {}})
        assert recognisers(path) == [name]
    assert recognisers(write_zip(tmp_path / "other", {"conversations.json": [], "a.json": SAMPLES["claude"]})) == []


def test_first_items_of_a_head_that_is_cut_off() -> None:
    whole = json.dumps([{"a": 1}, {"b": "x", "c": [1, 2]}])
    assert list(first_items(whole)) == [{"a": 1}, {"b": "x", "c": [1, 2]}]
    first, second = first_items(whole[:-3])
    assert first == {"a": 1} and second == {"b": "x", "c": "[1, 2"} and isinstance(second["c"], Rest)
    for end in range(len(whole)):
        assert list(first_items(whole[:end])) is not None


def test_a_tree_is_laid_out_once_and_parents_come_first() -> None:
    parents = {"a": None, "b": "a", "c": "a", "d": "b", "x": "gone", "y": "gone", "p": "q", "q": "p"}
    places = lay_out(parents, "d")
    assert sorted(p.node for p in places) == sorted(parents)
    assert places[:4] == [Place("a", "", None), Place("b", "", "a"), Place("d", "", "b"), Place("c", "c", "a")]
    assert places[4:6] == [Place("y", "", None), Place("x", "x", None)]  # two below one missing node are siblings
    assert {p.node: p.branch for p in places[6:]} == {"p": "", "q": ""}
    assert lay_out({}, None) == []


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        (0, "1970-01-01T00:00:00+00:00"),
        (1_700_000_000.5, "2023-11-14T22:13:20.500000+00:00"),
        ("1700000000.5", "2023-11-14T22:13:20.500000+00:00"),
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00+00:00"),
        ("2024-05-01T10:00:00.5+02:00", "2024-05-01T10:00:00.500000+02:00"),
        ("2024-05-01 10:00:00", "2024-05-01T10:00:00"),
    ],
)
def test_times_as_they_are_written(value: Any, iso: str) -> None:
    assert read_time(value) == (str(value), iso)


@pytest.mark.parametrize("value", [None, True, [], "soon", "", 1e12, 10**400, "0001-01-01T00:00:00+10:00", "\ud83d"])
def test_what_is_no_time(value: Any) -> None:
    with pytest.raises(ValueError):
        read_time(value)


def test_what_is_too_deep_to_be_written_has_a_name() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert as_json(deep) == "..."


def test_files_of_a_folder_are_in_order_without_hidden_ones_and_linked_folders(tmp_path: Path) -> None:
    names = ["b.txt", "a/z.txt", "a/b/c.txt", "a.txt", "a-b/x.txt", ".git/x.txt", "a/.hidden", ".DS_Store"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "linked.txt").symlink_to(tmp_path / "b.txt")
    found = list(KnownArchives().find(tmp_path))
    shown = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file())
    assert [name for _, name in found] == [p.as_posix() for p in shown if not any(s[0] == "." for s in p.parts)]
    assert [name for _, name in found] == ["a/b/c.txt", "a/z.txt", "a-b/x.txt", "a.txt", "b.txt", "linked.txt"]
    assert [name for _, name in KnownArchives().find(tmp_path / ".DS_Store")] == [".DS_Store"]
