"""The items of a large JSON array, one at a time: an export of gigabytes is never held whole.

Items are cut out by their brackets alone and parsed one by one, so a broken item costs itself and
reading goes on behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from hypermnesia.ports import Refusal
from hypermnesia.rules.text import one_line

Given = TypeVar("Given")

MOST_ITEM_CHARACTERS = 256 * 1024 * 1024

_BETWEEN = re.compile(r"[^\s,]")
_IN_ITEM = re.compile(r'["\[\]{}]')
_IN_LOOSE = re.compile(r'["\[\]{},]')
_IN_STRING = re.compile(r'["\\]')


def read_items(pieces: Iterable[str], what: str = "item") -> Iterator[tuple[str, Any] | Refusal]:
    """(locator, value) for each object or array in the file's array, or for the one object that it is.

    A broken, cut off or gigantic item, and whatever else stands in the array, is a `Refusal` that names its
    ordinal (from 1). Text that ends in bytes that can't be read is a `Refusal` that names the byte.
    """
    cutter = _Cutter()
    try:
        for ordinal, (is_item, text) in enumerate(_cut(pieces, cutter), start=1):
            yield _parse(f"{what} {ordinal}", text, is_item=is_item)
    except UnicodeDecodeError as error:
        remedy = "save the file as UTF-8; what stands behind this byte was not read"
        yield Refusal("bad_encoding", f"byte {error.start}", remedy, one_line(str(error.reason)))
        return
    if cutter.is_array_open:
        yield Refusal("cut_off", "the end", "the file ends inside its array: export the archive again")
    elif cutter.is_empty:
        yield Refusal("empty_file", "the end", "the file holds no JSON: export the archive again")


def read_each(
    items: Iterable[tuple[str, Any] | Refusal], read: Callable[[str, Any], Iterator[Given]]
) -> Iterator[Given | Refusal]:
    """What `read` gives of each (locator, value); an item that is a refusal is one."""
    for item in items:
        if isinstance(item, Refusal):
            yield item
        else:
            yield from read(*item)


def _parse(locator: str, text: str | None, *, is_item: bool) -> tuple[str, Any] | Refusal:
    if text is None:
        return Refusal("item_too_large", locator, f"split it below {MOST_ITEM_CHARACTERS >> 20} Mi characters")
    if not is_item:
        return Refusal("not_an_item", locator, "make it a JSON object, or remove it")
    try:
        return locator, json.loads(text)
    except (ValueError, RecursionError) as error:  # a number of over 4,300 digits is a plain ValueError
        return Refusal("broken_json", locator, "export the archive again, or mend this item", one_line(str(error)))


def _cut(pieces: Iterable[str], cutter: _Cutter) -> Iterator[tuple[bool, str | None]]:
    """Whether it is an item, and its text: cut off at the file's end as it is, None for a gigantic one."""
    for piece in pieces:
        yield from cutter.feed(piece)
    yield from cutter.end()


class _Cutter:
    """Follows brackets and strings across pieces.

    It is between items, in an item (an object or array inside the file's array), or in loose text: a
    scalar or a stray bracket where an item should be.
    """

    def __init__(self) -> None:
        self.is_array_open = False
        self.is_empty = True
        self._depth = 0  # brackets open in the item; 0 is between items
        self._is_loose = False
        self._in_string = False
        self._is_escaped = False
        self._parts: list[str] = []
        self._size = 0

    def feed(self, piece: str) -> Iterator[tuple[bool, str | None]]:
        at = start = 0
        if self._is_escaped and piece:
            at, self._is_escaped = 1, False
        while found := self._marks().search(piece, at):
            mark, at = found.group(), found.end()
            if mark == "\\" and self._in_string:
                self._is_escaped = at == len(piece)
                at += 1
            elif self._in_string:
                self._in_string = False
            elif self._depth:
                if self._follow(mark):
                    yield self._take(piece[start:at], is_item=True)
            elif self._is_loose:
                if mark == '"':
                    self._in_string = True
                else:
                    at -= 1
                    yield self._take(piece[start:at], is_item=False)
            else:
                start = at - 1
                if self._begin(mark):
                    yield self._take(mark, is_item=False)
        if self._depth or self._is_loose:
            self._keep(piece[start:])

    def end(self) -> Iterator[tuple[bool, str | None]]:
        if self._depth or self._is_loose:  # the file ends inside an item
            self.is_array_open = False
            yield self._take("", is_item=not self._is_loose)

    def _marks(self) -> re.Pattern[str]:
        if self._in_string:
            return _IN_STRING
        return _IN_ITEM if self._depth else _IN_LOOSE if self._is_loose else _BETWEEN

    def _follow(self, mark: str) -> bool:
        """Takes a mark inside an item; whether the item ends with it."""
        if mark == '"':
            self._in_string = True
        else:
            self._depth += 1 if mark in "[{" else -1
        return not self._depth

    def _begin(self, mark: str) -> bool:
        """Takes what stands between items; whether it is a stray bracket."""
        self.is_empty = False
        if mark == "{" or (mark == "[" and self.is_array_open):
            self._depth = 1
        elif mark == "[":
            self.is_array_open = True
        elif mark == "]" and self.is_array_open:
            self.is_array_open = False
        elif mark in "]}":
            return True
        else:
            self._is_loose, self._in_string = True, mark == '"'
        return False

    def _keep(self, text: str) -> None:
        self._size += len(text)
        if self._size <= MOST_ITEM_CHARACTERS:
            self._parts.append(text)

    def _take(self, last: str, *, is_item: bool) -> tuple[bool, str | None]:
        self._keep(last)
        text = "".join(self._parts) if self._size <= MOST_ITEM_CHARACTERS else None
        self._parts, self._size, self._depth, self._is_loose = [], 0, 0, False
        return is_item, text
