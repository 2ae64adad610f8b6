"""The ShareGPT reader: roles of many names, turns that need not alternate, stray things cost themselves."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pytest
from archive_reading import entries, refusals
from json_archives import assert_memory_is_bounded, lines, read, texts

from hypermnesia.archives import KnownArchives, files
from hypermnesia.archives.sharegpt import SharegptReader
from hypermnesia.ports import Entry
from hypermnesia.rules.verbatim import TRUST

READER = SharegptReader()


def turn(value: Any = "hi", who: str = "human", **more: Any) -> dict[str, Any]:
    return {"from": who, "value": value, **more}


def talk(*turns: Any, name: str = "c1", key: str = "conversations") -> dict[str, Any]:
    return {"id": name, key: list(turns)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sharegpt.json"


@pytest.mark.parametrize("key", ["conversations", "items"])
def test_a_turn_as_it_stands(path: Path, key: str) -> None:
    assert read(READER, path, [talk(turn(" Hi! "), key=key)]) == [
        Entry(
            user=None,
            conversation="c1",
            locator="conversation 1 turn 1",
            text=" Hi! ",
            speaker="user",
            role="user",
        )
    ]


def test_a16_role_variants_and_turns_that_do_not_alternate(path: Path) -> None:
    case = [
        {"from": "human", "value": "a"},
        {"from": "human", "value": "b"},
        {"from": "assistant", "value": "c"},
        "stray string",
        {"from": "function_call", "value": "{}"},
    ]
    found = read(READER, path, [{"conversations": case}])
    assert [e.role for e in entries(found)] == ["user", "user", "assistant", "tool"]
    assert [e.kind for e in entries(found)] == ["utterance"] * 3 + ["tool_call"]
    assert texts(found) == ["a", "b", "c", "{}"]
    assert refusals(found) == [("not_a_turn", "conversation 1 turn 4")]


@pytest.mark.parametrize(
    ("who", "role", "kind"),
    [
        ("user", "user", "utterance"),
        ("gpt", "assistant", "utterance"),
        ("GPT", "assistant", "utterance"),
        ("chatgpt", "assistant", "utterance"),
        ("bing", "assistant", "utterance"),
        ("system", "system", "system"),
        ("tool", "tool", "tool_result"),
        ("observation", "tool", "tool_result"),
        ("function_call", "tool", "tool_call"),
    ],
)
def test_roles(path: Path, who: str, role: str, kind: str) -> None:
    (entry,) = entries(read(READER, path, [talk(turn(who=who))]))
    assert (entry.role, entry.kind, entry.speaker) == (role, kind, role)


def test_a16_an_unknown_role_is_a_person_of_that_name(path: Path) -> None:
    (entry,) = entries(read(READER, path, [talk(turn(who="Narrator"))]))
    assert (entry.role, entry.speaker) == ("person", "Narrator") and entry.role in TRUST


def test_a_conversation_may_begin_with_the_assistant(path: Path) -> None:
    assert texts(read(READER, path, [talk(turn("a", "gpt"), turn("b", "gpt"), turn("c"))])) == ["a", "b", "c"]


@pytest.mark.parametrize("broken", [None, 7, "x", [], {}, {"value": "x"}, turn(who=""), turn(7), turn(["x"])])
def test_a_broken_turn_costs_itself(path: Path, broken: Any) -> None:
    found = read(READER, path, [talk(turn("a"), broken, turn("c"))])
    assert texts(found) == ["a", "c"] and refusals(found) == [("not_a_turn", "conversation 1 turn 2")]


@pytest.mark.parametrize("value", ["", None])
def test_an_empty_turn_stays(path: Path, value: Any) -> None:
    assert texts(read(READER, path, [talk(turn(value), {"from": "gpt"})])) == ["", ""]


def test_other_names_of_the_fields(path: Path) -> None:
    row = {"id": 7, "system": "Be brief", "conversations": [{"role": "user", "content": "a"}, turn(text="no")]}
    found = entries(read(READER, path, [row]))
    assert [(e.role, e.text, e.conversation) for e in found] == [
        ("system", "Be brief", "7"),
        ("user", "a", "7"),
        ("user", "hi", "7"),
    ]


@pytest.mark.parametrize("broken", [{}, [], {"conversations": {}}, {"items": "x"}])
def test_a_broken_conversation_costs_itself(path: Path, broken: Any) -> None:
    found = read(READER, path, [talk(turn("a")), broken, talk(turn("c"), name="c3")])
    assert texts(found) == ["a", "c"] and refusals(found) == [("not_a_conversation", "conversation 2")]


def test_a_conversation_without_an_id_is_named_by_its_content(tmp_path: Path) -> None:
    one, other = {"conversations": [turn("a")]}, {"conversations": [turn("b")]}
    first = [e.conversation for e in entries(read(READER, tmp_path / "1.json", [one, other]))]
    second = [e.conversation for e in entries(read(READER, tmp_path / "2.jsonl", lines(other, one)))]
    assert first == second[::-1] and len(set(first)) == 2


def test_lines_are_read_too_and_a_broken_one_costs_itself(path: Path) -> None:
    found = read(READER, path, lines(talk(turn("a")), b'{"id": "x", "conv', talk(turn("c"), name="c3")))
    assert texts(found) == ["a", "c"] and refusals(found) == [("broken_json", "line 2")]


def test_a_truncated_file_gives_what_is_whole(path: Path) -> None:
    data = json.dumps([talk(turn("a")), talk(turn("b"), name="c2")]).encode()
    found = read(READER, path, data[:-10])
    assert texts(found) == ["a"] and refusals(found) == [("broken_json", "conversation 2")]


def test_a_bom(path: Path) -> None:
    assert texts(read(READER, path, codecs.BOM_UTF8 + json.dumps([talk(turn("é"))]).encode())) == ["é"]
    recognised = KnownArchives().recognise(path)
    assert recognised is not None and recognised.name == "sharegpt"


def test_a13_surrogates_and_a14_nul_pass_to_the_repair(path: Path) -> None:
    assert texts(read(READER, path, [talk(turn("ok \ud83d"), turn("a\x00b"))])) == ["ok \ud83d", "a\x00b"]
    data = json.dumps([talk(turn("XX"))]).encode().replace(b"XX", b"\xed\xa0\xbd\xed\xb8\x82")
    assert texts(read(READER, path, data)) == ["\ud83d\ude02"]


@pytest.mark.parametrize("jsonl", [True, False])
def test_memory_does_not_grow_with_the_file(path: Path, monkeypatch: pytest.MonkeyPatch, jsonl: bool) -> None:
    monkeypatch.setattr(files, "PIECE_BYTES", 64 * 1024)
    words = "all the same words again and again " * 4
    rows = {n: (talk(*[turn(words)] * 100, name=f"c{i}") for i in range(n)) for n in (6, 30)}
    assert_memory_is_bounded(READER, path, rows, jsonl=jsonl)
