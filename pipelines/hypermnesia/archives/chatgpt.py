"""ChatGPT's export: conversations as trees of nodes, in one file, in numbered ones, or in the zip.

The path to `current_node` is the conversation; edits and answers made again are kept as branches. What the
program says to itself (system and hidden nodes, custom instructions, recalled memories, thoughts) is kept
as kind `system`: nobody said it. A node without a time has that of the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hypermnesia.archives.branches import Place, lay_out
from hypermnesia.archives.chatgpt_content import attachments_of, content_of, said_text, speaker_of, type_of
from hypermnesia.archives.json_exports import JsonExportReader
from hypermnesia.archives.json_rows import Rest, first_items, name_by_content, text_of, time_or_refusal
from hypermnesia.ports import Entry, Refusal
from hypermnesia.rules.text import repair

_NODE = re.compile(r'"(message|parent|children)"\s*:')


class ChatgptReader(JsonExportReader):
    """Reads ChatGPT exports: conversations with a `mapping` of nodes; every node that holds a message."""

    name = "chatgpt"

    @staticmethod
    def is_theirs(head: str) -> bool:
        """As `JsonExportReader` says."""
        return any(_has_nodes(fields.get("mapping"), fields) for fields in first_items(head))

    @staticmethod
    def read_conversation(locator: str, conversation: Any) -> Iterator[Entry | Refusal]:
        """As `JsonExportReader` says."""
        return _read_conversation(locator, conversation)


def _has_nodes(mapping: Any, fields: Mapping[str, Any]) -> bool:
    if isinstance(mapping, Rest):
        return mapping.startswith("{") and _NODE.search(mapping) is not None
    if not isinstance(mapping, dict):
        return False
    nodes = [node for node in mapping.values() if isinstance(node, dict)]
    return "current_node" in fields or any({"message", "parent", "children"} & node.keys() for node in nodes)


@dataclass(slots=True)
class _Talk:
    """One conversation while it is read: what its nodes have in common, and each node's time and said ancestor."""

    name: str
    title: str | None
    nodes: dict[str, Any]
    start: Any
    times: dict[str | None, tuple[str | None, str | None]]
    said: dict[str | None, str | None]


def _read_conversation(locator: str, conversation: Any) -> Iterator[Entry | Refusal]:
    nodes = conversation.get("mapping") if isinstance(conversation, dict) else None
    if not isinstance(nodes, dict):
        yield Refusal("not_a_conversation", locator, "a conversation needs an object `mapping`")
        return
    if not nodes:
        return
    name, title = text_of(conversation.get("conversation_id") or conversation.get("id")), conversation.get("title")
    first = next((key for key in nodes if key.strip() and _message(nodes[key])), None)
    talk = _Talk(
        name=name or first or name_by_content(nodes),
        title=title if isinstance(title, str) else None,
        nodes=nodes,
        start=None if any(_created(node) is not None for node in nodes.values()) else conversation.get("create_time"),
        times={},
        said={None: None},
    )
    current = conversation.get("current_node")
    times = {key: t for key, node in nodes.items() if isinstance(t := _created(node), float) or type(t) is int}
    for place in lay_out(_parents(nodes), current if isinstance(current, str) else None, times):
        yield from _read_node(talk, place)


def _created(node: Any) -> Any:
    return message.get("create_time") if isinstance(message := _message(node), dict) else None


def _message(node: Any) -> Any:
    return node.get("message") if isinstance(node, dict) else None


def _parents(nodes: Mapping[str, Any]) -> dict[str, str | None]:
    """The node above each: by its own word, else by that of the node that lists it."""
    listed: dict[str, str] = {}
    for key, node in nodes.items():
        children = node.get("children") if isinstance(node, dict) else None
        for child in children if isinstance(children, list) else ():
            if isinstance(child, str) and child != key:
                listed.setdefault(child, key)
    own = {key: node.get("parent") if isinstance(node, dict) else None for key, node in nodes.items()}
    return {
        key: parent if isinstance(parent, str) and (parent in nodes or key not in listed) else listed.get(key)
        for key, parent in own.items()
    }


def _read_node(talk: _Talk, place: Place) -> Iterator[Entry | Refusal]:
    node, message = talk.nodes[place.node], _message(talk.nodes[place.node])
    where = f"{talk.name} node {place.node}"
    talk.said[place.node] = talk.said[place.parent]
    talk.times[place.node] = before = talk.times.get(place.parent, (None, None))
    if not isinstance(message, dict):
        if not isinstance(node, dict) or message is not None:
            yield Refusal("not_a_message", where, "a node needs an object `message`, or null where it holds none")
        return
    created = message.get("create_time")
    written, local, problem = time_or_refusal(talk.start if created is None else created, where)
    if problem:
        yield problem
    talk.times[place.node] = (written, local) if local else before
    content = content_of(message)
    text = said_text(content, message)
    if text is None:
        yield Refusal("unknown_content", where, "its kind of content is not known yet: report it", type_of(content))
        return
    entry = _entry(talk, place, where, message, text)
    if entry.kind != "system":
        talk.said[place.node] = place.node
    yield entry
    yield from attachments_of(entry, content, message)


def _entry(talk: _Talk, place: Place, where: str, message: Mapping[str, Any], text: str) -> Entry:
    role, kind, speaker = speaker_of(message, text)
    written, local = talk.times[place.node]
    revised = time_or_refusal(message.get("update_time"), where)[1]
    tool = message.get("recipient") if kind == "tool_call" else speaker if kind == "tool_result" else None
    entry = Entry(
        user=None,
        conversation=talk.name,
        locator=where,
        text=text,
        speaker=speaker,
        role=role,
        kind=kind,
        native_id=place.node,
        title=talk.title,
        written_at=written,
        local=local,
        reply_to=talk.said[place.parent],
        branch=repair(place.branch)[0],
        revised_at=revised if local and revised and revised > local else None,
        attributes=(("tool", tool),) if isinstance(tool, str) else (),
    )
    is_inherited = local is not None and message.get("create_time") is None
    return replace(entry, attributes=(*entry.attributes, ("time", "inherited"))) if is_inherited else entry
