"""Text is repaired once, before anything is hashed (DESIGN 4)."""

from __future__ import annotations

import unicodedata


def repair(text: str) -> tuple[str, bool]:
    """Text that every store takes, and whether something had to be repaired.

    Surrogate pairs become their character, a lone surrogate U+FFFD, NUL goes (cases A13, A14); then
    NFC, which is no repair: one writing of the same letters. Repairing twice changes nothing.
    """
    repaired = text
    if any("\ud800" <= c <= "\udfff" for c in repaired):
        joined = repaired.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        repaired = joined
    repaired = repaired.replace("\x00", "")
    return unicodedata.normalize("NFC", repaired), repaired != text


def one_line(text: str, limit: int = 160) -> str:
    """A text for a person's line: white space folded, cut at `limit` characters."""
    folded = " ".join(text.split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
