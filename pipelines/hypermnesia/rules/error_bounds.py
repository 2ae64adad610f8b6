"""How large an error may be behind a count of wrong ones: exact intervals of a binomial share."""

from __future__ import annotations

from math import comb, exp, log1p


def upper_bound(n_wrong: int, n: int, confidence: float = 0.95) -> float:
    """The upper end of the exact two-sided interval of a share (Clopper and Pearson 1934); 1.0 where `n` is 0.

    The share at which so few wrong ones, or fewer, come up with a probability of (1 - confidence) / 2.
    """
    if n_wrong >= n:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(n_wrong, n, middle) > (1 - confidence) / 2:
            low = middle
        else:
            high = middle
    return high


def _at_most(n_wrong: int, n: int, share: float) -> float:
    """The probability of at most `n_wrong` of `n` at this share."""
    if share <= 0:
        return 1.0
    if share >= 1:
        return 0.0
    term = exp(n * log1p(-share))  # of none
    if term == 0.0:
        return 0.0
    odds = share / (1 - share)
    return float(sum(term * comb(n, k) * odds**k for k in range(n_wrong + 1)))
