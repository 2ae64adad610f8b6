"""Late interaction: each word of a question against a row's words, as vectors (ColBERT, Khattab and Zaharia 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hypermnesia.ports import Tokens
from hypermnesia.ports.models import Vectors, unpack
from hypermnesia.retrieval.bm25 import Floats, Ints

Similarities = np.ndarray[Any, np.dtype[np.float32]]
N_PIECES = 1 << 16
CACHED = 2_048  # tokens whose numbers fit in a processor's cache: half the time of all at once


class TokenTable:
    """The token vectors of some rows in one array; a row may have none."""

    def __init__(self, rows: Sequence[bytes]) -> None:
        tokens = [unpack(packed) if packed else None for packed in rows]
        some = [t for t in tokens if t is not None]
        self.n_rows = len(rows)
        self._starts = np.cumsum([0, *(len(t.pieces) if t else 0 for t in tokens)])
        self._vectors = np.concatenate([t.vectors for t in some]) if some else np.zeros((0, 0), np.int8)
        self._lengths = _lengths(self._vectors)
        self._pieces = np.concatenate([t.pieces for t in some]) if some else np.zeros(0, np.uint16)
        row_of = np.repeat(np.arange(len(rows)), np.diff(self._starts))
        distinct = np.unique(self._pieces.astype(np.int64) * max(len(rows), 1) + row_of)
        self._frequency = np.bincount(distinct // max(len(rows), 1), minlength=N_PIECES)

    def packed(self, row: int) -> bytes:
        """A row's tokens as they were given."""
        span = slice(self._starts[row], self._starts[row + 1])
        return Tokens(self._pieces[span], self._vectors[span]).pack() if span.start < span.stop else b""

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


def _lengths(vectors: np.ndarray[Any, np.dtype[np.int8]], step: int = 65_536) -> Vectors:
    """Lengths of many vectors, at least 1, a part at a time."""
    out = np.ones(len(vectors), np.float32)
    for start in range(0, len(vectors), step):
        part = vectors[start : start + step].astype(np.float32)
        out[start : start + step] = np.maximum(np.linalg.norm(part, axis=1), 1)
    return out
