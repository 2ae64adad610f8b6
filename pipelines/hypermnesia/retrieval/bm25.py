"""BM25 over the rows of one user, with weighted term counts: a row may also be found by what was said around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

K1 = 1.2
B = 0.6  # extraction.md: windows of neighbours make rows alike in length, so length matters less than usual


class Field:
    """The counts of the terms of each row, as an inverted index; new terms are added to `vocabulary`.

    Several indexes share a field: each `Part` says to whom its rows lend their terms.
    """

    def __init__(self, rows: Sequence[Sequence[str]], vocabulary: dict[str, int]) -> None:
        ids = [vocabulary.setdefault(term, len(vocabulary)) for row in rows for term in row]
        lengths = np.fromiter((len(row) for row in rows), np.int64, len(rows))
        keys = np.array(ids, np.int64) * max(len(rows), 1) + np.repeat(np.arange(len(rows)), lengths)
        unique, counts = np.unique(keys, return_counts=True)
        terms, found = np.divmod(unique, max(len(rows), 1))
        self._starts = np.searchsorted(terms, np.arange(len(vocabulary) + 1))
        self._rows = found.astype(np.int32)
        self._counts = counts.astype(np.float32)
        self.lengths = lengths.astype(np.float64)

    def postings(self, term_id: int) -> tuple[Any, Any]:
        """The rows that have a term, and how often."""
        if term_id + 1 >= len(self._starts):
            return self._rows[:0], self._counts[:0]
        span = slice(self._starts[term_id], self._starts[term_id + 1])
        return self._rows[span], self._counts[span]


@dataclass(frozen=True, slots=True)
class Part:
    """A field whose row r lends its counts to row `target[r]` (itself without a target, none where -1), at `weight`."""

    field: Field
    weight: float = 1.0
    target: Ints | None = None

    def lent(self, rows: Any, values: Any) -> tuple[Any, Any]:
        """Rows and values as they are lent."""
        if self.target is None:
            return rows, values * self.weight
        moved = self.target[rows]
        is_kept = moved >= 0
        return moved[is_kept], values[is_kept] * self.weight


class Bm25:
    """BM25 over weighted counts.

    score(q, r) = sum over t in q of w(t) idf(t) f (k1 + 1) / (f + k1 (1 - b + b len(r) / mean len)),
    idf(t) = ln(1 + (N - n(t) + .5) / (n(t) + .5)), f the weighted count of t in r, N the rows of this
    user alone.
    """

    def __init__(self, n_rows: int, parts: Sequence[Part], vocabulary: Mapping[str, int]) -> None:
        self.n_rows = n_rows
        self._parts = parts
        self._vocabulary = vocabulary
        lengths = np.zeros(n_rows, np.float64)
        for part in parts:
            rows, values = part.lent(np.arange(len(part.field.lengths)), part.field.lengths)
            lengths += np.bincount(rows, values, n_rows) if n_rows else 0.0
        mean = float(lengths.mean()) if n_rows else 0.0
        self._norms = K1 * (1 - B + B * (lengths / mean if mean else lengths))

    def scores(self, query: Iterable[tuple[str, float]]) -> Floats:
        """Shape (n_rows,): the score of each row for weighted terms; unknown terms add nothing."""
        out = np.zeros(self.n_rows, np.float64)
        for term, weight in query:
            term_id = self._vocabulary.get(term)
            if term_id is None or not self.n_rows:
                continue
            lent = [part.lent(*part.field.postings(term_id)) for part in self._parts]
            rows = np.concatenate([rows for rows, _ in lent])
            counts = np.bincount(rows, np.concatenate([values for _, values in lent]), self.n_rows)
            found = np.flatnonzero(counts)
            idf = np.log1p((self.n_rows - len(found) + 0.5) / (len(found) + 0.5))
            f = counts[found]
            out[found] += weight * idf * f * (K1 + 1) / (f + self._norms[found])
        return out
