"""Histories that were built, kept while the published generation stays, within a number of rows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime

from hypermnesia.ports import VectorIndex, VectorReader
from hypermnesia.retrieval.entry import Names
from hypermnesia.retrieval.history import History, build_history
from hypermnesia.rules.as_of import is_said_after

Key = tuple[str | None, str, datetime | None]  # generation, user, as of


class Histories:
    """The histories of the published generation, least recently used ones dropped first.

    Calls may come from several threads. A history is built by one of them, for which those that ask for the same
    wait, and nobody else: a long history that is cold holds up no other user.
    """

    def __init__(self, index: VectorIndex, max_rows: int) -> None:
        self._index = index
        self._max_rows = max_rows
        self._lock = threading.Lock()
        self._reading = threading.Lock()  # a reader is asked by one thread at a time
        self._reader: VectorReader | None = None
        self._kept: OrderedDict[Key, Future[History]] = OrderedDict()

    def get(self, user: str, as_of: datetime | None = None) -> History:
        """One user's rows, without those said after `as_of`; empty for an unknown user.

        The newest one used stays even where it alone is over the limit. Raises `LookupError` before
        the first generation.
        """
        generation = self._index.published()
        whole = self._get((generation, user, None), lambda: self._read(user))
        return whole if as_of is None else self._get((generation, user, as_of), lambda: _cut(whole, as_of))

    def close(self) -> None:
        """Gives back the reader and drops what is kept."""
        with self._reading, self._lock:
            self._kept.clear()
            self._drop_reader()

    def _get(self, key: Key, build: Callable[[], History]) -> History:
        with self._lock:
            kept = self._kept.get(key)
            found = kept or self._kept.setdefault(key, Future())
            self._kept.move_to_end(key)
        if kept is None:
            try:
                found.set_result(build())
            except BaseException as error:
                with self._lock:
                    self._kept.pop(key, None)
                found.set_exception(error)
                raise
            self._trim(key[0])
        return found.result()

    def _read(self, user: str) -> History:
        with self._reading:
            reader = self._follow()
            rows, names = reader.user_rows(user), reader.user_names(user)
        return build_history(rows, Names(names))

    def _follow(self) -> VectorReader:
        """The reader of the published generation."""
        if self._reader is None or self._reader.generation != self._index.published():
            self._drop_reader()
            self._reader = self._index.reader()
        return self._reader

    def _drop_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _trim(self, generation: str | None) -> None:
        """Drops what other generations served, then the least recently used until the rest is within its rows."""
        with self._lock:
            for key in [key for key in self._kept if key[0] != generation]:
                del self._kept[key]
            while len(self._kept) > 1 and self._n_rows() > self._max_rows:
                self._kept.popitem(last=False)

    def _n_rows(self) -> int:
        """Rows of the histories that are built; one that stands under several moments counts once."""
        built = {id(h): len(h) for h in (f.result() for f in self._kept.values() if f.done())}
        return sum(built.values())


def _cut(whole: History, as_of: datetime) -> History:
    """A history without what was said after a moment; itself where nothing was."""
    rows = whole.by_id.values()
    earlier = [row for row in rows if not is_said_after(row.said_local, row.said_at, as_of)]
    return whole if len(earlier) == len(rows) else build_history(earlier, whole.names)
