"""Two plain rankings of one user's rows, to compare with: BM25 over each row's own words, and cosine."""

from __future__ import annotations

import numpy as np

from hypermnesia.ports import IndexRow
from hypermnesia.ports.models import Vectors
from hypermnesia.retrieval.bm25 import Bm25, Field, Floats, Part, Vocabulary
from hypermnesia.retrieval.history import History
from hypermnesia.retrieval.tokens import terms


class Baselines:
    """What the two rankings need of one history, made once."""

    def __init__(self, history: History) -> None:
        self._history = history
        vocabulary = Vocabulary()
        own = Field(terms(row.text for row in history.rows), vocabulary)
        self._words = Bm25(len(history), [Part(own)], vocabulary)
        self._vectors = np.stack([row.vector for row in history.rows]) if len(history) else None

    def by_words(self, question: str, n: int) -> list[IndexRow]:
        """The best `n` rows by BM25."""
        return self._best_first(self._words.scores([(term, 1.0) for term in terms([question])[0]]), n)

    def by_vectors(self, vector: Vectors, n: int) -> list[IndexRow]:
        """The best `n` rows by cosine; `vector` is the question's, of length 1."""
        return [] if self._vectors is None else self._best_first((self._vectors @ vector).astype(np.float64), n)

    def _best_first(self, scores: Floats, n: int) -> list[IndexRow]:
        """In the order of a ranking: score to 6 decimals, then row_id."""
        order = np.lexsort((self._history.id_ranks, -np.round(scores, 6)))
        return [self._history.rows[i] for i in order[:n]]
