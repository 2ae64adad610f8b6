"""Our generic form of task sessions: a row a session; `contracts/task_sessions.md` is its description.

A session is a conversation: the task is said by the user, actions are tool calls, observations their results,
thoughts are said by the assistant. Labels stay attributes of the task's message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypermnesia.archives.json_items import read_each
from hypermnesia.archives.json_rows import first_items, holds, name_by_content, read_rows, text_of, time_or_refusal
from hypermnesia.ports import Entry, Refusal

#: Fields that judge a run: kept as attributes, never as words of the session.
LABELS = ("score", "reward", "label", "is_success", "success")
OUTCOMES = ("success", "failure")

_THOUGHT = re.compile(r"\s*think\s*(?::\s*(.*)|\[(.*?)\]?)\s*", re.IGNORECASE | re.DOTALL)
_REMEDY = "write the session as contracts/task_sessions.md says; the others are kept"


class TaskSessionsReader:
    """Reads rows with `task` and `steps` of `action` and `observation`."""

    name = "task_sessions"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first rows has a `task` and steps with an `action`."""
        return any("task" in fields and holds(fields.get("steps"), "action") for fields in first_items(head))

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages of the sessions, row by row; a broken step costs itself."""
        yield from read_each(read_rows(path, "session"), read_session)


def read_session(locator: str, row: Any) -> Iterator[Entry | Refusal]:
    """The messages of one row."""
    fields = row if isinstance(row, dict) else {}
    task, steps = text_of(fields.get("task")), fields.get("steps")
    if task is None or not isinstance(steps, list):
        yield Refusal("not_a_session", locator, _REMEDY, "a session needs `task` and a list `steps`")
        return
    written, local, problem = time_or_refusal(fields.get("time"), locator)
    if problem:
        yield problem
    talk = Entry(
        user=text_of(fields.get("user")),
        conversation=text_of(fields.get("id")) or name_by_content([task, steps]),
        locator=locator,
        text=task,
        speaker="user",
        role="user",
        title=text_of(fields.get("title")),
        written_at=written,
        local=local,
        attributes=tuple((name, str(fields[name])) for name in LABELS if fields.get(name) is not None),
    )
    environment = replace(talk, speaker="environment", role="tool", kind="tool_result", attributes=())
    if opening := text_of(fields.get("opening")):
        yield replace(environment, text=opening, native_id="opening")
    yield replace(talk, native_id="task")
    agent = replace(talk, speaker=text_of(fields.get("agent")) or "agent", role="assistant", attributes=())
    for number, step in enumerate(steps, start=1):
        yield from _read_step(agent, environment, step, number)
    yield from _read_outcome(environment, fields.get("outcome"), locator)


def _read_step(agent: Entry, environment: Entry, step: Any, number: int) -> Iterator[Entry | Refusal]:
    locator = f"{agent.locator} step {number}"
    fields = step if isinstance(step, dict) else {}
    action, observation = fields.get("action"), fields.get("observation")
    if not isinstance(action, str) or not action.strip() or not isinstance(observation, str | None):
        yield Refusal("not_a_step", locator, _REMEDY, "a step needs `action`, and `observation` is text")
        return
    said = replace(agent, locator=locator, native_id=f"step {number} thought")
    if thought := text_of(fields.get("thought")):
        yield replace(said, text=thought)
    if found := _THOUGHT.fullmatch(action):
        yield replace(said, text=(found.group(1) or found.group(2) or "").strip(), native_id=f"step {number}")
        return
    call = f"step {number}"
    yield replace(said, text=action, kind="tool_call", native_id=call)
    if observation is not None:
        answer = replace(environment, locator=locator, text=observation, reply_to=call)
        yield replace(answer, native_id=f"{call} observation")


def _read_outcome(environment: Entry, outcome: Any, locator: str) -> Iterator[Entry | Refusal]:
    """What the environment or an operator said in the end: a message, so that it can be quoted."""
    if outcome is None:
        return
    if outcome not in OUTCOMES:
        yield Refusal("bad_outcome", locator, f"`outcome` is one of {', '.join(OUTCOMES)}; the session is kept")
        return
    yield replace(environment, text=f"outcome: {outcome}", native_id="outcome")
