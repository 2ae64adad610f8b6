"""Task sessions: a task and what an agent did about it, step by step, each word with its message.

A session holds no label: score and reward stay attributes of messages, for which there is no field here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby

#: Makes an id of a kind and parts, as `rules.identity.Identity.make` does.
Make = Callable[..., str]

_TASK_LINE = re.compile(
    r"^\s*(?:your task is to|instruction|task|question|claim)\s*:\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE
)
_ASKING = ("user", "person")


@dataclass(frozen=True, slots=True)
class Message:
    """One message as sessions need it: a row of `messages`, without its attributes. `at` is ISO or ""."""

    message_id: str
    conversation_id: str
    kind: str
    role: str
    text: str
    content_hash: str = ""
    native_id: str | None = None
    reply_to: str | None = None
    at: str = ""
    agent: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A quote: `text` is the message's text from `start` to `end` (characters)."""

    message_id: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """An action, and what the environment answered; None where it did not."""

    action: Span
    observation: Span | None = None

    @property
    def answer(self) -> str:
        """The answer's text, "" where there is none."""
        return self.observation.text if self.observation else ""


@dataclass(frozen=True, slots=True)
class TaskSession:
    """A task, its steps, and the messages that quotes are resolved in. `task` is the request's own words."""

    session_id: str
    agent: str
    source: str
    task: str
    steps: tuple[Step, ...]
    messages: tuple[Message, ...]
    at: str = ""

    @property
    def opening(self) -> str:
        """What the environment said before the first action: two tasks of the same words differ by it."""
        first = self.steps[0].action.message_id if self.steps else None
        said = []
        for message in self.messages:
            if message.message_id == first:
                break
            if message.role == "tool":
                said.append(message.text)
        return "\n".join(said)


def whole(message: Message) -> Span:
    """The span of a whole message."""
    return Span(message.message_id, 0, len(message.text), message.text)


def resolve(session: TaskSession, quote: Span) -> str | None:
    """The quoted words, or None where this session's message does not have them at that place."""
    for message in session.messages:
        if message.message_id == quote.message_id:
            found = message.text[quote.start : quote.end] if 0 <= quote.start < quote.end else ""
            return found if found and found == quote.text else None
    return None


def find_sessions(messages: Iterable[Message], make: Make) -> list[TaskSession]:
    """The task sessions among messages, which stand in the order of their conversations.

    A conversation is a session where it has a request and, behind it, tool calls. The id is of the
    conversation and the request, so that a longer export of it is the same session.
    """
    ordered = sorted(messages, key=lambda message: message.conversation_id)
    found = (
        _session(list(of_one), make) for _, of_one in groupby(ordered, key=lambda message: message.conversation_id)
    )
    return [session for session in found if session is not None]


def _session(messages: list[Message], make: Make) -> TaskSession | None:
    request = next((m for m in messages if m.role in _ASKING and m.kind == "utterance" and m.text.strip()), None)
    steps = _steps(messages)
    if request is None or not steps:
        return None
    return TaskSession(
        session_id=make("session", request.conversation_id, request.message_id),
        agent=next((m.agent for m in messages if m.agent), ""),
        source=request.source,
        task=task_of(request.text),
        steps=steps,
        messages=tuple(messages),
        at=max(m.at for m in messages),
    )


def task_of(text: str) -> str:
    """The task in a request's words: behind "Your task is to:", "Instruction:" and the like, else all of it."""
    found = _TASK_LINE.search(text)
    return found.group(1) if found else text.strip()


def _steps(messages: list[Message]) -> tuple[Step, ...]:
    """Each tool call with its result: the one that names it, else the next one that names none."""
    calls = [message for message in messages if message.kind == "tool_call"]
    by_name = {call.native_id: call.message_id for call in calls if call.native_id}
    answers: dict[str, Message] = {}
    waiting: list[str] = []
    for message in messages:
        if message.kind == "tool_call":
            waiting.append(message.message_id)
        elif message.kind == "tool_result" and waiting:
            named = by_name.get(message.reply_to) if message.reply_to else None
            call = named if named in waiting else waiting[0]
            waiting.remove(call)
            answers[call] = message
    return tuple(
        Step(whole(call), whole(answers[call.message_id]) if call.message_id in answers else None) for call in calls
    )
