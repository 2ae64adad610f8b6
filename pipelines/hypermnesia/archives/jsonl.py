"""Our generic archive: JSON lines, one message a line; `contracts/jsonl.md` is its description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypermnesia.archives.files import read_lines
from hypermnesia.ports import Entry, Refusal
from hypermnesia.rules.text import one_line

ROLES = ("person", "user", "assistant", "system", "tool")
KINDS = ("utterance", "tool_call", "tool_result", "document", "system")

_CONVERSATION = re.compile(r'"conversation"\s*:\s*"')
_REMEDY = "write the line as contracts/jsonl.md says"
_TEXTS = ("user", "id", "role", "kind", "time", "timezone", "session", "title", "reply_to", "edited_at", "speaker")


class JsonlReader:
    """Reads JSON lines with `conversation`, `speaker` and `text`."""

    name = "jsonl"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first lines is an object with a `conversation` and a text, or a long one begins so."""
        first, *_ = lines = head.split("\n", 50)
        is_cut_off = len(lines) == 1 and first.lstrip()[:1] == "{" and not first.rstrip().endswith("}")
        return (is_cut_off and bool(_CONVERSATION.search(first))) or any(_is_message(line) for line in lines)

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """A message and its attachments a line; a line that is none is a refusal."""
        number = 0
        for number, line, problem in read_lines(path):
            locator = f"line {number}"
            if line is None:
                reason, remedy = (
                    ("line_too_long", "split it") if problem == "too_long" else ("bad_encoding", "use UTF-8")
                )
                yield Refusal(reason, locator, remedy, problem)
                continue
            try:
                fields = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield Refusal("broken_json", locator, "mend or remove the line", one_line(str(error)))
                continue
            yield from _read_message(locator, fields)
        if not number:
            yield Refusal("empty_file", "the end", "the file holds no line; remove it")


def _is_message(line: str) -> bool:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(fields, dict) and "conversation" in fields and ("text" in fields or "attachments" in fields)


def _read_message(locator: str, fields: Any) -> Iterator[Entry | Refusal]:
    if problem := _problem(fields):
        yield Refusal("not_a_message", locator, _REMEDY, problem)
        return
    role = fields.get("role") or "person"
    said = Entry(
        user=fields.get("user"),
        conversation=fields["conversation"],
        locator=locator,
        text=fields.get("text") or "",
        speaker=fields.get("speaker") or role,
        role=role,
        kind=fields.get("kind") or "utterance",
        native_id=fields.get("id") or None,
        session=fields.get("session"),
        title=fields.get("title"),
        written_at=fields.get("time"),
        local=fields.get("time"),
        timezone=fields.get("timezone"),
        reply_to=fields.get("reply_to"),
        revised_at=fields.get("edited_at"),
        is_deleted=bool(fields.get("deleted")),
    )
    yield said
    for ordinal, attachment in enumerate(fields.get("attachments") or ()):
        yield replace(
            said,
            kind="attachment",
            part=f"attachment/{ordinal:03}",
            text=attachment.get("text") or "",
            attributes=tuple((key, attachment[key]) for key in ("type", "name") if attachment.get(key)),
        )


def _problem(fields: Any) -> str | None:
    """What is wrong with a line's object, None where nothing is."""
    if not isinstance(fields, dict):
        return "the line is not an object"
    if not isinstance(fields.get("conversation"), str) or not fields["conversation"].strip():
        return "`conversation` must be text"
    if not fields.get("speaker") and not fields.get("role"):
        return "`speaker` or `role` is missing"
    if not isinstance(fields.get("text", ""), str | None):
        return "`text` must be text"
    if "text" not in fields and "attachments" not in fields:
        return "`text` or `attachments` is missing"
    for name in _TEXTS:
        if not isinstance(fields.get(name), str | None):
            return f"`{name}` must be text"
    if not isinstance(fields.get("deleted"), bool | None):
        return "`deleted` must be true or false"
    if (fields.get("role") or ROLES[0]) not in ROLES:
        return f"`role` must be one of {', '.join(ROLES)}"
    if (fields.get("kind") or KINDS[0]) not in KINDS:
        return f"`kind` must be one of {', '.join(KINDS)}"
    return _attachments_problem(fields.get("attachments"))


def _attachments_problem(attachments: Any) -> str | None:
    if attachments is None:
        return None
    if not isinstance(attachments, list) or not all(isinstance(a, dict) for a in attachments):
        return "`attachments` must be a list of objects"
    if not all(isinstance(a.get(key), str | None) for a in attachments for key in ("text", "type", "name")):
        return "an attachment's `text`, `type` and `name` must be text"
    return None
