"""The LongMemEval reader: sessions of a user and an assistant, never a label."""

from __future__ import annotations

import codecs
import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from archive_reading import entries, refusals
from json_archives import assert_memory_is_bounded, read, texts

from hypermnesia.archives import KnownArchives, files
from hypermnesia.archives.longmemeval import LongmemevalReader
from hypermnesia.ports import Entry

READER = LongmemevalReader()
DATE = "2023/05/20 (Sat) 02:21"


def turn(content: Any = "hi", role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def instance(*sessions: Any, name: str = "q1", **more: Any) -> dict[str, Any]:
    return {
        "question_id": name,
        "question_type": "MARKER",
        "question": "MARKER?",
        "answer": "MARKER",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_dates": [DATE] * len(sessions),
        "haystack_session_ids": [f"s{n}" for n, _ in enumerate(sessions, start=1)],
        "haystack_sessions": list(sessions),
        "answer_session_ids": ["answer_MARKER"],
        **more,
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "longmemeval_s.json"


def test_a_turn_as_it_stands(path: Path) -> None:
    assert read(READER, path, [instance([turn(" Hi! ")])]) == [
        Entry(
            user="q1",
            conversation="s1",
            locator="q1 session 1 turn 1",
            text=" Hi! ",
            speaker="user",
            role="user",
            native_id="s1_1",
            session="s1",
            written_at=DATE,
            local="2023-05-20T02:21:00",
        )
    ]


def test_labels_never_enter(path: Path) -> None:
    said = [turn("a", has_answer=True, label="MARKER"), turn("b", "assistant", has_answer=False)]
    ids = ["answer_7f_1", "ultrachat_2"]
    found = read(READER, path, [instance(said, said, haystack_session_ids=ids)])
    assert texts(found) == ["a", "b", "a", "b"] and not refusals(found)
    everything = repr([astuple(e) for e in entries(found)])
    assert not [label for label in ("MARKER", "answer", "True, True", "2023/06/01") if label in everything]
    assert [e.native_id for e in entries(found)] == ["7f_1_1", "7f_1_2", "ultrachat_2_1", "ultrachat_2_2"]


def test_users_are_walls(path: Path) -> None:
    found = entries(read(READER, path, [instance([turn("a")]), instance([turn("a")], name="q2")]))
    assert [(e.user, e.conversation) for e in found] == [("q1", "s1"), ("q2", "s1")]


@pytest.mark.parametrize("ids", [None, [], ["s1"], ["s1", None], "s"])
def test_missing_session_ids_lose_nothing(path: Path, ids: Any) -> None:
    found = entries(read(READER, path, [instance([turn("a")], [turn("b")], haystack_session_ids=ids)]))
    assert [e.text for e in found] == ["a", "b"] and len({e.conversation for e in found}) == 2


def test_a_session_id_given_twice_is_two_sessions(path: Path) -> None:
    ids = ["answer_x", "x", "x"]
    found = entries(read(READER, path, [instance([turn("a")], [turn("b")], [turn("c")], haystack_session_ids=ids)]))
    assert [e.conversation for e in found] == ["x", "x#2", "x#3"]


@pytest.mark.parametrize("dates", [None, [], [None], "x"])
def test_missing_dates_lose_nothing(path: Path, dates: Any) -> None:
    found = read(READER, path, [instance([turn()], haystack_dates=dates)])
    assert [(e.text, e.local) for e in entries(found)] == [("hi", None)] and not refusals(found)


@pytest.mark.parametrize("date", ["soon", "2023/13/20 (Sat) 02:21", 7, "\ud83d", "2023/05/20 (Sat) 25:21"])
def test_a_bad_date_is_refused_and_the_turns_are_kept(path: Path, date: Any) -> None:
    found = read(READER, path, [instance([turn()], haystack_dates=[date])])
    assert [(e.text, e.local) for e in entries(found)] == [("hi", None)]
    assert refusals(found) == [("bad_time", "q1 session 1")]


def test_roles(path: Path) -> None:
    found = entries(read(READER, path, [instance([turn(role=r) for r in ("user", "assistant", "system", "Ann")])]))
    assert [(e.role, e.kind, e.speaker) for e in found] == [
        ("user", "utterance", "user"),
        ("assistant", "utterance", "assistant"),
        ("system", "system", "system"),
        ("person", "utterance", "Ann"),
    ]


@pytest.mark.parametrize("broken", [None, 7, "x", [], {}, {"content": "x"}, turn(7), turn(["x"])])
def test_a_broken_turn_costs_itself(path: Path, broken: Any) -> None:
    found = read(READER, path, [instance([turn("a"), broken, turn("c")])])
    assert [(e.text, e.native_id) for e in entries(found)] == [("a", "s1_1"), ("c", "s1_3")]
    assert refusals(found) == [("not_a_turn", "q1 session 1 turn 2")]


@pytest.mark.parametrize("content", ["", None])
def test_an_empty_turn_stays(path: Path, content: Any) -> None:
    assert texts(read(READER, path, [instance([turn(content), {"role": "user"}])])) == ["", ""]


@pytest.mark.parametrize("broken", [None, {}, "x", 7])
def test_a_broken_session_costs_itself(path: Path, broken: Any) -> None:
    found = read(READER, path, [instance([turn("a")], broken, [turn("c")])])
    assert texts(found) == ["a", "c"] and refusals(found) == [("not_a_session", "q1 session 2")]


@pytest.mark.parametrize("broken", [{}, [], {"question_id": "x"}, {"question_id": " ", "haystack_sessions": []}])
def test_a_broken_instance_costs_itself(path: Path, broken: Any) -> None:
    found = read(READER, path, [instance([turn("a")]), broken, instance([turn("c")], name="q3")])
    assert texts(found) == ["a", "c"] and refusals(found) == [("not_an_instance", "instance 2")]


def test_a_truncated_file_gives_what_is_whole(path: Path) -> None:
    data = json.dumps([instance([turn("a")]), instance([turn("b")], name="q2")]).encode()
    found = read(READER, path, data[:-20])
    assert texts(found) == ["a"] and refusals(found) == [("broken_json", "instance 2")]


def test_a_bom(path: Path) -> None:
    assert texts(read(READER, path, codecs.BOM_UTF8 + json.dumps([instance([turn("é")])]).encode())) == ["é"]
    recognised = KnownArchives().recognise(path)
    assert recognised is not None and recognised.name == "longmemeval"


def test_a13_surrogates_pass_to_the_repair(path: Path) -> None:
    assert texts(read(READER, path, [instance([turn("ok \ud83d"), turn("a\x00b")])])) == ["ok \ud83d", "a\x00b"]


def test_memory_does_not_grow_with_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PIECE_BYTES", 64 * 1024)
    words = "all the same words again and again " * 4
    rows = {n: (instance(*[[turn(words)] * 20] * 5, name=f"q{i}") for i in range(n)) for n in (6, 30)}
    assert_memory_is_bounded(READER, path, rows, jsonl=False)
