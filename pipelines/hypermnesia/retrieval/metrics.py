"""Measures of retrieved evidence, and what is known of their differences: pure functions over numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import comb

import numpy as np

from hypermnesia.retrieval.bm25 import Floats

DRAWS = 2_000


def recall(found: Iterable[str], evidence: Collection[str]) -> float:
    """Share of the evidence that was found."""
    return len(set(found) & set(evidence)) / len(evidence)


def precision(found: Sequence[str], evidence: Collection[str]) -> float:
    """Share of what was found that is evidence; 0 where nothing was."""
    return sum(f in evidence for f in found) / len(found) if found else 0.0


def reciprocal_rank(found: Iterable[str], evidence: Collection[str]) -> float:
    """One over the place of the first evidence found; 0 without any."""
    return next((1 / place for place, f in enumerate(found, start=1) if f in evidence), 0.0)


def interval(differences: Floats, groups: Sequence[str] | None = None) -> tuple[float, float]:
    """95% bootstrap interval of a mean of paired differences; whole groups are drawn where they are named.

    Questions of one conversation are not independent: the interval by conversation is the honest one, and few
    conversations make it wide. Draws are the same at every call.
    """
    if not len(differences):
        return 0.0, 0.0
    names, codes = np.unique(list(groups) if groups else np.arange(len(differences)), return_inverse=True)
    sums, counts = np.bincount(codes, differences), np.bincount(codes)
    drawn = np.random.default_rng(0).integers(len(names), size=(DRAWS, len(names)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def mcnemar(one: Iterable[bool], other: Iterable[bool]) -> dict[str, float]:
    """Exact McNemar test of two paired outcomes: questions that only one gets, and the two-sided p."""
    pairs = list(zip(one, other, strict=True))
    only_one, only_other = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
    n = only_one + only_other
    tail = sum(comb(n, k) for k in range(min(only_one, only_other) + 1)) / 2**n
    return {"only_first": only_one, "only_second": only_other, "p": min(1.0, 2 * tail)}


def separation(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Chance that a number of the first kind is above one of the second (area under the ROC curve); ties count half."""
    if not higher or not lower:
        return 0.5
    first, second = np.asarray(higher), np.sort(np.asarray(lower))
    below = np.searchsorted(second, first, "left") + np.searchsorted(second, first, "right")
    return float(below.mean() / 2 / len(second))
