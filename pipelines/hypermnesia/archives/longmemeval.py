"""LongMemEval: an array of questions, each with the sessions of a user and an assistant behind it.

The owner is the `question_id`. Labels (question, answer, type, `has_answer`, `answer_session_ids`) are never
read; the data set also marks evidence by beginning a session's id with `answer_`, so that is taken off.
A session is a conversation; its turns are named as the data set's authors do, id and number.
Source: Wu et al. 2025, arXiv 2410.10813.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from hypermnesia.archives.json_items import read_each
from hypermnesia.archives.json_rows import first_items, read_rows, text_of
from hypermnesia.ports import Entry, Refusal

_LABEL = "answer_"
_DATE = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})\s*(?:\(\w+\))?\s*(\d{1,2}):(\d{2})")
_KINDS = {"user": "utterance", "assistant": "utterance", "system": "system", "tool": "tool_result"}


class LongmemevalReader:
    """Reads LongMemEval files as they are published."""

    name = "longmemeval"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first instances has haystack sessions (or is cut off before them)."""
        marks = ("haystack_sessions", "haystack_dates", "haystack_session_ids")
        return any("question_id" in fields and any(m in fields for m in marks) for fields in first_items(head))

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Turns by question and session; a broken instance, session or turn is a refusal."""
        yield from read_each(read_rows(path, "instance"), _read_instance)


def _read_instance(locator: str, instance: Any) -> Iterator[Entry | Refusal]:
    fields = instance if isinstance(instance, dict) else {}
    user, sessions = text_of(fields.get("question_id")), fields.get("haystack_sessions")
    if user is None or not isinstance(sessions, list):
        yield Refusal("not_an_instance", locator, "an instance needs `question_id` and a list `haystack_sessions`")
        return
    ids, dates = fields.get("haystack_session_ids"), fields.get("haystack_dates")
    seen: Counter[str] = Counter()
    for number, session in enumerate(sessions):
        where = f"{user} session {number + 1}"
        given = text_of(_at(ids, number)) or f"session-{number + 1}"
        name = given.removeprefix(_LABEL) or given
        seen[name] += 1
        name = name if seen[name] == 1 else f"{name}#{seen[name]}"
        yield from _read_session(where, user, name, session, _at(dates, number))


def _at(values: Any, index: int) -> Any:
    return values[index] if isinstance(values, list) and index < len(values) else None


def _read_session(where: str, user: str, name: str, session: Any, written: Any) -> Iterator[Entry | Refusal]:
    if not isinstance(session, list):
        yield Refusal("not_a_session", where, "a session must be a list of turns")
        return
    local = _parse_time(written)
    if written is not None and local is None:
        yield Refusal("bad_time", where, "write it as `2023/05/20 (Sat) 02:21`; the turns are kept without a time")
    for number, turn in enumerate(session, start=1):
        locator = f"{where} turn {number}"
        fields = turn if isinstance(turn, dict) else {}
        role, text = text_of(fields.get("role")), fields.get("content")
        if role is None or not isinstance(text, str | None):
            yield Refusal("not_a_turn", locator, "a turn needs a `role` and text in `content`")
            continue
        yield Entry(
            user=user,
            conversation=name,
            locator=locator,
            text=text or "",
            speaker=role,
            role=role if role in _KINDS else "person",
            kind=_KINDS.get(role, "utterance"),
            native_id=f"{name}_{number}",
            session=name,
            written_at=written if isinstance(written, str) else None,
            local=local,
        )


def _parse_time(written: Any) -> str | None:
    """ "2023/05/20 (Sat) 02:21" as a civil ISO time, else None."""
    found = _DATE.fullmatch(written.strip()) if isinstance(written, str) else None
    try:
        return datetime(*map(int, found.groups())).isoformat() if found else None  # type: ignore[arg-type]
    except ValueError:
        return None
