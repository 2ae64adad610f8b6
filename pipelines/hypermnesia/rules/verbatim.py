"""The verbatim extractor's rules: what was said, as it was said, is an episodic record (issue "The spine").

A document's section is no event: it is a resource record, which keeps where in its document it stands.
A turn is a message with what came with it. The question that a short answer answers is its context,
not part of its claim or id.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from hypermnesia.rules.extraction import EPISODIC, RESOURCE, Made, Passage, Reading, Turn
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

#: What a resource record keeps of its section: the document's title, the section's path, and its characters.
PLACE_IN_DOCUMENT = ("title", "section", "start", "end")


def says_something(text: str) -> bool:
    """Whether a text holds any letter, number or symbol (an emoji is one): not only space and punctuation."""
    return any(unicodedata.category(c)[0] in "LNS" for c in text)


def turn_text(text: str, attachments: list[tuple[str, str]]) -> str:
    """A turn's record text: what was said, then each attachment as "[image: caption]" on a line.

    `attachments` are (type, text) in order; those that say nothing are left out.
    """
    said = [text] if says_something(text) else []
    return "\n".join(said + [f"[{kind}: {caption}]" for kind, caption in attachments if says_something(caption)])


def answered_question(turn: Turn, before: Turn | None) -> str | None:
    """The question that a turn answers: the last one of another speaker's turn just before, else None.

    Only a short answer (at most `SHORT_ANSWER_WORDS` words, no question itself) needs it.
    """
    if before is None or before.speaker == turn.speaker or is_asking(turn.text):
        return None
    return last_question(before.text) if len(turn.text.split()) <= SHORT_ANSWER_WORDS else None


def turns_before(passage: Passage) -> list[Turn | None]:
    """For each turn of a passage the one that was said before it, over what nobody said."""
    said = [turn for turn in passage.lead if not turn.is_system]
    before, out = said[-1] if said else None, []
    for turn in passage.turns:
        out.append(before)
        if not turn.is_system:
            before = turn
    return out


def why_no_record(turn: Turn) -> str | None:
    """Why a turn gives no record, or None."""
    if turn.is_system:
        return NOT_SAID
    return None if turn.record_text else SAYS_NOTHING


def said_record(turn: Turn, place: int, before: Turn | None) -> Made:
    """The record of what was said, as it was said; `place` is the turn's in its passage."""
    is_resource = turn.kind == "document"
    return Made(
        memory_type=RESOURCE if is_resource else EPISODIC,
        text=turn.record_text,
        turns=(place,),
        speaker=turn.speaker,
        trust=TRUST["document" if is_resource else turn.role],
        context=None if is_resource else answered_question(turn, before),
        attributes=tuple(a for a in turn.attributes if is_resource and a[0] in PLACE_IN_DOCUMENT),
    )


class VerbatimExtractor:
    """Only what was said: the fastest extractor, and what the others are measured against."""

    name = "verbatim"
    version = VERSION
    memory_types = (EPISODIC, RESOURCE)

    def read(self, passages: Sequence[Passage]) -> list[Reading]:
        """One record a turn that says something."""
        return [_read(passage) for passage in passages]


def _read(passage: Passage) -> Reading:
    reading = Reading()
    for place, (turn, before) in enumerate(zip(passage.turns, turns_before(passage), strict=True)):
        if reason := why_no_record(turn):
            reading.left_out[place] = reason
        else:
            reading.made.append(said_record(turn, place, before))
    return reading
