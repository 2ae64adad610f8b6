"""What one utterance asks, read off its marks."""

from __future__ import annotations

import re
from typing import Generic, NamedTuple, TypeVar

_SENTENCE = re.compile(r"[^.!?。！？؟\n]+[.!?。！？؟]*")
_ASKS = re.compile(r"[?？؟]")


def sentences(text: str) -> list[str]:
    """Sentences with their closing marks, blank ones left out."""
    return [s.strip() for s in _SENTENCE.findall(text) if any(c.isalnum() for c in s)]


def is_asking(text: str) -> bool:
    """Whether a question mark of any script stands in it."""
    return bool(_ASKS.search(text))


def last_question(text: str) -> str | None:
    """The last sentence that asks, or None."""
    return next((s for s in reversed(sentences(text)) if _ASKS.search(s)), None) if is_asking(text) else None


_FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|we|our|us)\b", re.IGNORECASE)  # an apostrophe ends a word: "I'm"
_RELATIVE_DATE = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last \w+|next \w+|ago|this (?:week|weekend|month|year|morning|summer|fall"
    r"|winter|spring))\b",
    re.IGNORECASE,
)
_NAME_INSIDE = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]+")
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|dozen)\b", re.IGNORECASE
)
_IMAGE = "\n[image"

T = TypeVar("T")


class Facts(NamedTuple, Generic[T]):
    """What is read off one utterance: flags, or columns of them."""

    is_first_person: T
    ends_asking: T
    has_relative_date: T
    has_name: T
    has_number: T


def facts_of(text: str) -> Facts[bool]:
    """The flags of one utterance; an image's caption does not count as its end."""
    said = text.split(_IMAGE)[0].rstrip()
    return Facts(
        is_first_person=bool(_FIRST_PERSON.search(text)),
        ends_asking=bool(said) and bool(_ASKS.match(said[-1])),
        has_relative_date=bool(_RELATIVE_DATE.search(text)),
        has_name=bool(_NAME_INSIDE.search(text)),
        has_number=bool(_NUMBER.search(text)),
    )
