"""Which rows of a long history are ranked in full: candidates by two exact scans, of compact vectors and of words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hypermnesia.ports.models import Vectors
from hypermnesia.retrieval.bm25 import Floats, Ints

FULL_SCAN = 3_000  # rows up to which every row is a candidate
N_BY_WORDS = 200  # by each index of words, and by vectors (retrieval.md: .95 of the evidence of 15 thousand rows)
N_SAMPLED = 256  # rows by which a feature's mean and deviation are told
SKETCH_DIMENSION = 64
N_FITTED = 4_096


class Sketch:
    """Vectors along the principal axes of their user's own, for a scan that is exact in those; none for few rows."""

    def __init__(self, vectors: Vectors) -> None:
        self._axes = self._compact = None
        if len(vectors) > FULL_SCAN:
            sample = vectors[:: -(-len(vectors) // N_FITTED)].astype(np.float64)
            _, axes = np.linalg.eigh(sample.T @ sample)
            self._axes = axes[:, ::-1][:, :SKETCH_DIMENSION].astype(np.float32)
            self._compact = vectors @ self._axes

    def scores(self, vector: Vectors) -> Floats | None:
        """Shape (n,): about the cosine of each row with a question; None where no scan is needed."""
        if self._axes is None or self._compact is None:
            return None
        return (self._compact @ (vector @ self._axes)).astype(np.float64)


def candidates(n_rows: int, scores: Iterable[Floats]) -> Ints:
    """Rows to rank, ascending: all of few, else the best by each of some scores (those above 0) and the sample."""
    if n_rows <= FULL_SCAN:
        return np.arange(n_rows)
    return np.unique(np.concatenate([sample(n_rows), *(_best(s, N_BY_WORDS) for s in scores)]))


def sample(n_rows: int) -> Ints:
    """Rows at equal distances, all of few."""
    return np.arange(0, n_rows, 1 if n_rows <= FULL_SCAN else n_rows // N_SAMPLED)


def _best(scores: Floats, n: int) -> Ints:
    if n >= len(scores):
        return np.flatnonzero(scores > 0)
    top = np.argpartition(-scores, n)[:n]
    return top[scores[top] > 0]
