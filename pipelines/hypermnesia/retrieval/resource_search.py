"""Search over one user's documents and other resources by title, section path and text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hypermnesia.retrieval.bm25 import Bm25, Floats, count_terms
from hypermnesia.retrieval.tokens import terms

# A word of a title or heading says what a whole section is about.
TITLE_WEIGHT, SECTION_WEIGHT = 2.0, 2.0


class ResourceSearch:
    """The lexical index of some resources, given as (title, section path, text)."""

    def __init__(self, resources: Sequence[tuple[str, str, str]]) -> None:
        vocabulary: dict[str, int] = {}
        places = np.arange(len(resources), dtype=np.int64)
        titles, sections, texts = (
            count_terms(terms(resource[part] for resource in resources), vocabulary) for part in range(3)
        )
        parts = [texts, titles.moved(places, TITLE_WEIGHT), sections.moved(places, SECTION_WEIGHT)]
        self._index = Bm25(len(resources), parts, vocabulary)

    def scores(self, query: str) -> Floats:
        """Shape (n,): 0 for a resource that has no word of the query."""
        return self._index.scores((term, 1.0) for term in dict.fromkeys(terms([query])[0]))
