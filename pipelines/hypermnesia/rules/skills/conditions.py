"""Conditions: words of the answer before a step that separate the runs which took it from those which did not."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
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
        if hit >= SEPARATES and miss <= 1 - SEPARATES:
            found.append((miss - hit, word))
    return min(found)[1] if found else None


def find_reactions(
    runs: Sequence[tuple[Sequence[Deed], Sequence[str]]], things: Collection[str]
) -> Iterator[tuple[int, Deed, Deed, str]]:
    """(run, access, step, word): steps on one thing that runs take right behind an access to it where a word says so.

    "go to _" and then "open _" where the answer says "closed": true of every place, so also of those that no run
    of a template came by. `runs` are (steps, answers). Each run gives each rule once.
    """
    answers: dict[Pattern, list[tuple[Pattern | None, frozenset[str]]]] = defaultdict(list)
    taken: dict[tuple[Pattern, Pattern], list[tuple[int, Deed, Deed]]] = defaultdict(list)
    for n, (deeds, said) in enumerate(runs):
        for deed, following in pairwise(deeds):
            if not deed.has_worked or len(deed.action.arguments) != 1:
                continue
            is_same = following.has_worked and following.action.arguments == deed.action.arguments
            is_step = is_same and following.action.skeleton != deed.action.skeleton
            step = following.action.skeleton if is_step else None
            answers[deed.action.skeleton].append((step, words_of(said[deed.index], things)))
            if step:
                taken[deed.action.skeleton, step].append((n, deed, following))
    for (access, step), pairs in sorted(taken.items()):
        with_step = [words for found, words in answers[access] if found == step]
        without = [words for found, words in answers[access] if found != step]
        word = separating_word(with_step, without)
        if word is None:
            continue
        first_of_run = {n: (deed, following) for n, deed, following in reversed(pairs)}
        for n, (deed, following) in sorted(first_of_run.items()):
            yield n, deed, following, word
