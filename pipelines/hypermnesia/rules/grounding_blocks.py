"""Parts of a message that are not its speaker's own word: recalled memory, pasted and quoted blocks (B12, B13)."""

from __future__ import annotations

import re

_RECALLED = (
    re.compile(
        r"<(memor(?:y|ies)|recalled[\w-]*|context|relevant[\w-]*|user[_-]profile)\b[^>]*>.*?(?:</\1>|\Z)",
        re.DOTALL | re.IGNORECASE,
    ),
    re.compile(
        r"^[^\n]{0,30}\b(?:relevant|recalled|retrieved|saved|stored|known|past) (?:memories|memory|context|facts|notes)"
        r"[^\n]*:[^\n]*(?:\n[ \t]*[-*•\d][^\n]*)*",
        re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(
        r"^(?:here is |this is )?what (?:i|we) (?:know|remember) about (?:the user|you)\b[^\n]*"
        r"(?:\n[ \t]*[-*•\d][^\n]*)*",
        re.MULTILINE | re.IGNORECASE,
    ),
)
_PASTED = (
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"^[ \t]*>.*(?:\n[ \t]*>.*)*", re.MULTILINE),
    re.compile(r"^-{3,} ?(?:forwarded|original) message\b.*\Z", re.DOTALL | re.MULTILINE | re.IGNORECASE),
    re.compile(r"<\|[a-z_]+\|>.*\Z|\[INST\].*?(?:\[/INST\]|\Z)|<system>.*?(?:</system>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(r"^(?:system|assistant|human|user) ?:.*(?:\n(?:system|assistant|human|user) ?:.*)+", re.M | re.I),
    re.compile(
        r"^(?:it|the (?:page|email|mail|site|letter|text|message)) (?:says|said|reads)\s*:.*\Z",
        re.DOTALL | re.MULTILINE | re.IGNORECASE,
    ),
)


def recalled_spans(text: str) -> list[tuple[int, int]]:
    """Spans of recalled memory: mentioned, not asserted; they are never a source."""
    return [m.span() for pattern in _RECALLED for m in pattern.finditer(text)]


def pasted_spans(text: str) -> list[tuple[int, int]]:
    """Spans that were pasted, quoted or forwarded: evidence of what they say, not of what the speaker says."""
    return [m.span() for pattern in _PASTED for m in pattern.finditer(text)]


def overlaps(span: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    """Whether a span shares a character with one of several."""
    return any(start < span[1] and span[0] < end for start, end in spans)
