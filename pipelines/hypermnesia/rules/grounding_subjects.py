"""Whom a record speaks of, and whether the one who said it may be that (B12): first person is the speaker's own."""

from __future__ import annotations

import re

from hypermnesia.rules import grounding_reasons as reasons
from hypermnesia.rules.extraction import Passage, Turn
from hypermnesia.rules.grounding_quotes import folded
from hypermnesia.rules.grounding_words import words_of

_USER = re.compile(r"(?:the )?user(?:'s)?\b")
_FIRST = re.compile(r"(?<!\w)(?:i|i'm|i've|i'll|i'd|me|my|mine|myself)(?!\w)")
_SECOND = re.compile(r"(?<!\w)(?:you|your|yours|you're|you've|yourself)(?!\w)")


def users_of(passage: Passage) -> frozenset[str]:
    """The names under which the owner of the memory speaks here."""
    return frozenset(turn.speaker for turn in (*passage.lead, *passage.turns) if turn.role == "user")


def is_user(subject: str | None, passage: Passage) -> bool:
    """Whether a subject is the owner of the memory."""
    return subject is not None and subject in users_of(passage)


def is_person(subject: str | None, passage: Passage) -> bool:
    """Whether a subject speaks here as a person, not as an assistant or a tool."""
    said = (*passage.lead, *passage.turns)
    return any(turn.speaker == subject and turn.role in ("user", "person") for turn in said)


def subject_of(text: str, about: str | None, passage: Passage) -> str | None:
    """The speaker that a record is of, by `about` or by the name that its text begins with; None for any other."""
    named = _speaker_named(about, passage) if about else None
    return named or _speaker_leading(text, passage)


def why_wrong_subject(
    text: str, subject: str | None, about: str | None, turn: Turn, span: tuple[int, int], passage: Passage
) -> str | None:
    """Why a record can't be of its subject, or None.

    The first person of a quote is its speaker: given to another speaker it is wrong, unless the quote names or
    addresses that one. A subject that nobody names in the chunk is unknown.
    """
    if about and subject is None and not _is_named(about, passage):
        return reasons.UNKNOWN_SUBJECT
    if subject is None or subject == turn.speaker:
        return None
    quote = folded(turn.text[span[0] : span[1]])[0]
    is_named = bool(words_of([subject]) & words_of([quote]))
    if _FIRST.search(quote) and not is_named and not _SECOND.search(quote):
        return reasons.WRONG_SPEAKER
    leading = _speaker_leading(text, passage)
    return reasons.WRONG_SPEAKER if about and leading and leading != subject and leading == turn.speaker else None


def _speaker_named(name: str, passage: Passage) -> str | None:
    plain = folded(name)[0].strip()
    users = sorted(users_of(passage))
    if _USER.fullmatch(plain) and len(users) == 1:
        return users[0]
    speakers = sorted({turn.speaker for turn in (*passage.lead, *passage.turns)} | set(passage.people))
    whole = [s for s in speakers if folded(s)[0] == plain]
    parts = [s for s in speakers if plain in words_of([s])]
    found = whole or parts
    return found[0] if len(found) == 1 else None


def _speaker_leading(text: str, passage: Passage) -> str | None:
    """The speaker whose name, or part of it, a text begins with; "the user" is the owner."""
    plain = folded(text)[0].lstrip()
    if led := _USER.match(plain):
        return _speaker_named(led[0].removesuffix("'s"), passage)
    speakers = {turn.speaker for turn in (*passage.lead, *passage.turns)} | set(passage.people)
    led_by = []
    for speaker in sorted(speakers):
        names = {folded(speaker)[0], folded(speaker)[0].split(" ")[0]}
        if any(re.match(rf"{re.escape(name)}(?!\w)", plain) for name in names if name):
            led_by.append(speaker)
    return led_by[0] if len(led_by) == 1 else None


def _is_named(name: str, passage: Passage) -> bool:
    said = (*passage.lead, *passage.turns)
    known = words_of([*(t.record_text for t in said), *(t.speaker for t in said), *passage.people, "user"])
    words = words_of([name]) - {"the", "a", "an", "s"}
    return any(word in known or word.removesuffix("s") in known for word in words)
