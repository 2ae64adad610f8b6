"""Conditions: words of the answer before a step that separate the runs which took it from those which did not."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hypermnesia.rules.skills.abstraction import Deed, Pattern

_WORD = re.compile(r"[a-z][a-z'-]+")
_BINDING = frozenset(
    (
        "a", "an", "and", "are", "at", "been", "by", "for", "from", "has", "have", "here", "i", "in", "is", "it",
        "its", "no", "not", "now", "of", "on", "or", "that", "the", "there", "this", "to", "was", "with", "you",
        "your",
    )
)  # fmt: skip

#: A word separates where at least this share of the answers before the step have it, and at most the rest of others.
SEPARATES = 0.8

#: A word needs so many answers with the step behind them, and as many without.
_LEAST = 3


def words_of(answer: str, things: Collection[str]) -> frozenset[str]:
    """The words of an answer that say something, without the names of things."""
    words = frozenset(_WORD.findall(answer.lower()))
    return words.difference(_BINDING, things)


def separates(word: str, before_step: Sequence[frozenset[str]], before_others: Sequence[frozenset[str]]) -> bool:
    """Whether the answers before the step have a word and the others do not. Each element is one run's words."""
    if min(len(before_step), len(before_others)) < _LEAST:
        return False
    hit, miss = (sum(word in words for words in of_one) / len(of_one) for of_one in (before_step, before_others))
    return _is_apart(hit, miss)


def separating_word(before_step: Sequence[frozenset[str]], before_others: Sequence[frozenset[str]]) -> str | None:
    """The word that the answers before the step have and the others do not; None where none separates.

    Each element is one run's words. Of words that separate equally well the first of the alphabet is taken.
    """
    if min(len(before_step), len(before_others)) < _LEAST:
        return None
    with_word = Counter(word for words in before_step for word in words)
    without = Counter(word for words in before_others for word in words)
    found: list[tuple[float, str]] = []
    for word, n in with_word.items():
        hit, miss = n / len(before_step), without[word] / len(before_others)
        if _is_apart(hit, miss):
            found.append((miss - hit, word))
    return min(found)[1] if found else None


def _is_apart(hit: float, miss: float) -> bool:
    return hit >= SEPARATES and miss <= 1 - SEPARATES


@dataclass
class Reactions:
    """Steps on one thing that runs take right behind an access to it, and the answers to all accesses.

    "go to _" and then "open _" where the answer says "closed": true of every place, so also of those that no run
    of a template came by. `answers` of each kind of access are (kind of step or None, words); `taken` are
    (run, access, step) of each pair of kinds, each run once.
    """

    answers: dict[Pattern, list[tuple[Pattern | None, frozenset[str]]]]
    taken: dict[tuple[Pattern, Pattern], dict[int, tuple[Deed, Deed]]]

    def word_of(self, access: Pattern, step: Pattern) -> str | None:
        """The word that says when the step is taken, or None."""
        return separating_word(*self._apart(access, step))

    def says_when(self, access: Pattern, step: Pattern, word: str) -> bool:
        """Whether a word says when the step is taken."""
        return separates(word, *self._apart(access, step))

    def _apart(self, access: Pattern, step: Pattern) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
        answers = self.answers.get(access, [])
        return [words for found, words in answers if found == step], [
            words for found, words in answers if found != step
        ]

    def found(self) -> Iterator[tuple[int, Deed, Deed, str]]:
        """(run, access, step, word) of every pair of kinds that a word says when."""
        for (access, step), of_run in sorted(self.taken.items()):
            word = self.word_of(access, step)
            if word is not None:
                for n, (deed, following) in sorted(of_run.items()):
                    yield n, deed, following, word


def read_reactions(runs: Sequence[tuple[Sequence[Deed], Sequence[str]]], things: Collection[str]) -> Reactions:
    """The reactions of runs, which are (steps, answers)."""
    reactions = Reactions(defaultdict(list), defaultdict(dict))
    for n, (deeds, said) in enumerate(runs):
        for deed, following in pairwise(deeds):
            if not deed.has_worked or len(deed.action.arguments) != 1:
                continue
            step = following.action.skeleton if is_reaction(deed, following) else None
            reactions.answers[deed.action.skeleton].append((step, words_of(said[deed.index], things)))
            if step:
                reactions.taken[deed.action.skeleton, step].setdefault(n, (deed, following))
    return reactions


def is_reaction(access: Deed, step: Deed) -> bool:
    """Whether a step does something else with the one thing that the access before it was about."""
    both_worked = access.has_worked and step.has_worked and step.index == access.index + 1
    is_same_thing = step.action.arguments == access.action.arguments and len(access.action.arguments) == 1
    return both_worked and is_same_thing and step.action.skeleton != access.action.skeleton
