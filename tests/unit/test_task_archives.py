"""Readers of task sessions: the generic form, WebShop and ReAct logs; labels stay attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from archive_reading import entries, refusals
from json_archives import assert_memory_is_bounded, lines, read
from skill_making import TASKS, read_sessions

from hypermnesia.archives.react_logs import ReactLogsReader
from hypermnesia.archives.task_sessions import TaskSessionsReader
from hypermnesia.archives.webshop_logs import WebshopLogsReader
from hypermnesia.ports import ArchiveReader

GENERIC, SHOP, REACT = TaskSessionsReader(), WebshopLogsReader(), ReactLogsReader()
STEP = {"action": "look", "observation": "You see a cup 1."}
RESET = {"action": "reset", "observation": "Webshop \nInstruction:  \ni need a chair \n[Search]"}
WORLD = "You are in a room.\nYour task is to: put some cup on box.\n> think: go\nOK.\n> go to box 1\nYou see nothing.\n"
ASKED = "Question: who?\nThought 1: search.\nAction 1: Search[who]\nObservation 1: him\nAction 2: Finish[him]\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.jsonl"


def row(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"id": "r1", "task": "put a cup in box", "steps": list(steps), **more}


def said(reader: ArchiveReader, path: Path, content: Any) -> list[tuple[str, str, str]]:
    return [(e.role, e.kind, e.text) for e in entries(read(reader, path, content))]


def test_a_session_is_a_conversation(path: Path) -> None:
    one = row(
        {**STEP, "thought": "hm"}, {"action": "think: go", "observation": "OK."}, opening="A room.", outcome="success"
    )
    assert said(GENERIC, path, lines(one)) == [
        ("tool", "tool_result", "A room."),
        ("user", "utterance", "put a cup in box"),
        ("assistant", "utterance", "hm"),
        ("assistant", "tool_call", "look"),
        ("tool", "tool_result", "You see a cup 1."),
        ("assistant", "utterance", "go"),
        ("tool", "tool_result", "outcome: success"),
    ]


def test_labels_are_attributes_and_no_words(path: Path) -> None:
    found = entries(read(GENERIC, path, lines(row(STEP, score=0.5, reward=1, user="u1", agent="bot"))))
    assert [e.attributes for e in found] == [(("score", "0.5"), ("reward", "1")), (), ()]
    assert {e.user for e in found} == {"u1"} and found[1].speaker == "bot"
    assert not any(word in e.text for e in found for word in ("score", "0.5", "reward"))


@pytest.mark.parametrize("broken", [None, 7, {}, {"action": ""}, {"action": 3}, {"action": "look", "observation": 3}])
def test_a_broken_step_costs_itself(path: Path, broken: Any) -> None:
    found = read(GENERIC, path, lines(row(STEP, broken, STEP)))
    assert len(entries(found)) == 5 and refusals(found) == [("not_a_step", "line 1 step 2")]


@pytest.mark.parametrize("broken", [{}, [], {"task": "x"}, {"task": "", "steps": []}, {"task": "x", "steps": 3}])
def test_a_broken_session_costs_itself(path: Path, broken: Any) -> None:
    found = read(GENERIC, path, lines(row(STEP), broken, row(STEP, id="r2")))
    assert len(entries(found)) == 6 and refusals(found) == [("not_a_session", "line 2")]


def test_an_outcome_is_one_of_two_words(path: Path) -> None:
    found = read(GENERIC, path, lines(row(STEP, outcome="maybe")))
    assert len(entries(found)) == 3 and refusals(found) == [("bad_outcome", "line 1")]


def test_webshop_runs_begin_with_the_page_and_hide_the_score(path: Path) -> None:
    run = {"id": "w1", "task": "i need a chair", "score": 1.0}
    steps = [RESET, {"action": "think[hm]", "observation": "OK."}, {"action": "click[Buy Now]", "observation": ""}]
    found = said(SHOP, path, lines({**run, "steps": steps}))
    assert [text for *_, text in found] == [RESET["observation"], "i need a chair", "hm", "click[Buy Now]", ""]


def test_a_thought_that_was_cut_is_a_thought(path: Path) -> None:
    cut = {"action": "think[the 24 pieces", "observation": "OK."}
    assert said(GENERIC, path, lines(row(cut, STEP)))[1] == ("assistant", "utterance", "the 24 pieces")


def test_an_answer_of_several_lines_is_one_answer(path: Path) -> None:
    found = said(REACT, path, {"world": WORLD + "> look\nYou are in a room.\n\nYou see a box 1.\n"})
    assert found[-1] == ("tool", "tool_result", "You are in a room.\n\nYou see a box 1.")


def test_react_texts_of_a_world_and_of_questions(path: Path) -> None:
    found = said(REACT, path, {"world": WORLD, "asked": ASKED, "prompt": "Answer: yes"})
    assert found == [
        ("tool", "tool_result", "You are in a room."),
        ("user", "utterance", "Your task is to: put some cup on box."),
        ("assistant", "utterance", "go"),
        ("assistant", "tool_call", "go to box 1"),
        ("tool", "tool_result", "You see nothing."),
        ("user", "utterance", "Question: who?"),
        ("assistant", "utterance", "search."),
        ("assistant", "tool_call", "Search[who]"),
        ("tool", "tool_result", "him"),
        ("assistant", "tool_call", "Finish[him]"),
    ]
    assert refusals(read(REACT, path, {"prompt": "Answer: yes"})) == [("not_a_session", "prompt")]
    assert refusals(read(REACT, path, b"{broken")) == [("broken_json", "document")]
    assert refusals(read(REACT, path, [1])) == [("not_a_session", "document")]
    assert refusals(read(REACT, path, {})) == [("not_a_session", "document")]


@pytest.mark.parametrize(
    ("content", "reader"),
    [
        (lines(row(STEP)), GENERIC),
        (lines({"id": "w", "task": "t", "steps": [RESET]}), SHOP),
        ({"world": WORLD}, REACT),
        ({"asked": ASKED}, REACT),
        ({"world": WORLD + "x" * 400_000}, REACT),
        ({"prompt": "Answer: yes"}, None),
        (lines({"conversation": "c", "text": "hi"}), None),
    ],
)
def test_a_format_is_recognised_by_its_content(path: Path, content: Any, reader: ArchiveReader | None) -> None:
    read(GENERIC, path, content)  # writes it
    head = path.read_text()[: 256 * 1024]
    assert next((one for one in (SHOP, REACT, GENERIC) if one.recognises(path, head)), None) is reader


def test_memory_does_not_grow_with_the_file(path: Path) -> None:
    steps = [{"action": f"look {n}", "observation": "all the same words " * 5} for n in range(100)]
    rows = {n: (row(*steps, id=f"r{i}") for i in range(n)) for n in (6, 30)}
    assert_memory_is_bounded(GENERIC, path, rows, jsonl=True)


@pytest.mark.skipif(not TASKS.exists(), reason="../shared/data/tasks is not present")
def test_real_logs() -> None:
    assert len(read_sessions(SHOP, TASKS / "webshop-runs/runs.jsonl")) == 250
    assert len(read_sessions(REACT, TASKS / "react/alfworld.json")) == 24
    assert len(read_sessions(REACT, TASKS / "react/prompts_naive.json")) > 10
