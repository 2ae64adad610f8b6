"""Which skill a task calls for: an exact template, else the nearest above a floor, else none.

A wrong skill harms. So number words must be the same, and words that say what to do weigh by how few triggers
have them; a word of the task that neither a trigger nor a slot takes up weighs most.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from hypermnesia.rules.skills.templates import NUMBERS, is_slot, numbers_in, task_words
from hypermnesia.rules.skills.versions import Skill

#: The F1 of weighted words that task and skill have in common, at least.
FLOOR = 0.6

#: Words that ask, bind or point, whatever the task is.
_PLAIN = frozenset(
    [
        "and",
        "then",
        "it",
        "them",
        "this",
        "that",
        "is",
        "are",
        "be",
        "to",
        "of",
        "at",
        "in",
        "with",
        "for",
        "from",
        "by",
        "your",
        "task",
        "please",
        "now",
        "i",
        "we",
        "you",
        "me",
        "my",
        "need",
        "want",
        "find",
        "get",
        "so",
        "up",
        "there",
        "here",
    ]
)


@dataclass(frozen=True, slots=True)
class Match:
    """A skill for a task: its trigger, what the slots stand for, and how near it is (1 for exact)."""

    skill: Skill
    trigger: str
    bindings: Mapping[str, str]
    how: Literal["exact", "near"]
    score: float


def find_skill(task: str, skills: Iterable[Skill], demoted: Collection[str] = (), floor: float = FLOOR) -> Match | None:
    """The skill for a task, or None. `skills` are newest versions; retired and `demoted` ids are left out."""
    usable = sorted((s for s in skills if s.status == "active" and s.skill_id not in demoted), key=lambda s: s.skill_id)
    triggers = [(trigger, skill) for skill in usable for trigger in skill.triggers]
    words = task_words(task)
    return _exact(words, triggers) or _nearest(words, triggers, floor)


def _exact(words: tuple[str, ...], triggers: list[tuple[str, Skill]]) -> Match | None:
    found = []
    for trigger, skill in triggers:
        bound = _bind(trigger.split(), words)
        if bound is not None:
            n_literals = sum(not is_slot(word) for word in trigger.split())
            found.append((-n_literals, skill.skill_id, Match(skill, trigger, bound, "exact", 1.0)))
    return min(found, key=lambda one: one[:2])[2] if found else None


def _bind(trigger: list[str], words: tuple[str, ...]) -> dict[str, str] | None:
    """What a trigger's slots stand for in a task of exactly its words; a number is nothing that a slot takes."""
    pattern = " ".join(
        f"(?P<{word[1]}>\\S+)" if _is_first(trigger, n) else _back(word) for n, word in enumerate(trigger)
    )
    found = re.fullmatch(pattern, " ".join(words))
    if found is None or numbers_in(tuple(found.groupdict().values())):
        return None
    return found.groupdict()


def _is_first(trigger: list[str], n: int) -> bool:
    return is_slot(trigger[n]) and trigger[n] not in trigger[:n]


def _back(word: str) -> str:
    return f"(?P={word[1]})" if is_slot(word) else re.escape(word)


def _nearest(words: tuple[str, ...], triggers: list[tuple[str, Skill]], floor: float) -> Match | None:
    counts = Counter(word for trigger, _ in triggers for word in set(trigger.split()))

    def weight(word: str) -> float:
        return 0.0 if word in _PLAIN else math.log(1 + len(triggers) / counts.get(word, 0.5))

    scored = []
    for trigger, skill in triggers:
        if numbers_in(trigger.split()) != numbers_in(words):
            continue
        bindings = _bind_unknown(trigger.split(), words, counts)
        left = {word for word in words if word not in bindings.values()}
        score = _score(left, trigger, skill, weight) if bindings else 0.0
        if score >= floor:
            scored.append((-score, skill.skill_id, trigger, Match(skill, trigger, bindings, "near", score)))
    return min(scored, key=lambda one: one[:3])[3] if scored else None


def _bind_unknown(trigger: list[str], words: tuple[str, ...], known: Collection[str]) -> dict[str, str]:
    """The task's last words that no trigger has, for the slots in their order; {} where they are too few."""
    slots = list(dict.fromkeys(word[1] for word in trigger if is_slot(word)))
    unknown = [word for word in words if word not in known and word not in _PLAIN and word not in NUMBERS]
    return dict(zip(slots, unknown[-len(slots) :], strict=True)) if slots and len(unknown) >= len(slots) else {}


def _score(left: set[str], trigger: str, skill: Skill, weight: Callable[[str], float]) -> float:
    """F1 of weights: of the task's words those that the skill knows, of the trigger's words those that the task has."""
    known = {word for one in skill.triggers for word in one.split()}
    asked = {word for word in trigger.split() if not is_slot(word)}
    said, needed = sum(map(weight, left)), sum(map(weight, asked))
    if not said or not needed:
        return 0.0
    precision, recall = sum(map(weight, left & known)) / said, sum(map(weight, asked & left)) / needed
    return 2 * precision * recall / (precision + recall) if precision and recall else 0.0
