"""Star alignment of traces: what successes of one template have in common.

The centre is the medoid: the trace with the largest summed longest common subsequence (LCS) with the others.
Every trace is aligned to it alone, so the result does not depend on their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

#: So many different traces, the most frequent first, may be the centre.
_MOST_CENTRES = 40


def common_pairs(one: Sequence[T], other: Sequence[T]) -> list[tuple[int, int]]:
    """The positions (i, j) of one longest common subsequence, in order; ties go to the later positions."""
    n, m = len(one), len(other)
    length = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n):
        row, above = length[i + 1], length[i]
        for j in range(m):
            row[j + 1] = above[j] + 1 if one[i] == other[j] else max(above[j + 1], row[j])
    pairs = []
    i, j = n, m
    while i and j:
        if one[i - 1] == other[j - 1]:
            pairs.append((i - 1, j - 1))
            i, j = i - 1, j - 1
        elif length[i - 1][j] >= length[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def medoid(traces: Sequence[tuple[T, ...]]) -> tuple[T, ...]:
    """The centre of traces; the smaller one in words where two are as near."""
    counts = Counter(traces)
    ranked = sorted(counts, key=lambda trace: (-counts[trace], repr(trace)))[:_MOST_CENTRES]

    def nearness(trace: tuple[T, ...]) -> float:
        """Twice the common part over both lengths, summed over the traces."""
        return sum(
            counts[other] * 2 * len(common_pairs(trace, other)) / (len(trace) + len(other) or 1) for other in ranked
        )

    return min(ranked, key=lambda trace: (-round(nearness(trace), 9), repr(trace)))
