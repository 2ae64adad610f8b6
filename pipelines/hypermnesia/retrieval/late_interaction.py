"""Late interaction: each word of a question against a row's words, as vectors (ColBERT, Khattab and Zaharia 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hypermnesia.ports import Tokens
from hypermnesia.ports.models import Packed, Vectors, unpack
from hypermnesia.retrieval.bm25 import Floats, Ints

Similarities = np.ndarray[Any, np.dtype[np.float32]]
N_PIECES = 1 << 16
READ = 4_096  # rows whose tokens are read at once
CACHED = 2_048  # tokens whose numbers fit in a processor's cache: half the time of all at once


class TokenTable:
    """The token vectors of some rows in one array; a row may have none."""

    def __init__(self, rows: Sequence[Packed]) -> None:
        """Raises `ValueError` for bytes that are no tokens, and where rows differ in dimension."""
        counts = np.array([len(unpack(packed).pieces) if packed else 0 for packed in rows], np.int64)
        dimension = next((unpack(packed).vectors.shape[1] for packed in rows if packed), 0)
        self.n_rows = len(rows)
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        self._vectors = np.empty((self._starts[-1], dimension), np.int8)
        self._lengths = np.empty(self._starts[-1], np.float32)
        self._frequency = np.zeros(N_PIECES, np.int64)
        # Some rows at a time into their place: a long history's tokens are not held twice.
        for first in range(0, len(rows), READ):
            tokens = [unpack(packed) for packed in rows[first : first + READ] if packed]
            if tokens:
                span = slice(self._starts[first], self._starts[min(first + READ, len(rows))])
                np.concatenate([t.vectors for t in tokens], out=self._vectors[span])
                _write_lengths(self._vectors[span], self._lengths[span])
                self._frequency += _frequency([t.pieces for t in tokens])

    def weights(self, question: Tokens) -> Floats:
        """Shape (q,), sum 1: how rare each word piece is among the rows, ln(1 + (N - n + .5)/(n + .5))."""
        n = self._frequency[question.pieces]
        idf: Floats = np.log1p((self.n_rows - n + 0.5) / (n + 0.5))
        return idf / idf.sum() if len(idf) else idf

    def best(self, question: Tokens, rows: Ints) -> Similarities:
        """Shape (len(rows), q): the greatest cosine of each question token with a token of each row; 0 without any."""
        counts = self._starts[rows + 1] - self._starts[rows]
        out = np.zeros((len(rows), len(question.pieces)), np.float32)
        if not counts.any() or not out.shape[1]:
            return out
        ends = np.cumsum(counts)
        places = np.arange(ends[-1]) + np.repeat(self._starts[rows] - ends + counts, counts)
        has_any = counts > 0
        out[has_any] = np.maximum.reduceat(self._cosines(question, places), (ends - counts)[has_any], axis=0)
        return out

    def _cosines(self, question: Tokens, places: Ints) -> Similarities:
        """Shape (len(places), q): of some of the tokens with the question's, a part at a time."""
        asked = question.vectors.astype(np.float32)
        asked /= np.maximum(np.linalg.norm(asked, axis=1, keepdims=True), 1)
        out = np.empty((len(places), len(asked)), np.float32)
        for start in range(0, len(places), CACHED):
            part = places[start : start + CACHED]
            np.matmul(self._vectors[part].astype(np.float32), asked.T, out=out[start : start + CACHED])
            out[start : start + CACHED] /= self._lengths[part][:, None]
        return out


def _write_lengths(vectors: np.ndarray[Any, np.dtype[np.int8]], out: Vectors) -> None:
    """The length of each vector, at least 1."""
    for start in range(0, len(vectors), CACHED):
        part = vectors[start : start + CACHED].astype(np.float32)
        out[start : start + CACHED] = np.maximum(np.linalg.norm(part, axis=1), 1)


def _frequency(rows: Sequence[np.ndarray[Any, np.dtype[np.uint16]]]) -> Ints:
    """Shape (N_PIECES,): in how many rows each word piece stands."""
    keys = np.repeat(np.arange(len(rows)) * N_PIECES, [len(pieces) for pieces in rows]) + np.concatenate(rows)
    keys.sort()
    distinct = keys[np.flatnonzero(np.diff(keys, prepend=-1))]
    return np.bincount(distinct % N_PIECES, minlength=N_PIECES)
