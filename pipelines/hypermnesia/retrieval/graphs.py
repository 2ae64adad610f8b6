"""The published graph, followed: one reader a process, opened again when another generation is published."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from hypermnesia.ports import GraphReader


class PublishedGraph(Protocol):
    """What reading needs of a graph store."""

    def published(self) -> str | None:
        """The published generation's name, or None before the first."""
        ...

    def reader(self) -> GraphReader:
        """A reader of what is published."""
        ...


class Graphs:
    """Lends the reader of the published graph; several threads may borrow it."""

    def __init__(self, index: PublishedGraph) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._reader: GraphReader | None = None
        self._borrowed: Counter[int] = Counter()

    @contextmanager
    def lend(self) -> Iterator[GraphReader]:
        """The reader of what is published now. Raises `LookupError` before the first."""
        reader = self._borrow()
        try:
            yield reader
        finally:
            self._give_back(reader)

    def close(self) -> None:
        """Gives back the reader, once nobody borrows it."""
        with self._lock:
            reader, self._reader = self._reader, None
            if reader is not None and not self._borrowed[id(reader)]:
                reader.close()

    def _borrow(self) -> GraphReader:
        with self._lock:
            if self._reader is None or self._reader.generation != self._index.published():
                new = self._index.reader()
                old, self._reader = self._reader, new
                if old is not None and not self._borrowed[id(old)]:
                    old.close()
            self._borrowed[id(self._reader)] += 1
            return self._reader

    def _give_back(self, reader: GraphReader) -> None:
        with self._lock:
            self._borrowed[id(reader)] -= 1
            if reader is not self._reader and not self._borrowed[id(reader)]:
                del self._borrowed[id(reader)]
                reader.close()
