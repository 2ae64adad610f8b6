"""Trajectories as ReAct (Yao et al. 2023) prints them: a JSON object of named texts.

Two ways of printing: "> action" and the answer below it, behind "Your task is to: ..." (text worlds); and
"Action 1: ...", "Observation 1: ..." behind "Question: ..." or "Claim: ...", several in one text. Texts without
actions are no sessions and are refused one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hypermnesia.archives.files import read_pieces
from hypermnesia.archives.json_rows import Rest, first_items
from hypermnesia.ports import Entry, Refusal
from hypermnesia.rules.text import one_line

_WORLD_TASK = re.compile(r"^Your task is to: .+$", re.MULTILINE)
_ASKED = re.compile(r"^(?:Question|Claim): ", re.MULTILINE)
_LINE = re.compile(r"^(Thought|Action|Observation)(?: \d+)?: ?", re.MULTILINE)
_ACTION_LINE = re.compile(r"^(?:> |Action(?: \d+)?: )", re.MULTILINE)
_THINK = re.compile(r"think: ?")


class ReactLogsReader:
    """Reads a JSON object whose values are trajectories as text."""

    name = "react_logs"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether the file is one object in which a text has a task and actions."""
        first = next(first_items(head), {}) if head.lstrip().startswith("{") else {}
        return any(_is_trajectory(_plain(value)) for value in first.values() if isinstance(value, str))

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages of the trajectories, text by text. The whole file is held: prompts are small."""
        try:
            named = json.loads("".join(read_pieces(path)))
        except (ValueError, RecursionError) as error:
            yield Refusal("broken_json", "document", "mend the file: one object of texts", one_line(str(error)))
            return
        if not isinstance(named, dict) or not named:
            yield Refusal("not_a_session", "document", "write one object of texts by name")
            return
        for name, text in named.items():
            if not isinstance(text, str) or not _is_trajectory(text):
                yield Refusal("not_a_session", name, "a trajectory has a task and actions; the other texts are kept")
            elif found := _WORLD_TASK.search(text):
                yield from _read_world(name, text, found)
            else:
                yield from _read_asked(name, text)


def _plain(text: str) -> str:
    """A text whose end the head cuts off is still JSON; its line breaks are written as two characters."""
    return text.replace("\\n", "\n") if isinstance(text, Rest) else text


def _is_trajectory(text: str) -> bool:
    has_task = _WORLD_TASK.search(text) or _ASKED.search(text)
    return bool(has_task and _ACTION_LINE.search(text))


def _entry(conversation: str, n: int, text: str, role: str, kind: str = "utterance") -> Entry:
    speaker = {"tool": "environment", "assistant": "agent"}.get(role, role)
    return Entry(
        user=None,
        conversation=conversation,
        locator=f"{conversation} line {n}",
        text=text,
        speaker=speaker,
        role=role,
        kind=kind,
        native_id=f"line {n}",
    )


def _read_world(name: str, text: str, task: re.Match[str]) -> Iterator[Entry]:
    """The opening, the task, and then an action or thought a line that begins with "> "."""
    if opening := text[: task.start()].strip():
        yield _entry(name, 0, opening, "tool", "tool_result")
    yield _entry(name, 1, task.group(), "user")
    lines = text[task.end() :].strip("\n").split("\n")
    starts = [n for n, line in enumerate(lines) if line.startswith("> ")]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        said, answer = lines[start][2:].strip(), "\n".join(lines[start + 1 : stop]).strip()
        if thought := _THINK.match(said):
            yield _entry(name, start + 2, said[thought.end() :], "assistant")
            continue
        yield _entry(name, start + 2, said, "assistant", "tool_call")
        if answer:
            yield replace(_entry(name, start + 3, answer, "tool", "tool_result"), reply_to=f"line {start + 2}")


def _read_asked(name: str, text: str) -> Iterator[Entry]:
    """One conversation a question: thoughts, actions and observations by their numbers."""
    starts = [found.start() for found in _ASKED.finditer(text)]
    for ordinal, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True), start=1):
        part = text[start:end]
        marks = list(_LINE.finditer(part))
        conversation = f"{name} {ordinal}"
        yield _entry(conversation, 1, part[: marks[0].start() if marks else len(part)].strip(), "user")
        call: str | None = None
        for n, mark in enumerate(marks, start=2):
            stop = marks[n - 1].start() if n - 1 < len(marks) else len(part)
            said = part[mark.end() : stop].strip()
            if mark.group(1) == "Observation":
                yield replace(_entry(conversation, n, said, "tool", "tool_result"), reply_to=call)
            else:
                is_action = mark.group(1) == "Action"
                yield _entry(conversation, n, said, "assistant", "tool_call" if is_action else "utterance")
                call = f"line {n}" if is_action else call
