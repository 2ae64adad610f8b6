"""Slack's markup as people see it: mentions by name, links with their label, entities unescaped."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

_MARK = re.compile(r"<([^<>\n]*)>")
_MENTION = re.compile(r"<@([A-Z0-9]+)(?:\|[^<>]*)?>")
_LINK = re.compile(r"(?:https?|ftp|mailto|tel|slack):", re.IGNORECASE)
_MOST_DEPTH = 20
_BROADCASTS = ("here", "channel", "everyone")


def readable(text: str, person: Callable[[str], str], channel: Callable[[str], str]) -> str:
    """A text with its marks resolved: `person` and `channel` name an id; what is no mark stays as written."""
    return html.unescape(_MARK.sub(lambda m: _mark(m[0], m[1], person, channel), text))


def mentioned(text: str) -> list[str]:
    """The ids of the people that a text mentions, each once, in order."""
    return list(dict.fromkeys(_MENTION.findall(text)))


def text_of_blocks(blocks: Any, depth: int = 0) -> str:
    """The words of a message's blocks, for a message that has no text beside them."""
    match blocks if depth < _MOST_DEPTH else None:
        case {"text": str(text), "url": str(url)}:
            return f"<{url}|{text}>"
        case {"text": str(text)}:
            return text
        case {"type": "user", "user_id": str(user)}:
            return f"<@{user}>"
        case {"type": "link", "url": str(url)}:
            return f"<{url}>"
        case dict():
            parts = [text_of_blocks(blocks.get(key), depth + 1) for key in ("text", "title", "fields", "elements")]
            return "".join(parts)
        case list():
            is_run = any(isinstance(b, dict) and b.get("type") in ("text", "link", "user") for b in blocks)
            return ("" if is_run else "\n").join(filter(None, (text_of_blocks(b, depth + 1) for b in blocks)))
    return ""


def _mark(whole: str, mark: str, person: Callable[[str], str], channel: Callable[[str], str]) -> str:
    target, _, label = mark.partition("|")
    match target[:1]:
        case "@":
            return "@" + person(target[1:])
        case "#":
            return "#" + (label or channel(target[1:]))
        case "!":
            return label or ("@" + target[1:] if target[1:] in _BROADCASTS else target[1:])
    if not _LINK.match(target):
        return whole
    address = target.removeprefix("mailto:").removeprefix("tel:")
    return address if not label or label in address else f"{label} ({address})"
