"""Search over one user's documents and other resources by title, section path and text."""

from __future__ import annotations

from collections.abc import Sequence

from hypermnesia.retrieval.bm25 import Bm25, Field, Floats, Part, Vocabulary
from hypermnesia.retrieval.tokens import terms

# A word of a title or heading says what a whole section is about.
TITLE_WEIGHT, SECTION_WEIGHT = 2.0, 2.0


class ResourceSearch:
    """The lexical index of some resources, given as (title, section path, text)."""

    def __init__(self, resources: Sequence[tuple[str, str, str]]) -> None:
        vocabulary = Vocabulary()
        titles, sections, texts = (
            Field(terms(resource[part] for resource in resources), vocabulary) for part in range(3)
        )
        parts = [Part(titles, TITLE_WEIGHT), Part(sections, SECTION_WEIGHT), Part(texts)]
        self._index = Bm25(len(resources), parts, vocabulary)

    def scores(self, query: str) -> Floats:
        """Shape (n,): 0 for a resource that has no word of the query."""
        return self._index.scores((term, 1.0) for term in dict.fromkeys(terms([query])[0]))
