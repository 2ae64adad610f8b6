"""Histories that were built, kept while the published generation stays, within a number of rows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime

from hypermnesia.ports import VectorIndex, VectorReader
from hypermnesia.retrieval.history import History, build_history
from hypermnesia.rules.as_of import is_said_after

Key = tuple[str, datetime | None]


class Histories:
    """The histories of the published generation, least recently used ones dropped first.

    Calls may come from several threads; a history is built by one of them.
    """

    def __init__(self, index: VectorIndex, max_rows: int) -> None:
        self._index = index
        self._max_rows = max_rows
        self._lock = threading.Lock()
        self._reader: VectorReader | None = None
        self._kept: OrderedDict[Key, History] = OrderedDict()

    def get(self, user: str, as_of: datetime | None = None) -> History:
        """One user's rows, without those said after `as_of`; empty for an unknown user.

        The newest one used stays even where it alone is over the limit. Raises `LookupError` before
        the first generation.
        """
        with self._lock:
            reader = self._follow()
            whole = self._kept.get((user, None))
            if whole is None:
                whole = self._keep((user, None), build_history(reader.user_rows(user), reader.user_names(user)))
            self._kept.move_to_end((user, None))
            if as_of is None:
                return whole
            if not any(is_said_after(r.said_local, r.said_at, as_of) for r in whole.by_id.values()):
                return whole
            cut = self._kept.get((user, as_of))
            if cut is None:
                said = [r for r in whole.stored() if not is_said_after(r.said_local, r.said_at, as_of)]
                cut = self._keep((user, as_of), build_history(said, whole.names))
            self._kept.move_to_end((user, as_of))
            return cut

    def close(self) -> None:
        """Gives back the reader and drops what is kept."""
        with self._lock:
            self._drop()

    def _follow(self) -> VectorReader:
        """The reader of the published generation; a new one drops what the last one served."""
        if self._reader is None or self._reader.generation != self._index.published():
            self._drop()
            self._reader = self._index.reader()
        return self._reader

    def _drop(self) -> None:
        self._kept.clear()
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _keep(self, key: Key, history: History) -> History:
        self._kept[key] = history
        n_rows = sum(len(h) for h in self._kept.values())
        while n_rows > self._max_rows and len(self._kept) > 1:
            n_rows -= len(self._kept.popitem(last=False)[1])
        return history
