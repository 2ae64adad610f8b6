"""What is embedded of a record: the two texts behind `IndexRow.vector` and `IndexRow.context_vector`."""

from __future__ import annotations

# The row before is cut, so that a long one never pushes the row's own text out of the model's window
# (retrieval.md step 1). Characters count where a script has no spaces.
CONTEXT_WORDS = 40
CONTEXT_CHARACTERS = 400


def own_text(speaker: str, text: str) -> str:
    """The text behind `vector`: who said it, and what."""
    return f"{speaker}: {text}" if speaker else text


def context_text(previous_speaker: str | None, previous_text: str | None, speaker: str, text: str) -> str:
    """The text behind `context_vector`: the end of the row before it in its session (None at its start), then own."""
    return text_before(previous_speaker, previous_text) + own_text(speaker, text)


def text_before(previous_speaker: str | None, previous_text: str | None) -> str:
    """What `context_text` puts before a row's own text; "" at the start of a session."""
    if previous_text is None:
        return ""
    end = " ".join(previous_text.split()[-CONTEXT_WORDS:])[-CONTEXT_CHARACTERS:]
    return own_text(previous_speaker or "", end) + "\n"
