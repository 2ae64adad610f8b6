"""What one utterance asks, read off its marks."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?。！？؟\n]+[.!?。！？؟]*")
_ASKS = re.compile(r"[?？؟]")


def sentences(text: str) -> list[str]:
    """Sentences with their closing marks, blank ones left out."""
    return [s.strip() for s in _SENTENCE.findall(text) if any(c.isalnum() for c in s)]


def is_asking(text: str) -> bool:
    """Whether a question mark of any script stands in it."""
    return bool(_ASKS.search(text))


def question_share(text: str) -> float:
    """Share of the sentences that ask, 0 to 1; 0 for a text without sentences."""
    parts = sentences(text)
    return sum(1 for s in parts if _ASKS.search(s)) / len(parts) if parts else 0.0


def last_question(text: str) -> str | None:
    """The last sentence that asks, or None."""
    return next((s for s in reversed(sentences(text)) if _ASKS.search(s)), None)
