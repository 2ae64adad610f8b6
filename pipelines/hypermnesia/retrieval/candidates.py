"""Which rows of a long history are ranked in full: candidates by exact scans of compact vectors and of words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hypermnesia.ports.models import Vectors
from hypermnesia.retrieval.bm25 import Floats, Ints

FULL_SCAN = 3_000  # rows up to which every row is a candidate
N_CANDIDATES = 400  # `python -m tests.bench.pool`: of 7 thousand rows .99 of what a full scan has among its first 10
N_SAMPLED = 128  # rows by which a feature's mean and deviation are told
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

    def scores(self, vector: Vectors) -> Floats:
        """Shape (n,): about the cosine of each row with a question. Raises `ValueError` where there are few."""
        if self._axes is None or self._compact is None:
            raise ValueError(f"up to {FULL_SCAN} rows need no scan: all of them are candidates")
        return (self._compact @ (vector @ self._axes)).astype(np.float64)


def candidates(n_rows: int, promise: Callable[[], Floats]) -> Ints:
    """Rows to rank, ascending: all of few, else those that promise most, and the sample."""
    if n_rows <= FULL_SCAN:
        return np.arange(n_rows)
    return np.union1d(sample(n_rows), np.argpartition(-promise(), N_CANDIDATES)[:N_CANDIDATES])


def sample(n_rows: int) -> Ints:
    """Rows at equal distances, all of few."""
    return np.arange(n_rows) if n_rows <= FULL_SCAN else np.arange(N_SAMPLED) * n_rows // N_SAMPLED
