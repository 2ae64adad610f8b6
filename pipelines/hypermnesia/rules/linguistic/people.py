"""Who "I", "you" and "we" are in a turn, and which names only call somebody ("Wow, Dave, ...")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hypermnesia.rules.anchor_keys import why_no_anchor

_FIRST = frozenset({"i", "me", "myself", "we", "us", "ourselves", "my", "our", "mine", "ours"})
_SECOND = frozenset({"you", "your", "yours", "yourself", "yourselves", "ya", "u"})
_NAME_PART = re.compile(r"[^\W\d_]{2,}")
_GREETINGS = "hey|hi|hello|thanks|thank you|thx|wow|yes|yeah|no|oh|sure|ok|okay|so|well|congrats"
_PRAISES = "awesome|great|nice|amazing|congratulations|absolutely|totally|exactly|agreed|cool|sweet|sorry|please|bye"
_CALLED = rf"(?:(?<![^\n])|(?<=[.!?;,] )|\b(?:{_GREETINGS}|{_PRAISES}),?\s+)"


@dataclass(frozen=True, slots=True)
class Cast:
    """Who speaks to whom in a turn. `addressee` is None where nobody can tell."""

    speaker: str
    addressee: str | None
    people: tuple[str, ...]

    def person(self, pronoun: str) -> str | None:
        """The person behind a pronoun, or None. "we" is the speaker: the others are not known."""
        low = pronoun.lower()
        if low in _FIRST:
            return self.speaker
        return self.addressee if low in _SECOND else None


def shown_name(name: str) -> str:
    """A person's name as a sentence says it: a dialogue role gets its article."""
    return f"The {name.lower()}" if why_no_anchor(name) == "dialogue_role" else name


def cast_of(text: str, speaker: str, people: Sequence[str]) -> Cast:
    """Of two people "you" is the other one; of several the one whose name is called in the text."""
    others = [p for p in people if p != speaker]
    if len(others) == 1:
        return Cast(speaker, others[0], tuple(people))
    called = [p for p in others if _calls(text, p)]
    return Cast(speaker, called[0] if len(called) == 1 else None, tuple(people))


def vocatives(text: str, people: Sequence[str]) -> list[tuple[int, int]]:
    """Spans of names of the conversation's people that are called: between marks, or behind a greeting."""
    return sorted({span for person in people for span in _calls(text, person)})


def _calls(text: str, person: str) -> list[tuple[int, int]]:
    found = []
    for name in sorted(_call_names(person), key=len, reverse=True):
        pattern = re.compile(rf"{_CALLED}(?P<name>{re.escape(name)}\w{{0,2}})(?=\s*(?:[,.!?;:\n]|$))", re.IGNORECASE)
        found += [m.span("name") for m in pattern.finditer(text)]
    return found


def _call_names(person: str) -> set[str]:
    """A name, its first part, and the short form that people cut of it: Melanie is called Mel."""
    parts = _NAME_PART.findall(person)
    first = parts[0] if parts else person
    return {person, first} | ({first[:3]} if len(first) > 4 else set())
