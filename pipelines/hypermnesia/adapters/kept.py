"""What a reader of an unchanging store has read, kept within a number of entries, the least recently used dropped."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

Entry = TypeVar("Entry")


class Kept(Generic[Entry]):
    """Entries by user and id. Several threads may read; what two of them miss at once is read twice."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._entries: OrderedDict[tuple[str, str], Entry] = OrderedDict()

    def read(
        self, user_id: str, ids: Iterable[str], read: Callable[[list[str]], Iterable[tuple[str, Entry]]]
    ) -> dict[str, Entry]:
        """id -> entry of those of the ids that there are; `read` is asked for what is not kept, all at once."""
        found: dict[str, Entry] = {}
        missing: list[str] = []
        with self._lock:
            for one in ids:
                if (entry := self._entries.get((user_id, one))) is None:
                    missing.append(one)
                else:
                    self._entries.move_to_end((user_id, one))
                    found[one] = entry
        if missing:
            new = dict(read(missing))
            found |= new
            with self._lock:
                self._entries.update({(user_id, one): entry for one, entry in new.items()})
                while len(self._entries) > self._most:
                    self._entries.popitem(last=False)
        return found
