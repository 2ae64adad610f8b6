"""Chats as OpenAI's interface has them: a row with `messages` a conversation, as JSON lines or an array.

A tool call is a message of its own, named by its id, and its result answers it. Where a conversation has
no id its content names it. Owner: the row's `user`, as a request has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypermnesia.archives.json_items import read_each
from hypermnesia.archives.json_rows import (
    as_json,
    first_items,
    holds,
    name_by_content,
    read_rows,
    text_of,
    time_or_refusal,
)
from hypermnesia.ports import Entry, Refusal

#: (role, kind) of each role; another one is a person of that name.
_ROLES = {
    "user": ("user", "utterance"),
    "assistant": ("assistant", "utterance"),
    "system": ("system", "system"),
    "developer": ("system", "system"),
    "tool": ("tool", "tool_result"),
    "function": ("tool", "tool_result"),
}
_TIMES = ("created", "created_at", "timestamp")
_TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_FILES = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "file": "file",
    "input_file": "file",
    "video_url": "video",
}


class OpenaiMessagesReader:
    """Reads rows with `messages` of a role and a content."""

    name = "openai_messages"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first rows has `messages` with a `role`."""
        return any(holds(fields.get("messages"), "role") for fields in first_items(head))

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages, tool calls and attachments, row by row."""
        yield from read_each(read_rows(path, "row"), _read_row)


def _read_row(locator: str, row: Any) -> Iterator[Entry | Refusal]:
    messages = row.get("messages") if isinstance(row, dict) else None
    if not isinstance(messages, list):
        yield Refusal("not_a_conversation", locator, "a row needs a list `messages`")
        return
    metadata = row["metadata"] if isinstance(row.get("metadata"), dict) else {}
    names = (row.get("id"), row.get("conversation_id"), metadata.get("conversation_id"), metadata.get("id"))
    written, local, problem = time_or_refusal(_first(row, _TIMES), locator)
    if problem:
        yield problem
    talk = Entry(
        user=text_of(row.get("user")),
        conversation=next(filter(None, map(text_of, names)), None) or name_by_content(messages),
        locator=locator,
        text="",
        speaker="",
        role="",
        title=text_of(metadata.get("title")) or text_of(row.get("title")),
        written_at=written,
        local=local,
    )
    ids = Counter(_ids(messages))
    for ordinal, message in enumerate(messages, start=1):
        where = replace(talk, locator=f"{locator} message {ordinal}")
        for entry in _read_message(where, message):
            if isinstance(entry, Entry) and ids[entry.native_id or ""] > 1:
                entry = replace(entry, native_id=None)  # an id given twice names nothing
            yield entry


def _ids(messages: list[Any]) -> Iterator[str]:
    """The ids of messages and of tool calls, as often as they are given."""
    for message in messages:
        if isinstance(message, dict):
            yield from filter(None, [text_of(message.get("id")), *(text_of(c.get("id")) for c in _calls(message))])


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((fields[key] for key in keys if fields.get(key) is not None), None)


def _read_message(talk: Entry, message: Any) -> Iterator[Entry | Refusal]:
    fields = message if isinstance(message, dict) else {}
    given = text_of(fields.get("role"))
    if given is None:
        yield Refusal("not_a_message", talk.locator, "a message needs a `role`; its conversation is kept")
        return
    role, kind = _ROLES.get(given, ("person", "utterance"))
    written, local, problem = time_or_refusal(_first(fields, _TIMES), talk.locator)
    if problem:
        yield problem
    said = replace(
        talk,
        role=role,
        kind=kind,
        speaker=text_of(fields.get("name")) or given,
        native_id=text_of(fields.get("id")),
        written_at=written if local else talk.written_at,
        local=local or talk.local,
        reply_to=text_of(fields.get("tool_call_id")),
    )
    content, calls = fields.get("content"), _calls(fields)
    if content or not calls or fields.get("refusal"):
        yield from _read_content(said, content if content is not None else fields.get("refusal"))
    for call in calls:
        yield _read_call(said, call)


def _calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    legacy = message.get("function_call")
    return [*found, {"function": legacy}] if isinstance(legacy, dict) else found


def _read_call(said: Entry, call: Mapping[str, Any]) -> Entry:
    function = call.get("function") if isinstance(call.get("function"), dict) else call.get("custom")
    fields = function if isinstance(function, dict) else call
    name = text_of(fields.get("name")) or "tool"
    given = fields.get("arguments") if fields.get("arguments") is not None else fields.get("input")
    arguments = "" if given is None else as_json(given)
    return replace(
        said,
        kind="tool_call",
        text=f"{name}({arguments})",
        native_id=text_of(call.get("id")),
        attributes=(("tool", name),),
    )


def _read_content(said: Entry, content: Any) -> Iterator[Entry | Refusal]:
    if content is None or isinstance(content, str):
        yield replace(said, text=content or "")
        return
    parts = content if isinstance(content, list) else [content]
    texts: list[str] = []
    files: list[tuple[str, str | None]] = []
    problems: list[str] = []
    for part in parts:
        fields = {"type": "text", "text": part} if isinstance(part, str) else part if isinstance(part, dict) else {}
        kind = text_of(fields.get("type")) or ("text" if "text" in fields else type(part).__name__)
        if kind in _TEXTS and isinstance(text := fields.get(_TEXTS[kind]), str):
            texts.append(text)
        elif kind in _FILES:
            files.append((_FILES[kind], _file_name(fields, kind)))
        else:
            problems.append(kind)
    yield replace(said, text="\n".join(texts))
    for ordinal, (kind, name) in enumerate(files):
        attributes = (("type", kind), *((("name", name),) if name else ()))
        yield replace(said, kind="attachment", part=f"attachment/{ordinal:03}", text="", attributes=attributes)
    for kind in problems:
        yield Refusal("unknown_part", said.locator, "not known yet, the rest of the message is kept: report it", kind)


def _file_name(fields: Mapping[str, Any], kind: str) -> str | None:
    """A file's name or address; never its bytes."""
    inner = fields.get(kind)
    where = inner if isinstance(inner, dict) else {"url": inner, **fields}
    name = next(
        (text for key in ("filename", "url", "file_id", "image_url") if (text := text_of(where.get(key)))), None
    )
    return None if name is None or name.startswith("data:") else name
