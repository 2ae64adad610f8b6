"""The items of a large JSON array, one at a time: an export of gigabytes is never held whole.

Items are cut out by their brackets alone and parsed one by one, so a broken item costs itself and
reading goes on behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from hypermnesia.ports import Refusal
from hypermnesia.rules.text import one_line

MOST_ITEM_CHARACTERS = 256 * 1024 * 1024

_IN_VALUE = re.compile(r'["\[\]{}]')
_IN_STRING = re.compile(r'["\\]')


def read_items(pieces: Iterable[str], what: str = "item") -> Iterator[tuple[str, Any] | Refusal]:
    """(locator, value) for each object or array in the file's array, or for the one object that it is.

    A broken, cut off or gigantic item is a `Refusal` that names its ordinal (from 1).
    """
    for ordinal, text in enumerate(_cut(pieces), start=1):
        locator = f"{what} {ordinal}"
        if text is None:
            yield Refusal("item_too_large", locator, f"split it below {MOST_ITEM_CHARACTERS >> 20} Mi characters")
            continue
        try:
            yield locator, json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            yield Refusal("broken_json", locator, "export the archive again, or mend this item", one_line(str(error)))


def _cut(pieces: Iterable[str]) -> Iterator[str | None]:
    """The text of each item; what is cut off at the end comes as it is; None for a gigantic one."""
    cutter = _Cutter()
    for piece in pieces:
        yield from cutter.feed(piece)
    yield from cutter.end()


class _Cutter:
    """Follows brackets and strings across pieces. Items stand one level inside the file's array."""

    def __init__(self) -> None:
        self._depth = 0
        self._base = 0
        self._in_string = False
        self._is_escaped = False
        self._parts: list[str] = []
        self._size = 0
        self._started = False

    def feed(self, piece: str) -> Iterator[str | None]:
        at = start = 0
        if not self._started:
            opening = piece.lstrip()
            if not opening:
                return
            self._started = True
            self._base = 1 if opening.startswith("[") else 0
        if self._is_escaped:
            at, self._is_escaped = 1, False
        while True:
            found = (_IN_STRING if self._in_string else _IN_VALUE).search(piece, at)
            if found is None:
                break
            mark, at = found.group(), found.end()
            if mark == "\\":
                if at == len(piece):
                    self._is_escaped = True
                at += 1
            elif mark == '"':
                self._in_string = not self._in_string
            elif mark in "[{":
                if self._depth == self._base:
                    start = at - 1
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth == self._base:
                    self._keep(piece[start:at])
                    yield self._take()
                    start = at
        if self._depth > self._base:
            self._keep(piece[start:])

    def end(self) -> Iterator[str | None]:
        if self._parts or self._depth:  # the file ends inside an item or its array
            yield self._take()

    def _keep(self, text: str) -> None:
        self._size += len(text)
        if self._size <= MOST_ITEM_CHARACTERS:
            self._parts.append(text)

    def _take(self) -> str | None:
        text = "".join(self._parts) if self._size <= MOST_ITEM_CHARACTERS else None
        self._parts, self._size = [], 0
        return text
