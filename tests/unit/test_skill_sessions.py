"""Task sessions: what is one, which answer belongs to which action, and where a quote is resolved."""

from __future__ import annotations

from dataclasses import replace

import pytest
from skill_making import make, session

from hypermnesia.rules.skills.sessions import Message, Span, TaskSession, find_sessions, resolve, task_of


def message(n: int, role: str, kind: str, text: str, **more: str) -> Message:
    return Message(f"m{n}", "c", kind, role, text, **more)


def test_a_conversation_with_a_request_and_tool_calls_is_a_session() -> None:
    found = session("c", "Your task is to: put a cup in box.", [("go to box 1", "You see nothing."), ("look", None)])
    assert found.task == "put a cup in box."
    assert [(step.action.text, step.answer) for step in found.steps] == [
        ("go to box 1", "You see nothing."),
        ("look", ""),
    ]
    assert found.opening == "You are in a room."


@pytest.mark.parametrize(
    "messages",
    [
        [message(0, "user", "utterance", "hi"), message(1, "assistant", "utterance", "hello")],
        [message(0, "assistant", "tool_call", "look"), message(1, "tool", "tool_result", "nothing")],
        [],
    ],
)
def test_talk_alone_and_calls_without_a_request_are_none(messages: list[Message]) -> None:
    assert find_sessions(messages, make) == []


def test_results_go_to_the_call_that_they_name_else_to_the_next_one() -> None:
    said = [
        message(0, "user", "utterance", "do it"),
        message(1, "assistant", "tool_call", "a({})", native_id="call_a"),
        message(2, "assistant", "tool_call", "b({})", native_id="call_b"),
        message(3, "tool", "tool_result", "of b", reply_to="call_b"),
        message(4, "tool", "tool_result", "of a"),
    ]
    (found,) = find_sessions(said, make)
    assert [step.answer for step in found.steps] == ["of a", "of b"]


def test_ids_are_of_conversation_and_request_so_a_longer_export_is_the_same_session() -> None:
    said = [message(0, "user", "utterance", "do it"), message(1, "assistant", "tool_call", "look")]
    (short,) = find_sessions(said, make)
    (long,) = find_sessions([*said, message(2, "tool", "tool_result", "nothing")], make)
    assert short.session_id == long.session_id


def test_a_quote_is_resolved_by_message_and_place_alone() -> None:
    found = session("c", "put a cup in box", [("look", "You see a cup 1. You see a cup 1.")])
    true = found.steps[0].observation
    assert true is not None and resolve(found, true) == true.text
    inner = Span(true.message_id, 4, 7, "see")
    assert resolve(found, inner) == "see"
    for wrong in (
        replace(inner, text="saw"),
        replace(inner, start=5, end=8),
        replace(inner, message_id="c-0"),
        replace(inner, message_id="other"),
        Span(true.message_id, 3, 3, ""),
        Span(true.message_id, -3, 3, "You"),
    ):
        assert resolve(found, wrong) is None


def test_a_session_has_no_place_for_a_label() -> None:
    found = session("c", "put a cup in box", [("look", "nothing")])
    assert not {"score", "reward", "label", "attributes"} & set(TaskSession.__slots__)
    assert "attributes" not in Message.__slots__
    with pytest.raises((AttributeError, TypeError)):
        found.score = 1.0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Your task is to: put a cup in box.", "put a cup in box."),
        ("Webshop \nInstruction:  \ni need a chair \n[Search]", "i need a chair"),
        ("Question: who was it?", "who was it?"),
        (" just do it ", "just do it"),
    ],
)
def test_the_task_in_a_request(text: str, task: str) -> None:
    assert task_of(text) == task
