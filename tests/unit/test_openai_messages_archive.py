"""The reader of OpenAI-style messages: tool calls and results included, broken lines cost themselves."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pytest
from archive_reading import entries, refusals
from json_archives import assert_memory_is_bounded, lines, read, texts

from hypermnesia.archives import KnownArchives, files
from hypermnesia.archives.openai_messages import OpenaiMessagesReader
from hypermnesia.ports import Entry

READER = OpenaiMessagesReader()


def said(content: Any = "hi", role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def row(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"id": "c1", "messages": list(messages), **more}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats.jsonl"


def test_a_message_as_it_stands(path: Path) -> None:
    one = row(said(" Hi! "), created=1_700_000_000, metadata={"title": "T"}, user="ann")
    assert read(READER, path, lines(one)) == [
        Entry(
            user="ann",
            conversation="c1",
            locator="line 1 message 1",
            text=" Hi! ",
            speaker="user",
            role="user",
            title="T",
            written_at="1700000000",
            local="2023-11-14T22:13:20+00:00",
        )
    ]


def test_tool_calls_and_results(path: Path) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"q": "x"}'}}
    found = read(
        READER,
        path,
        lines(
            row(
                said("Be brief", "system"),
                said("Find x"),
                said(None, "assistant", tool_calls=[call]),
                said("found", "tool", tool_call_id="call_1"),
                said("Here", "assistant", tool_calls=[{"function": {"name": "f", "arguments": {"a": 1}}}]),
                said(None, "assistant", function_call={"name": "g", "arguments": "{}"}),
                said("7", "function", name="g"),
            )
        ),
    )
    assert [(e.kind, e.role, e.speaker, e.text, e.native_id, e.reply_to) for e in entries(found)] == [
        ("system", "system", "system", "Be brief", None, None),
        ("utterance", "user", "user", "Find x", None, None),
        ("tool_call", "assistant", "assistant", 'search({"q": "x"})', "call_1", None),
        ("tool_result", "tool", "tool", "found", None, "call_1"),
        ("utterance", "assistant", "assistant", "Here", None, None),
        ("tool_call", "assistant", "assistant", 'f({"a": 1})', None, None),
        ("tool_call", "assistant", "assistant", "g({})", None, None),
        ("tool_result", "tool", "g", "7", None, None),
    ]
    assert entries(found)[2].attributes == (("tool", "search"),)


def test_an_id_given_twice_names_nothing(path: Path) -> None:
    calls = [{"id": "0", "function": {"name": name, "arguments": ""}} for name in "ab"]
    found = read(
        READER, path, lines(row(said("x", id="m1"), *(said(None, "assistant", tool_calls=[c]) for c in calls)))
    )
    assert [(e.text, e.native_id) for e in entries(found)] == [("x", "m1"), ("a()", None), ("b()", None)]


def test_parts_of_content(path: Path) -> None:
    parts = [
        {"type": "text", "text": "Look"},
        "and",
        {"type": "image_url", "image_url": {"url": "https://x/cat.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "AAAA"}},
        {"type": "hologram"},
        7,
    ]
    found = read(READER, path, lines(row(said(parts), said([{"type": "refusal", "refusal": "no"}], "assistant"))))
    assert [(e.text, e.part) for e in entries(found)] == [
        ("Look\nand", ""),
        ("", "attachment/000"),
        ("", "attachment/001"),
        ("", "attachment/002"),
        ("no", ""),
    ]
    assert [e.attributes for e in entries(found)[1:4]] == [
        (("type", "image"), ("name", "https://x/cat.png")),
        (("type", "image"),),
        (("type", "file"), ("name", "a.pdf")),
    ]
    assert [getattr(e, "detail", None) for e in found if not isinstance(e, Entry)] == ["hologram", "int"]
    assert refusals(found) == [("unknown_part", "line 1 message 1")] * 2


@pytest.mark.parametrize(("role", "expected"), [("developer", "system"), ("function", "tool"), ("critic", "person")])
def test_roles(path: Path, role: str, expected: str) -> None:
    (entry,) = entries(read(READER, path, lines(row(said(role=role)))))
    assert (entry.role, entry.speaker) == (expected, role)
    (named,) = entries(read(READER, path, lines(row(said(name="Ann")))))
    assert (named.role, named.speaker) == ("user", "Ann")


def test_a_conversation_without_an_id_is_named_by_its_content(tmp_path: Path) -> None:
    one, other = {"messages": [said("a")]}, {"messages": [said("b")]}
    first = [e.conversation for e in entries(read(READER, tmp_path / "1.jsonl", lines(one, other)))]
    second = [e.conversation for e in entries(read(READER, tmp_path / "2.jsonl", lines(other, one)))]
    assert first == second[::-1] and len(set(first)) == 2
    by_metadata = {"messages": [said()], "metadata": {"conversation_id": 7}}
    assert [e.conversation for e in entries(read(READER, tmp_path / "3.jsonl", lines(by_metadata)))] == ["7"]


def test_times_of_rows_and_messages(path: Path) -> None:
    one = row(said(), said(created="2024-05-01T10:00:00Z"), said(timestamp="soon"), created_at="2024-04-01T10:00:00Z")
    found = read(READER, path, lines(one))
    row_time = "2024-04-01T10:00:00+00:00"
    assert [e.local for e in entries(found)] == [row_time, "2024-05-01T10:00:00+00:00", row_time]
    assert refusals(found) == [("bad_time", "line 1 message 3")]


def test_empty_messages_stay(path: Path) -> None:
    found = read(READER, path, lines(row(said(None, "assistant"), said(""), said([]), {"role": "user"})))
    assert texts(found) == ["", "", "", ""] and not refusals(found)


@pytest.mark.parametrize("broken", [None, 7, "x", [], {}, {"content": "x"}, {"role": 7.5, "content": "x"}])
def test_a_broken_message_costs_itself(path: Path, broken: Any) -> None:
    found = read(READER, path, lines(row(said("a"), broken, said("c"))))
    assert texts(found) == ["a", "c"] and refusals(found) == [("not_a_message", "line 1 message 2")]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (b"{", "broken_json"),
        (b'"stray"', "not_a_conversation"),
        (b"{}", "not_a_conversation"),
        (b"\xff{}", "bad_encoding"),
        (b'{"messages": {}}', "not_a_conversation"),
        (b"[" * 100_000, "broken_json"),
    ],
)
def test_a_broken_line_costs_itself(path: Path, broken: bytes, reason: str) -> None:
    found = read(READER, path, lines(row(said("a")), broken, row(said("c"), id="c3")))
    assert texts(found) == ["a", "c"] and refusals(found) == [(reason, "line 2")]


def test_a_truncated_file_gives_what_is_whole(path: Path) -> None:
    found = read(READER, path, lines(row(said("a")), row(said("b")))[:-10])
    assert texts(found) == ["a"] and refusals(found) == [("broken_json", "line 2")]


def test_a_gigantic_line_is_passed_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_LINE_BYTES", 1_000)
    found = read(READER, path, lines(row(said("a")), row(said("b" * 3_000)), row(said("c"))))
    assert texts(found) == ["a", "c"] and refusals(found) == [("line_too_long", "line 2")]


def test_an_array_and_an_indented_row_are_read_too(path: Path) -> None:
    assert texts(read(READER, path, [row(said("a")), row(said("b"))])) == ["a", "b"]
    assert texts(read(READER, path, json.dumps(row(said("a")), indent=2).encode())) == ["a"]


def test_a_bom_and_another_encoding(path: Path) -> None:
    data = lines(json.dumps(row(said("é")), ensure_ascii=False).encode())
    assert texts(read(READER, path, codecs.BOM_UTF8 + data)) == ["é"]
    wide = codecs.BOM_UTF16_LE + data.decode().encode("utf-16-le")
    assert texts(read(READER, path, wide)) == ["é"]
    recognised = KnownArchives().recognise(path)
    assert recognised is not None and recognised.name == "openai_messages"


def test_a13_surrogates_and_a14_nul_pass_to_the_repair(path: Path) -> None:
    case = [b'{"messages": [{"role": "user", "content": "ok \\ud83d"}]}']
    case += [b'{"messages": [{"role": "user", "content": "XX"}]}'.replace(b"XX", b"\xed\xa0\xbd\xed\xb8\x82")]
    case += [b'{"messages": [{"role": "user", "content": "a\\u0000b"}, {"role": "user", "content": "a\\\\u0000b"}]}']
    assert texts(read(READER, path, lines(*case))) == ["ok \ud83d", "\ud83d\ude02", "a\x00b", "a\\u0000b"]


def test_memory_does_not_grow_with_the_file(path: Path) -> None:
    words = "all the same words again and again " * 4
    rows = {n: (row(*[said(words)] * 100, id=f"c{i}") for i in range(n)) for n in (6, 30)}
    assert_memory_is_bounded(READER, path, rows, jsonl=True)
