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


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Sparse counts, three arrays of one length: row `rows[i]` has term `terms[i]` with weight `weights[i]`."""

    rows: Ints
    terms: Ints
    weights: Floats

    def moved(self, target: Ints, weight: float) -> TermCounts:
        """The same counts lent by each row r to row target[r] (none where it is -1), at `weight`."""
        rows = target[self.rows]
        is_kept = rows >= 0
        return TermCounts(rows[is_kept], self.terms[is_kept], self.weights[is_kept] * weight)


def count_terms(rows: Sequence[Sequence[str]], vocabulary: dict[str, int]) -> TermCounts:
    """Counts of each row's terms, weight 1 an occurrence; new terms are added to `vocabulary`."""
    term_ids = [vocabulary.setdefault(term, len(vocabulary)) for row in rows for term in row]
    lengths = np.fromiter((len(row) for row in rows), np.int64, len(rows))
    return TermCounts(
        np.repeat(np.arange(len(rows)), lengths), np.array(term_ids, np.int64), np.ones(len(term_ids), np.float64)
    )


class Bm25:
    """An inverted index with the share of the score that each (term, row) adds.

    score(q, r) = sum over t in q of w(t) idf(t) f (k1 + 1) / (f + k1 (1 - b + b len(r) / mean len)),
    idf(t) = ln(1 + (N - n(t) + .5) / (n(t) + .5)), f the weighted count of t in r, N the rows of this
    user alone.
    """

    def __init__(self, n_rows: int, parts: Sequence[TermCounts], vocabulary: Mapping[str, int]) -> None:
        self.n_rows = n_rows
        self._vocabulary = vocabulary
        n_terms = len(vocabulary)
        keys = np.concatenate([p.terms * max(n_rows, 1) + p.rows for p in parts])
        weights = np.concatenate([p.weights for p in parts])
        unique, place = np.unique(keys, return_inverse=True)
        counts = np.bincount(place, weights, len(unique))
        terms, self._rows = np.divmod(unique, max(n_rows, 1))
        self._starts = np.searchsorted(terms, np.arange(n_terms + 1))
        lengths = np.bincount(self._rows, counts, n_rows)
        mean = float(lengths.mean()) if n_rows else 0.0
        relative = lengths / mean if mean else lengths
        frequency = np.bincount(terms, minlength=n_terms)
        idf = np.log1p((n_rows - frequency + 0.5) / (frequency + 0.5))
        self._shares = idf[terms] * counts * (K1 + 1) / (counts + K1 * (1 - B + B * relative[self._rows]))

    def scores(self, query: Iterable[tuple[str, float]]) -> Floats:
        """Shape (n_rows,): the score of each row for weighted terms; unknown terms add nothing."""
        out = np.zeros(self.n_rows, np.float64)
        for term, weight in query:
            term_id = self._vocabulary.get(term)
            if term_id is not None:
                span = slice(self._starts[term_id], self._starts[term_id + 1])
                out[self._rows[span]] += weight * self._shares[span]
        return out
