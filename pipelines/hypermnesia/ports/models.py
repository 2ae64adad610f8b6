"""Models: what turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

Vectors = np.ndarray[Any, np.dtype[np.float32]]

TOKEN_BYTES = 4_096  # the most that the tokens of one row take
Packed = bytes | memoryview  # of a mapped file


@dataclass(frozen=True, slots=True)
class Tokens:
    """Compact vectors of a text's words, for late interaction: word pieces and, for each, a direction.

    `pieces` has shape (n,), `vectors` (n, d): only the direction of a vector means something.
    """

    pieces: np.ndarray[Any, np.dtype[np.uint16]]
    vectors: np.ndarray[Any, np.dtype[np.int8]]

    def pack(self) -> bytes:
        """d as 2 bytes, then the pieces (2 bytes each), then the vectors (d bytes each); all little-endian."""
        dimension = np.array([self.vectors.shape[1]], "<u2")
        return dimension.tobytes() + self.pieces.astype("<u2").tobytes() + self.vectors.astype(np.int8).tobytes()


def unpack(packed: Packed) -> Tokens:
    """The tokens that `Tokens.pack` wrote. Raises `ValueError` for bytes that it did not write."""
    dimension = int.from_bytes(packed[:2], "little")
    n, rest = divmod(len(packed) - 2, dimension + 2)
    if len(packed) < 2 or rest:
        raise ValueError(f"{len(packed)} bytes are no tokens of {dimension} dimensions: embed again (`backfill`)")
    pieces = np.frombuffer(packed, "<u2", n, 2)
    return Tokens(pieces, np.frombuffer(packed, np.int8, n * dimension, 2 + 2 * n).reshape(n, dimension))


class Embedder(Protocol):
    """Texts to unit vectors; the same text gives the same vector in any batch."""

    model: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, each row of length 1 (a text without words too)."""
        ...

    def embed_tokens(self, texts: Sequence[tuple[str, str]]) -> tuple[Vectors, list[Tokens]]:
        """Of each (what stands before, text): the vector of both, as `embed` gives it, and the text's own tokens.

        A token's vector depends on what stands before. Of a long text not every word has one.
        """
        ...
