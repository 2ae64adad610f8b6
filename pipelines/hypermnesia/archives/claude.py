"""Claude.ai's export: `conversations.json`, or the zip that holds it.

A message holds blocks: runs of text, tool calls and results, thoughts. Each is a message of its own, so
that what a tool said is never taken for what a person said; the first text has the message's own id. An
account is the owner where a conversation names one. Messages with parents are a tree: see `branches`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from hypermnesia.archives.branches import lay_out
from hypermnesia.archives.claude_blocks import read_blocks
from hypermnesia.archives.json_exports import JsonExportReader
from hypermnesia.archives.json_rows import first_items, name_by_content, text_of, time_or_refusal
from hypermnesia.ports import Entry, Refusal
from hypermnesia.rules.text import repair

_ROLES = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}


class ClaudeReader(JsonExportReader):
    """Reads Claude.ai exports: conversations with `chat_messages`; every message with its blocks and attachments."""

    name = "claude"

    @staticmethod
    def is_theirs(head: str) -> bool:
        """As `JsonExportReader` says."""
        return any("chat_messages" in fields for fields in first_items(head))

    @staticmethod
    def read_conversation(locator: str, conversation: Any) -> Iterator[Entry | Refusal]:
        """As `JsonExportReader` says."""
        return _read_conversation(locator, conversation)


def _read_conversation(locator: str, conversation: Any) -> Iterator[Entry | Refusal]:
    messages = conversation.get("chat_messages") if isinstance(conversation, dict) else None
    if not isinstance(messages, list):
        yield Refusal("not_a_conversation", locator, "a conversation needs a list `chat_messages`")
        return
    account, title = conversation.get("account"), conversation.get("name")
    talk = Entry(
        user=text_of(account.get("uuid")) if isinstance(account, dict) else None,
        conversation=text_of(conversation.get("uuid")) or name_by_content(messages),
        locator=locator,
        text="",
        speaker="",
        role="",
        title=title if isinstance(title, str) and title else None,
    )
    current = conversation.get("current_leaf_message_uuid")
    yield from _read_messages(talk, messages, conversation.get("created_at"), current)


def _read_messages(talk: Entry, messages: list[Any], begun: Any, current: Any) -> Iterator[Entry | Refusal]:
    """A message without a time has that of the one before it; where none has one, the conversation's."""
    numbered = _numbered(messages)
    has_times = any(isinstance(m, dict) and m.get("created_at") for m in messages)
    times: dict[str | None, tuple[str | None, str | None]] = {}
    last: str | None = None
    for place in lay_out(_parents(numbered), current if isinstance(current, str) else None):
        ordinal, message = numbered[place.node]
        where = f"{talk.conversation} message {ordinal}"
        before = times.get(place.parent or last, (None, None))
        last, times[place.node] = place.node, before
        if not isinstance(message, dict):
            yield Refusal("not_a_message", where, "a message must be an object; its conversation is kept")
            continue
        created = message.get("created_at")
        written, local, problem = time_or_refusal(created if has_times else begun, where)
        if problem:
            yield problem
        times[place.node] = (written, local) if local else before
        said = replace(talk, locator=where, branch=repair(place.branch)[0], reply_to=place.parent)
        yield from _read_message(said, message, times[place.node])


def _numbered(messages: list[Any]) -> dict[str, tuple[int, Any]]:
    """(ordinal, message) by its id, or by its number where it has none of its own."""
    numbered: dict[str, tuple[int, Any]] = {}
    for ordinal, message in enumerate(messages, start=1):
        uuid = text_of(message.get("uuid")) if isinstance(message, dict) else None
        numbered[uuid if uuid and uuid not in numbered else f"#{ordinal}"] = (ordinal, message)
    return numbered


def _parents(numbered: Mapping[str, tuple[int, Any]]) -> dict[str, str | None]:
    above = {key: m.get("parent_message_uuid") if isinstance(m, dict) else None for key, (_, m) in numbered.items()}
    return {key: parent if isinstance(parent, str) and parent else None for key, parent in above.items()}


def _read_message(
    said: Entry, message: Mapping[str, Any], time: tuple[str | None, str | None]
) -> Iterator[Entry | Refusal]:
    sender = text_of(message.get("sender"))
    role = _ROLES.get(sender or "", "person")
    revised = time_or_refusal(message.get("updated_at"), said.locator)[1]
    is_inherited = time[1] is not None and message.get("created_at") is None
    said = replace(
        said,
        speaker=role if role != "person" else sender or "unknown",
        role=role,
        kind="system" if role == "system" else "utterance",
        native_id=text_of(message.get("uuid")),
        written_at=time[0],
        local=time[1],
        revised_at=revised if revised != time[1] else None,
        attributes=(("time", "inherited"),) if is_inherited else (),
    )
    attachments = list(_attachments(said, message))
    for entry in read_blocks(said, message, is_head_needed=bool(attachments)):
        yield entry
        if isinstance(entry, Entry) and entry.native_id == said.native_id and entry.kind == said.kind:
            yield from attachments
            attachments = []


def _attachments(said: Entry, message: Mapping[str, Any]) -> Iterator[Entry]:
    """Files with the text that was taken from them, each once."""
    lists = (value for key in ("attachments", "files", "files_v2") if isinstance(value := message.get(key), list))
    seen: set[str] = set()
    ordinal = 0
    for file in chain.from_iterable(lists):
        fields = file if isinstance(file, dict) else {"file_name": file}
        uuid = text_of(fields.get("file_uuid"))
        if uuid in seen:
            continue
        seen |= {uuid} if uuid else set()
        text = fields.get("extracted_content")
        kind = "document" if text_of(text) else text_of(fields.get("file_kind")) or "file"
        name = text_of(fields.get("file_name"))
        yield replace(
            said,
            kind="attachment",
            part=f"attachment/{ordinal:03}",
            text=text if isinstance(text, str) else "",
            attributes=(("type", kind), *((("name", name),) if name else ())),
        )
        ordinal += 1
