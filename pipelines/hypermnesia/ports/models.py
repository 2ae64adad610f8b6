"""Models: what turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np


class Embedder(Protocol):
    """Texts to unit vectors; the same text gives the same vector in any batch."""

    model: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Shape (len(texts), dimension), float32, each row of length 1 (a text without words too)."""
        ...
