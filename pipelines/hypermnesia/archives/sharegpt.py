"""ShareGPT and what grew from it: {"id", "conversations" or "items": [{"from", "value"}]}, as an array or lines.

Turns need not alternate, roles go by many names, and there are no times. What a turn is missing costs that
turn alone. Where a conversation has no id its content names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypermnesia.archives.json_items import read_each
from hypermnesia.archives.json_rows import first_items, holds, name_by_content, read_rows, text_of
from hypermnesia.ports import Entry, Refusal

_USER = ("user", "utterance", "user")
_ASSISTANT = ("assistant", "utterance", "assistant")
_SYSTEM = ("system", "system", "system")
_CALL = ("tool", "tool_call", "tool")
_RESULT = ("tool", "tool_result", "tool")

#: (role, kind, speaker) of each name; another one is a person of that name.
ROLES = {
    **dict.fromkeys(("human", "user", "prompter"), _USER),
    **dict.fromkeys(("gpt", "assistant", "chatgpt", "bing", "bard", "claude", "bot", "ai", "model"), _ASSISTANT),
    **dict.fromkeys(("system", "developer"), _SYSTEM),
    **dict.fromkeys(("function_call", "tool_call"), _CALL),
    **dict.fromkeys(("tool", "observation", "function", "function_response", "tool_response", "tool_result"), _RESULT),
}
_TURNS = ("conversations", "items")
_VALUES = ("value", "text", "content", "markdown")


class SharegptReader:
    """Reads ShareGPT files."""

    name = "sharegpt"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first rows has turns with `from`, or turns with a role under ShareGPT's name."""
        return any(
            holds(fields.get(key), "from") or (key == _TURNS[0] and holds(fields.get(key), "role"))
            for fields in first_items(head)
            for key in _TURNS
        )

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Turns in their order, conversation by conversation."""
        yield from read_each(read_rows(path, "conversation"), _read_conversation)


def _read_conversation(locator: str, row: Any) -> Iterator[Entry | Refusal]:
    fields = row if isinstance(row, dict) else {}
    turns = next((fields[key] for key in _TURNS if isinstance(fields.get(key), list)), None)
    if turns is None:
        yield Refusal("not_a_conversation", locator, "a conversation needs a list `conversations` or `items`")
        return
    talk = Entry(
        user=None,
        conversation=text_of(fields.get("id")) or name_by_content([fields.get("system"), turns]),
        locator=locator,
        text="",
        speaker="",
        role="",
        title=text_of(fields.get("title")),
    )
    system = text_of(fields.get("system"))
    if system:
        yield replace(talk, text=system, role="system", kind="system", speaker="system")
    for ordinal, turn in enumerate(turns, start=1):
        yield _read_turn(replace(talk, locator=f"{locator} turn {ordinal}"), turn)


def _read_turn(talk: Entry, turn: Any) -> Entry | Refusal:
    fields = turn if isinstance(turn, dict) else {}
    given = text_of(fields.get("from")) or text_of(fields.get("role"))
    if given is None:
        return Refusal("not_a_turn", talk.locator, "a turn needs `from` and `value`; its conversation is kept")
    value = next((fields[key] for key in _VALUES if fields.get(key) is not None), "")
    if not isinstance(value, str):
        detail = f"`value` is {type(value).__name__}"
        return Refusal("not_a_turn", talk.locator, "write `value` as text; its conversation is kept", detail)
    role, kind, speaker = ROLES.get(given.strip().lower(), ("person", "utterance", given))
    return replace(talk, text=value, role=role, kind=kind, speaker=speaker)
