"""The blocks of a message of Claude.ai's export: runs of text, tool calls and results, thoughts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from hypermnesia.archives.json_rows import as_json, text_of
from hypermnesia.ports import Entry, Refusal

_SAID = {"text", "voice_note"}
_THOUGHT = {"thinking", "redacted_thinking"}
#: Marks of the program that hold no text.
_MARKS = {"token_budget"}


def read_blocks(said: Entry, message: Mapping[str, Any], *, is_head_needed: bool) -> Iterator[Entry | Refusal]:
    """The message's blocks in order. Without a block of text, its `text` is what was said.

    A message is empty only where neither holds anything: then it is kept as an empty one. `is_head_needed`:
    something came with it.
    """
    content = message.get("content")
    blocks = list(enumerate(content if isinstance(content, list) else [], start=1))
    text = message.get("text") or (content if isinstance(content, str) else None)
    runs = [(kind, list(run)) for kind, run in groupby(blocks, key=lambda block: _type(block[1]) in _SAID)]
    is_said = any(is_text and _joined(run) for is_text, run in runs)
    has_others = any(_type(block) not in _SAID | _MARKS for _, block in blocks)
    if not is_said and (text_of(text) or is_head_needed or not has_others):
        yield replace(said, text=text if isinstance(text, str) else "")
    is_first = True
    for is_text, run in runs:
        if not is_text:
            yield from _read_others(said, run)
        elif joined := _joined(run):
            entry = replace(said, text=joined)
            yield entry if is_first else _part(entry, run[0][0])
            is_first = False


def _type(block: Any) -> str:
    return text_of(block.get("type")) or "text" if isinstance(block, dict) else ""


def _joined(run: list[tuple[int, Any]]) -> str:
    return "\n".join(text for _, block in run if isinstance(text := block.get("text"), str) and text)


def _part(said: Entry, number: int) -> Entry:
    """The entry under a name of its own: the message's id and the block's number."""
    return replace(said, native_id=f"{said.native_id}/{number}" if said.native_id else None)


def _read_others(said: Entry, run: list[tuple[int, Any]]) -> Iterator[Entry | Refusal]:
    for number, block in run:
        kind = _type(block)
        entry = replace(_part(said, number), locator=f"{said.locator} block {number}")
        tool = text_of(block.get("name")) if isinstance(block, dict) else None
        attributes = (("tool", tool), *said.attributes) if tool else said.attributes
        if kind in _THOUGHT:
            text = block.get("thinking")
            text = text if isinstance(text, str) else ""
            yield replace(entry, text=text, kind="system", role="system", speaker="system")
        elif kind == "tool_use":
            text = f"{tool or 'tool'}({as_json(block.get('input'))})"
            yield replace(entry, text=text, kind="tool_call", attributes=attributes)
        elif kind == "tool_result":
            result = replace(entry, kind="tool_result", role="tool", speaker=tool or "tool", attributes=attributes)
            yield from _read_result(result, block.get("content"))
        elif kind not in _MARKS:
            remedy = "its kind is not known yet, the rest of the message is kept: report it"
            yield Refusal("unknown_block", entry.locator, remedy, kind or type(block).__name__)


def _read_result(result: Entry, content: Any) -> Iterator[Entry]:
    """What a tool answered; pictures and the like are attachments of it."""
    items = content if isinstance(content, list) else [] if content is None else [content]
    texts = [item if isinstance(item, str) else item.get("text") for item in items if isinstance(item, str | dict)]
    yield replace(result, text="\n".join(text for text in texts if isinstance(text, str) and text))
    others = [item for item in items if isinstance(item, dict) and not isinstance(item.get("text"), str)]
    for ordinal, item in enumerate(others):
        name = text_of(item.get("title")) or text_of(item.get("name")) or text_of(item.get("file_name"))
        yield replace(
            result,
            kind="attachment",
            part=f"attachment/{ordinal:03}",
            text="",
            attributes=(("type", text_of(item.get("type")) or "file"), *((("name", name),) if name else ())),
        )
