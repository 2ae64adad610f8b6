"""A JSON document walked along chosen paths: a chat of gigabytes inside an export is never held whole.

Containers whose path is opened are walked into; every other value is parsed by itself, so a broken one costs
itself and reading goes on behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from hypermnesia.archives.json_items import MOST_ITEM_CHARACTERS
from hypermnesia.ports import Refusal
from hypermnesia.rules.text import one_line

#: Keys and ordinals (from 0) from the document's root.
Path = tuple[str | int, ...]

_WORD = re.compile(r"[^\s,:]")
_VALUE = re.compile(r"[^\s:]")
_INSIDE = re.compile(r'["\[\]{}]')
_LOOSE = re.compile(r'["\[\]{},:]|\s')
_IN_STRING = re.compile(r'["\\]')


def read_tree(pieces: Iterable[str], opened: Collection[Path]) -> Iterator[tuple[Path, Any] | Refusal]:
    """(path, value) for each value inside the opened containers, in the document's order.

    `opened` are paths in which "*" stands for any ordinal; () is the document. What can't be parsed is a
    `Refusal` that names its path; text that ends in bytes that can't be read, one that names the byte.
    """
    try:
        yield from _walk(_Scanner(pieces), opened)
    except UnicodeDecodeError as error:
        remedy = "save the file as UTF-8; what stands behind this byte was not read"
        yield Refusal("bad_encoding", f"byte {error.start}", remedy, one_line(str(error.reason)))


def _walk(scanner: _Scanner, opened: Collection[Path]) -> Iterator[tuple[Path, Any] | Refusal]:
    if not scanner.peek():
        yield Refusal("empty_file", "the end", "the file holds no JSON: export the archive again")
        return
    stack: list[_Open] = []
    is_begun = is_told = False
    while mark := scanner.peek():
        if stack and mark == stack[-1].end:
            scanner.take()
            stack.pop()
            continue
        if is_begun and not stack:
            scanner.value()
            yield Refusal("broken_json", "behind the end", "remove what stands behind the document")
            return
        is_begun = True
        path = stack[-1].next(scanner) if stack else ()
        if path is None:
            yield Refusal("broken_json", _where(stack[-1].path), "export the archive again; a name is missing here")
        elif (mark := scanner.peek(_VALUE)) in ("{", "[") and _pattern(path) in opened:
            scanner.take()
            stack.append(_Open(path, "}" if mark == "{" else "]"))
        elif mark == "," or (stack and mark == stack[-1].end):
            yield Refusal("broken_json", _where(path), "export the archive again; a value is missing here")
        elif mark:
            item = _parse(path, scanner.value())
            is_told = scanner.is_cut_off and isinstance(item, Refusal)
            yield item
    if stack and not is_told:
        yield Refusal("cut_off", "the end", "the file ends inside its document: export the archive again")


class _Open:
    """A container that is walked through."""

    def __init__(self, path: Path, end: str) -> None:
        self.path = path
        self.end = end
        self._n = -1

    def next(self, scanner: _Scanner) -> Path | None:
        """The path of the value that comes next; None where an object has no key for it."""
        if self.end == "]":
            self._n += 1
            return (*self.path, self._n)
        is_key = scanner.peek() == '"'
        try:
            key = json.loads(scanner.value() or "")
        except (ValueError, RecursionError):
            return None
        return (*self.path, key) if is_key else None


def _pattern(path: Path) -> Path:
    return tuple("*" if isinstance(step, int) else step for step in path)


def _where(path: Path) -> str:
    steps = [str(step + 1) if isinstance(step, int) else step for step in path]
    return one_line(" ".join(steps)) or "document"


def _parse(path: Path, text: str | None) -> tuple[Path, Any] | Refusal:
    if text is None:
        return Refusal("item_too_large", _where(path), f"split it below {MOST_ITEM_CHARACTERS >> 20} Mi characters")
    try:
        return path, json.loads(text)
    except (ValueError, RecursionError) as error:
        remedy = "export the archive again, or mend this value"
        return Refusal("broken_json", _where(path), remedy, one_line(str(error)))


class _Scanner:
    """A cursor over pieces of JSON text that cuts out values by their brackets and strings alone."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = iter(pieces)
        self._text = ""
        self._at = 0
        self._is_escaped = False
        self.is_cut_off = False

    def peek(self, marks: re.Pattern[str] = _WORD) -> str:
        """The next character that is no space and no colon, nor a comma but where a value must be; "" at the end."""
        while True:
            if found := marks.search(self._text, self._at):
                self._at = found.start()
                return found.group()
            if not self._more():
                return ""

    def take(self) -> None:
        self._at += 1

    def value(self) -> str | None:
        """The text of the value at the cursor, up to the file's end for one cut off; None for a gigantic one."""
        parts: list[str] = []
        size = depth = 0
        in_string = False
        while True:
            start = self._at
            end, depth, in_string = self._scan(depth, in_string)
            size += self._at - start
            if size <= MOST_ITEM_CHARACTERS:
                parts.append(self._text[start : self._at])
            if not end and not self._more():
                self.is_cut_off = end = True
            if end and not size and self._at < len(self._text):  # a bracket that closes nothing
                self._at += 1
                return self._text[self._at - 1]
            if end:
                return "".join(parts) if size <= MOST_ITEM_CHARACTERS else None

    def _more(self) -> bool:
        self._text, self._at = next(filter(None, self._pieces), ""), 0
        return bool(self._text)

    def _scan(self, depth: int, in_string: bool) -> tuple[bool, int, bool]:
        """Moves to the value's end, or to the piece's: (is at the value's end, depth, in a string)."""
        if self._is_escaped and self._at < len(self._text):
            self._at, self._is_escaped = self._at + 1, False
        while True:
            marks = _IN_STRING if in_string else _INSIDE if depth else _LOOSE
            found = marks.search(self._text, self._at)
            if not found:
                self._at = len(self._text)
                return False, depth, in_string
            mark, self._at = found.group(), found.end()
            if mark == "\\":
                self._is_escaped = self._at == len(self._text)
                self._at += not self._is_escaped
            elif mark == '"':
                in_string = not in_string
                if not in_string and not depth:
                    return True, 0, False
            elif mark in "[{":
                depth += 1
            elif not depth:
                self._at -= 1
                return True, 0, False
            elif mark in "]}":
                depth -= 1
                if not depth:
                    return True, 0, False
