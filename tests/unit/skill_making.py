"""What the tests of skills share: ids, sessions from steps, and a pass over them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hypermnesia.ports import ArchiveReader, Entry
from hypermnesia.rules.skills.curation import Curation, curate
from hypermnesia.rules.skills.distilling import Distilled, distill
from hypermnesia.rules.skills.sessions import Message, TaskSession, find_sessions

TASKS = Path(__file__).parents[3] / "shared/data/tasks"


def make(*parts: Any) -> str:
    text = "|".join(f"{len(str(part))}:{part}" for part in parts)
    return f"{parts[0][:3]}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def session(
    name: str,
    task: str,
    steps: Sequence[tuple[str, str | None]],
    *,
    opening: str = "You are in a room.",
    before: Sequence[tuple[str, str]] = (),
    after: Sequence[tuple[str, str]] = (),
    at: str = "",
) -> TaskSession:
    """A session: (action, answer) a step; `before` and `after` are (role, text) said around the steps."""
    said: list[tuple[str, str, str]] = [("tool", "tool_result", opening)] if opening else []
    said.append(("user", "utterance", task))
    said += [(role, "utterance", text) for role, text in before]
    for action, answer in steps:
        said.append(("assistant", "tool_call", action))
        if answer is not None:
            said.append(("tool", "tool_result", answer))
    said += [(role, "utterance", text) for role, text in after]
    messages = [Message(f"{name}-{n}", name, kind, role, text, at=at) for n, (role, kind, text) in enumerate(said)]
    (found,) = find_sessions(messages, make)
    return found


def fetch(
    name: str, thing: str, place: str, *, source: str = "shelf 1", word: str = "put", at: str = ""
) -> TaskSession:
    """A run that puts a thing into a place; with another word than "put" the first try fails."""
    put = f"{word} {thing} 1 in {place} 1" if word == "put" else f"{word} {thing} 1 to {place} 1"
    failed = [] if word == "put" else [(f"put {thing} 1 in {place} 1", "Nothing happens.")]
    steps = [
        (f"go to {source}", f"On the {source}, you see a {thing} 1."),
        (f"take {thing} 1 from {source}", f"You pick up the {thing} 1."),
        (f"go to {place} 1", f"On the {place} 1, you see nothing."),
        *failed,
        (put, f"You put the {thing} 1 there."),
    ]
    return session(
        name, f"Your task is to: put a {thing} in {place}.", steps, opening=f"You see {source}. {name}", at=at
    )


def learn(sessions: Iterable[TaskSession]) -> tuple[Distilled, Curation]:
    """One pass over sessions, without anything before."""
    distilled = distill(sessions, make)
    return distilled, curate(distilled.experiences, [], [], distilled.tallies, make, "agent")


def read_sessions(reader: ArchiveReader, path: Path) -> list[TaskSession]:
    """The task sessions of an archive, without the attributes of its messages."""
    entries = [entry for entry in reader.read(path) if isinstance(entry, Entry)]
    messages = [
        Message(
            make("message", e.conversation, e.native_id or str(n), e.text),
            e.conversation,
            e.kind,
            e.role,
            e.text,
            native_id=e.native_id,
            reply_to=e.reply_to,
        )
        for n, e in enumerate(entries)
    ]
    return find_sessions(messages, make)
