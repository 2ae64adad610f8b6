"""Which skill a task calls for: an exact template, else the nearest above a floor, else none.

A wrong skill harms. So number words must be the same, and words that say what to do weigh by how few triggers
have them; a word of the task that neither a trigger nor a slot takes up weighs most.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from hypermnesia.rules.skills.templates import is_slot, numbers_in, task_words
from hypermnesia.rules.skills.versions import Skill

#: The share of the words' weight that task and trigger have in common, at least.
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
    scored = []
    for trigger, skill in triggers:
        literals = [word for word in trigger.split() if not is_slot(word)]
        if numbers_in(literals) != numbers_in(words):
            continue
        score, bindings = _compare(trigger.split(), words, counts, len(triggers))
        if score >= floor and bindings:
            scored.append((-score, skill.skill_id, trigger, Match(skill, trigger, bindings, "near", score)))
    return min(scored, key=lambda one: one[:3])[3] if scored else None


def _compare(
    trigger: list[str], words: tuple[str, ...], counts: Mapping[str, int], n: int
) -> tuple[float, dict[str, str]]:
    """(share of weight in common, bindings): the task's unknown words go to the slots, in their order."""

    def weight(word: str) -> float:
        return 0.0 if word in _PLAIN else math.log(1 + n / counts.get(word, 0.5))

    literals = {word for word in trigger if not is_slot(word)}
    slots = list(dict.fromkeys(word[1] for word in trigger if is_slot(word)))
    # Slots take what no trigger says; a noun stands last among words of its kind ("small red box").
    unknown = [word for word in words if word not in literals and word not in _PLAIN and not counts.get(word)]
    bindings = dict(zip(slots, unknown[-len(slots) :] if slots else [], strict=False))
    if len(bindings) < len(slots):
        return 0.0, {}
    left = {word for word in words if word not in bindings.values()}
    common = sum(map(weight, literals & left))
    every = sum(map(weight, literals | left))
    return (common / every if every else 0.0), bindings
