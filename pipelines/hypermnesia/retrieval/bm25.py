"""BM25 over the rows of one user, with weighted term counts: a row may also be found by what was said around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

K1 = 1.2
B = 0.6  # extraction.md: windows of neighbours make rows alike in length, so length matters less than usual
BLOCK = 1 << 19  # counts from which an index is built at once: what that takes beside the index stays small


class Vocabulary(dict[str, int]):
    """The number of each term; a new one gets the next."""

    def __missing__(self, term: str) -> int:
        self[term] = len(self)
        return self[term]


class Field:
    """The counts of the terms of each row; new terms are added to `vocabulary`.

    Several indexes share a field: each `Part` says to whom its rows lend their terms.
    """

    def __init__(self, rows: Sequence[Sequence[str]], vocabulary: Vocabulary) -> None:
        ids = [vocabulary[term] for row in rows for term in row]
        lengths = np.fromiter((len(row) for row in rows), np.int64, len(rows))
        keys = np.array(ids, np.int64) * max(len(rows), 1) + np.repeat(np.arange(len(rows)), lengths)
        keys.sort()
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        self.terms, self.rows = np.divmod(keys[firsts], max(len(rows), 1))
        self.counts = np.diff(firsts, append=len(keys)).astype(np.float32)
        self.lengths = lengths.astype(np.float64)


@dataclass(frozen=True, slots=True)
class Part:
    """A field whose row r lends its counts to row `target[r]` (itself without a target, none where -1), at `weight`."""

    field: Field
    weight: float = 1.0
    target: Ints | None = None

    def lengths(self, n_rows: int) -> Floats:
        """Shape (n_rows,): the terms that each row is lent."""
        field = self.field
        rows = np.arange(len(field.lengths)) if self.target is None else self.target
        is_kept = rows >= 0
        return np.bincount(rows[is_kept], field.lengths[is_kept] * self.weight, n_rows).astype(np.float64)

    def keys(self, n_rows: int, terms: range) -> tuple[Ints, Any]:
        """term * n_rows + row of each count of some terms that is lent, and the count."""
        field = self.field
        span = slice(*np.searchsorted(field.terms, [terms.start, terms.stop]))
        rows = field.rows[span] if self.target is None else self.target[field.rows[span]]
        is_kept = rows >= 0
        return (field.terms[span] * n_rows + rows)[is_kept], field.counts[span][is_kept] * np.float32(self.weight)


class Bm25:
    """BM25 over weighted counts, as an inverted index: all but the question's part is computed once.

    score(q, r) = sum over t in q of w(t) idf(t) f (k1 + 1) / (f + k1 (1 - b + b len(r) / mean len)),
    idf(t) = ln(1 + (N - n(t) + .5) / (n(t) + .5)), f the weighted count of t in r, N the rows of this
    user alone.
    """

    def __init__(self, n_rows: int, parts: Sequence[Part], vocabulary: Mapping[str, int]) -> None:
        self.n_rows = n_rows
        self._vocabulary = vocabulary
        lengths = sum((part.lengths(n_rows) for part in parts), np.zeros(n_rows, np.float64))
        mean = float(lengths.mean()) if n_rows else 0.0
        norms = K1 * (1 - B + B * (lengths / mean if mean else lengths))
        n_by_term, rows, shares = [], [], []
        for some in _blocks(parts, len(vocabulary)):
            found, counts = _added_up([part.keys(n_rows, some) for part in parts])
            terms, places = np.divmod(found, max(n_rows, 1))
            n_by_term.append(np.bincount(terms - some.start, minlength=len(some)))
            rows.append(places.astype(np.int32))
            shares.append((counts * (K1 + 1) / (counts + norms[places])).astype(np.float32))
        self._starts = np.cumsum(np.concatenate([[0], *n_by_term]))
        self._rows, self._shares = np.concatenate(rows), np.concatenate(shares)

    def scores(self, query: Iterable[tuple[str, float]]) -> Floats:
        """Shape (n_rows,): the score of each row for weighted terms; unknown terms add nothing."""
        out = np.zeros(self.n_rows, np.float64)
        for term, weight in query:
            term_id = self._vocabulary.get(term, len(self._starts))
            if term_id + 1 < len(self._starts):
                span = slice(self._starts[term_id], self._starts[term_id + 1])
                n = span.stop - span.start
                idf = np.log1p((self.n_rows - n + 0.5) / (n + 0.5))
                out[self._rows[span]] += weight * idf * self._shares[span]
        return out


def _blocks(parts: Sequence[Part], n_terms: int) -> list[range]:
    """All terms, in runs of about `BLOCK` counts; at least one run."""
    n_counts = np.cumsum(np.sum([np.bincount(part.field.terms, minlength=n_terms) for part in parts], axis=0))
    cuts = np.searchsorted(n_counts, np.arange(BLOCK, n_counts[-1] if n_terms else 0, BLOCK))
    return [range(start, end) for start, end in pairwise([0, *cuts.tolist(), n_terms])]


def _added_up(lent: Sequence[tuple[Ints, Any]]) -> tuple[Ints, Any]:
    """Keys, ascending and each once, with the sum of their counts."""
    keys = np.concatenate([keys for keys, _ in lent])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.concatenate([counts for _, counts in lent])[order]
    return keys[firsts], np.add.reduceat(counts, firsts) if len(firsts) else counts
