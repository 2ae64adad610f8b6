"""The verbatim extractor's rules: what was said, as it was said, is an episodic record (issue "The spine").

A document's section is no event: it is a resource record, which keeps where in its document it stands.
A turn is a message with what came with it. The question that a short answer answers is its context,
not part of its claim or id.
"""

from __future__ import annotations

import unicodedata

from hypermnesia.rules.utterances import is_asking, last_question

VERSION = "verbatim-1"
SHORT_ANSWER_WORDS = 8
SAYS_NOTHING, NOT_SAID = "says_nothing", "not_said_by_anyone"

#: How much a record is trusted, by who spoke (DESIGN 3).
TRUST = {
    "user": "user",
    "person": "other_person",
    "assistant": "assistant",
    "tool": "tool",
    "document": "pasted",
}

EPISODIC, RESOURCE = "episodic", "resource"

#: What a resource record keeps of its section: the document's title, the section's path, and its characters.
PLACE_IN_DOCUMENT = ("title", "section", "start", "end")


def memory_type(kind: str) -> str:
    """The type of the record that a message of a kind becomes."""
    return RESOURCE if kind == "document" else EPISODIC


def says_something(text: str) -> bool:
    """Whether a text holds any letter, number or symbol (an emoji is one): not only space and punctuation."""
    return any(unicodedata.category(c)[0] in "LNS" for c in text)


def turn_text(text: str, attachments: list[tuple[str, str]]) -> str:
    """A turn's record text: what was said, then each attachment as "[image: caption]" on a line.

    `attachments` are (type, text) in order; those that say nothing are left out.
    """
    said = [text] if says_something(text) else []
    return "\n".join(said + [f"[{kind}: {caption}]" for kind, caption in attachments if says_something(caption)])


def answered_question(text: str, speaker: str, before: tuple[str, str] | None) -> str | None:
    """The question that this text answers: the last one of another speaker's turn just before, else None.

    Only a short answer (at most `SHORT_ANSWER_WORDS` words, no question itself) needs it. `before` is
    (speaker, text) of the turn before in the session.
    """
    if before is None or before[0] == speaker or is_asking(text) or len(text.split()) > SHORT_ANSWER_WORDS:
        return None
    return last_question(before[1])
