"""Quotes are found in what they are quoted from: white space, quotation marks, dashes and case folded, at offsets."""

from __future__ import annotations

import re
import unicodedata

#: A quote that begins or ends inside a word must have so many characters to be more than chance.
LEAST_INSIDE_WORDS = 16

_ALIKE = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc`", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    "\u2026": "...",
}
_AROUND = " \"'."


def folded(text: str) -> tuple[str, list[int]]:
    """The text with one way of writing, and for each of its characters the offset that it came from.

    Runs of white space are one blank, invisible characters are gone, case is folded.
    """
    characters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        if character.isspace():
            if characters and characters[-1] == " ":
                continue
            written = " "
        elif unicodedata.category(character) == "Cf":
            continue
        else:
            written = _ALIKE.get(character, character.casefold())
        characters.extend(written)
        offsets.extend([offset] * len(written))
    return "".join(characters), offsets


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """(start, end) of a quote in a text, so that `text[start:end]` folds to it; None where it is not there.

    Marks around the quote are not looked for. The first occurrence at whole words counts; inside words only
    that of a long quote.
    """
    wanted = folded(quote)[0].strip(_AROUND)
    if not any(c.isalnum() or unicodedata.category(c)[0] == "S" for c in wanted):
        return None
    said, offsets = folded(text)
    inside = None
    at = said.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        span = offsets[at], offsets[end - 1] + 1
        if not _parts_word(said, at) and not _parts_word(said, end):
            return span
        inside = inside or span
        at = said.find(wanted, at + 1)
    return inside if len(wanted) >= LEAST_INSIDE_WORDS else None


def _parts_word(text: str, at: int) -> bool:
    """Whether a word goes on across a place of a text (not in scripts without spaces)."""
    if not 0 < at < len(text):
        return False
    before, behind = text[at - 1], text[at]
    return before.isalnum() and behind.isalnum() and not (_is_joined(before) or _is_joined(behind))


def _is_joined(character: str) -> bool:
    return unicodedata.name(character, "").startswith(("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER"))


_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?。！？]+(?![^\W_])|[.!?](?=\w)[^.!?。！？\n]*)*|\n")


def sentences_in(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The spans of the sentences that a span touches."""
    return [m.span() for m in _SENTENCE.finditer(text) if m.start() < end and m.end() > start and m[0].strip()]


def sentences_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of the whole sentences that a span touches."""
    touched = sentences_in(text, start, end)
    return (touched[0][0], touched[-1][1]) if touched else (start, end)
