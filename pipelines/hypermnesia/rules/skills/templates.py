"""Task templates: a task's words with slots in place of its things ("put clean {A} in {B}").

Slots bind by position, so that nouns never seen before fit too. Articles are left out, and words of the same
place ("in", "on") are one.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from string import ascii_uppercase

_WORD = re.compile(r"[^\s,;:!?\"()\[\]]+")
_ARTICLES = frozenset({"a", "an", "the", "some"})
_PLACES = dict.fromkeys(("on", "into", "onto", "inside", "in/on"), "in")
_SLOT = re.compile(r"\{[A-Z]\}")

#: Number words: a skill for one thing is none for two.
NUMBERS = frozenset(
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "both", "all", "every", "each"]
)


def task_words(task: str) -> tuple[str, ...]:
    """A task's words as templates have them."""
    words = (word.strip(".'") for word in _WORD.findall(task.lower()))
    return tuple(_PLACES.get(word, word) for word in words if word and word not in _ARTICLES)


def own_words(task: str) -> frozenset[str]:
    """Words of a task that are somebody's own: names (a capital inside a sentence), addresses, and paths."""
    words = [word.strip(".'") for word in _WORD.findall(task)]
    named = {word for word in words[1:] if word[:1].isupper() and word[1:].islower()}
    marked = {word for word in words if "@" in word or word.startswith(("/", "~"))}
    return frozenset(word.lower() for word in named | marked)


def singular(word: str, known: Collection[str]) -> str | None:
    """The known type that a word names, in the singular or the plural; None where it names none."""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y")
    return next((form for form in forms if form and form in known), None)


def slot_letters(words: Collection[str], types: Collection[str]) -> dict[str, str]:
    """The slot of each type that a task names, in the task's order: {"apple": "A", "fridge": "B"}."""
    slots: dict[str, str] = {}
    for word in words:
        kind = singular(word, types)
        if kind is not None and kind not in slots and len(slots) < len(ascii_uppercase):
            slots[kind] = ascii_uppercase[len(slots)]
    return slots


def template_of(words: Collection[str], slots: dict[str, str]) -> str:
    """The template of a task's words."""
    return " ".join(f"{{{slots[kind]}}}" if (kind := singular(word, slots)) else word for word in words)


def is_slot(word: str) -> bool:
    """Whether a template's word is a slot."""
    return _SLOT.fullmatch(word) is not None


def numbers_in(words: Collection[str]) -> frozenset[str]:
    """The number words and digits among words."""
    return frozenset(word for word in words if word in NUMBERS or word.isdigit())
