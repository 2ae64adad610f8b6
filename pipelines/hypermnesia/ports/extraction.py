"""Extractors without a model server: passages in, records with their frames out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hypermnesia.rules.extraction import Passage, Reading


class Extractor(Protocol):
    """Reads passages; the same passage gives the same reading, in any batch and any process."""

    @property
    def name(self) -> str:
        """One word."""
        ...

    @property
    def version(self) -> str:
        """What its readings depend on besides the passage."""
        ...

    @property
    def memory_types(self) -> tuple[str, ...]:
        """The types that it covers, whether or not a passage gives records of each."""
        ...

    def read(self, passages: Sequence[Passage]) -> list[Reading]:
        """One reading a passage, in order. Every turn is cited by a record or is in `left_out`."""
        ...
