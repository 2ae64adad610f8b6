"""What is embedded of a record: its own text (`IndexRow.vector`), and that behind the row before (`context_vector`)."""

from __future__ import annotations

# The row before is cut, so that a long one never pushes the row's own text out of the model's window
# (retrieval.md step 1). Characters count where a script has no spaces.
CONTEXT_WORDS = 40
CONTEXT_CHARACTERS = 400


def own_text(speaker: str, text: str) -> str:
    """The text behind `vector`: who said it, and what."""
    return f"{speaker}: {text}" if speaker else text


def text_before(previous_speaker: str | None, previous_text: str | None) -> str:
    """The end of the row before it in its session, which stands before a row's own text; "" at the session's start."""
    if previous_text is None:
        return ""
    end = " ".join(previous_text.split()[-CONTEXT_WORDS:])[-CONTEXT_CHARACTERS:]
    return own_text(previous_speaker or "", end) + "\n"
