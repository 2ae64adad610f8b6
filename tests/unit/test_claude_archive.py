"""The Claude.ai reader: empty is never decided from one field; tools and thoughts are not what people said."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pytest
from archive_reading import entries, refusals, write_zip
from json_archives import Found, assert_memory_is_bounded, read, texts

from hypermnesia.archives import KnownArchives, files
from hypermnesia.archives.claude import ClaudeReader
from hypermnesia.ports import Entry

READER = ClaudeReader()
TIME = "2024-05-01T10:00:00.123456Z"
LOCAL = "2024-05-01T10:00:00.123456+00:00"
NO_PARENT = "00000000-0000-4000-8000-000000000000"


def said(text: str = "hi", sender: str = "human", **more: Any) -> dict[str, Any]:
    return {
        "text": text,
        "content": [{"type": "text", "text": text}],
        "sender": sender,
        "created_at": TIME,
        "attachments": [],
        "files": [],
        **more,
    }


def talk(*messages: Any, uuid: str = "c1", **more: Any) -> dict[str, Any]:
    for n, one in enumerate(messages, start=1):
        if isinstance(one, dict):
            one.setdefault("uuid", f"m{n}")
    return {"uuid": uuid, "name": "T", "created_at": TIME, "chat_messages": list(messages), **more}


def outline(found: Found) -> list[tuple[str | None, str, str]]:
    return [(e.native_id, e.kind, e.text) for e in entries(found)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "conversations.json"


def test_a_message_as_it_stands(path: Path) -> None:
    assert read(READER, path, [talk(said(" Hi! "), account={"uuid": "ann"})]) == [
        Entry(
            user="ann",
            conversation="c1",
            locator="c1 message 1",
            text=" Hi! ",
            speaker="user",
            role="user",
            native_id="m1",
            title="T",
            written_at=TIME,
            local=LOCAL,
        )
    ]


def test_a07_empty_text_loses_no_turn(path: Path) -> None:
    case = [
        {
            "sender": "human",
            "text": "",
            "content": [],
            "attachments": [{"file_name": "notes.txt", "extracted_content": "Invoice due 3 July"}],
        },
        {
            "sender": "assistant",
            "text": "",
            "content": [
                {"type": "tool_use", "name": "search", "input": {"q": "july"}},
                {"type": "tool_result", "content": "ok"},
            ],
        },
    ]
    found = read(READER, path, [{"uuid": "c1", "chat_messages": case}])
    assert [(e.kind, e.role, e.part, e.text) for e in entries(found)] == [
        ("utterance", "user", "", ""),
        ("attachment", "user", "attachment/000", "Invoice due 3 July"),
        ("tool_call", "assistant", "", 'search({"q": "july"})'),
        ("tool_result", "tool", "", "ok"),
    ]
    assert entries(found)[1].attributes == (("type", "document"), ("name", "notes.txt"))
    assert len({e.locator.split(" block")[0] for e in entries(found)}) == 2 and not refusals(found)


def test_a07_text_is_found_wherever_it_stands(path: Path) -> None:
    use = {"type": "tool_use", "name": "t", "input": {}}
    found = read(
        READER,
        path,
        [
            talk(
                said("old", content=[]),
                said("", content=[{"type": "text", "text": "new"}]),
                said("beside a tool", content=[use]),
                said("", content=[]),
                said("", content="plain"),
            )
        ],
    )
    assert texts(found) == ["old", "new", "beside a tool", "t({})", "", "plain"]


def test_a04_a_message_with_few_fields_is_kept(path: Path) -> None:
    found = read(READER, path, [talk(said("a")), {"chat_messages": [{"text": "hi"}]}, talk(said("c"), uuid="c3")])
    assert texts(found) == ["a", "hi", "c"] and not refusals(found)
    bare = entries(found)[1]
    assert (bare.speaker, bare.role, bare.native_id, bare.local) == ("unknown", "person", None, None)
    assert bare.conversation.startswith("unnamed-")


def test_a13_surrogates_and_a14_nul_pass_to_the_repair(path: Path) -> None:
    assert texts(read(READER, path, [talk(said("ok \ud83d"), said("a\x00b"))])) == ["ok \ud83d", "a\x00b"]


def test_blocks_keep_their_order_and_their_speakers(path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Let me look."},
        {"type": "text", "text": "One moment."},
        {"type": "tool_use", "name": "search", "input": {"q": "x"}},
        {
            "type": "tool_result",
            "name": "search",
            "content": [{"type": "text", "text": "r1"}, {"type": "image", "title": "p"}],
        },
        {"type": "token_budget"},
        {"type": "text", "text": "Found."},
    ]
    found = read(READER, path, [talk(said("x", "assistant", content=blocks, files=[{"file_name": "a.png"}]))])
    assert outline(found) == [
        ("m1/1", "system", "hm"),
        ("m1", "utterance", "Let me look.\nOne moment."),
        ("m1", "attachment", ""),
        ("m1/4", "tool_call", 'search({"q": "x"})'),
        ("m1/5", "tool_result", "r1"),
        ("m1/5", "attachment", ""),
        ("m1/7", "utterance", "Found."),
    ]
    assert [e.role for e in entries(found)] == ["system", *["assistant"] * 3, "tool", "tool", "assistant"]
    assert entries(found)[5].attributes == (("type", "image"), ("name", "p"))


def test_a_mark_alone_leaves_an_empty_message(path: Path) -> None:
    assert texts(read(READER, path, [talk(said("", content=[{"type": "token_budget"}]))])) == [""]


@pytest.mark.parametrize("block", [{"type": "hologram"}, 7, None, {"type": "flag"}])
def test_an_unknown_block_is_refused_by_its_type(path: Path, block: Any) -> None:
    content = [{"type": "text", "text": "a"}, block]
    found = read(READER, path, [talk(said("a", content=content), said("b"))])
    assert texts(found) == ["a", "b"] and refusals(found) == [("unknown_block", "c1 message 1 block 2")]


def test_files_are_named_once(path: Path) -> None:
    files_named = [{"file_uuid": "f", "file_name": "a.png", "file_kind": "image"}, "odd"]
    found = entries(read(READER, path, [talk(said(files=files_named, files_v2=files_named[:1]))]))
    assert [e.attributes for e in found[1:]] == [
        (("type", "image"), ("name", "a.png")),
        (("type", "file"), ("name", "odd")),
    ]


def test_edits_are_branches(path: Path) -> None:
    tree = [
        said("first", uuid="u1", parent_message_uuid=NO_PARENT),
        said("answer", "assistant", uuid="a1", parent_message_uuid="u1"),
        said("first, edited", uuid="u2", parent_message_uuid=NO_PARENT),
        said("answer 2", "assistant", uuid="a2", parent_message_uuid="u2"),
    ]
    found = read(READER, path, [talk(*tree)])
    assert [(e.native_id, e.branch, e.reply_to) for e in entries(found)] == [
        ("u2", "", None),
        ("a2", "", "u2"),
        ("u1", "u1", None),
        ("a1", "u1", "u1"),
    ]
    chosen = read(READER, path, [talk(*tree, current_leaf_message_uuid="a1")])
    assert [(e.native_id, e.branch) for e in entries(chosen)] == [("u1", ""), ("a1", ""), ("u2", "u2"), ("a2", "u2")]


def test_without_parents_messages_stand_as_they_come(path: Path) -> None:
    found = read(READER, path, [talk(said("a"), said("b", "assistant"), said("c", uuid="m1"))])
    assert [(e.text, e.branch, e.reply_to) for e in entries(found)] == [(t, "", None) for t in "abc"]


def test_times(path: Path) -> None:
    found = read(
        READER,
        path,
        [talk(said(), said(created_at=None), said(created_at="soon"), said(updated_at="2024-05-02T00:00:00Z"))],
    )
    assert [e.local for e in entries(found)] == [LOCAL] * 4
    assert refusals(found) == [("bad_time", "c1 message 3")]
    assert [e.revised_at for e in entries(found)] == [None, None, None, "2024-05-02T00:00:00+00:00"]
    assert entries(read(READER, path, [talk(said(created_at=None))]))[0].local == LOCAL


@pytest.mark.parametrize("broken", [None, 7, "x", []])
def test_a_broken_message_costs_itself(path: Path, broken: Any) -> None:
    found = read(READER, path, [talk(said("a"), broken, said("c"))])
    assert texts(found) == ["a", "c"] and refusals(found) == [("not_a_message", "c1 message 2")]


@pytest.mark.parametrize("broken", [{}, [], {"chat_messages": {}}])
def test_a_broken_conversation_costs_itself(path: Path, broken: Any) -> None:
    found = read(READER, path, [talk(said("a")), broken, talk(said("c"), uuid="c3")])
    assert texts(found) == ["a", "c"] and refusals(found) == [("not_a_conversation", "conversation 2")]


@pytest.mark.parametrize("odd", [None, 7, {}, [[]], [None]])
def test_odd_fields_lose_nothing(path: Path, odd: Any) -> None:
    fields = dict.fromkeys(
        ("text", "content", "attachments", "files", "sender", "updated_at", "parent_message_uuid"), odd
    )
    found = read(READER, path, [talk(said() | fields, name=odd, account=odd, current_leaf_message_uuid=odd)])
    assert entries(found) or refusals(found)


def test_a_truncated_file_gives_what_is_whole(path: Path) -> None:
    data = json.dumps([talk(said("a")), talk(said("b"), uuid="c2")]).encode()
    found = read(READER, path, data[:-20])
    assert texts(found) == ["a"] and refusals(found) == [("broken_json", "conversation 2")]


def test_a_bom_and_a_zip(path: Path) -> None:
    data = codecs.BOM_UTF8 + json.dumps([talk(said("é"))], ensure_ascii=False).encode()
    assert texts(read(READER, path, data)) == ["é"]
    zipped = write_zip(path.with_name("data.zip"), {"conversations.json": data, "users.json": [], "projects.json": []})
    assert texts(found := list(READER.read(zipped))) == ["é"] and not refusals(found)
    for file in (path, zipped):
        recognised = KnownArchives().recognise(file)
        assert recognised is not None and recognised.name == "claude"


def test_memory_does_not_grow_with_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PIECE_BYTES", 64 * 1024)
    words = "all the same words again and again " * 4
    rows = {n: (talk(*(said(words) for _ in range(100)), uuid=f"c{i}") for i in range(n)) for n in (6, 30)}
    assert_memory_is_bounded(READER, path, rows, jsonl=False)
