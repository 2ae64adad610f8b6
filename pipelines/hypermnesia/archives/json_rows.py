"""What the JSON formats share: rows of an array or of lines, the first rows' fields, names and times."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypermnesia.archives.files import encoding_of, read_lines, read_pieces
from hypermnesia.archives.json_items import read_items
from hypermnesia.ports import UNNAMED, Refusal
from hypermnesia.rules.text import one_line

MOST_FIRST_ITEMS = 50

_FIRST_BYTES = 4096
_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,]*")
_COLON = re.compile(r"\s*:\s*")
_EPOCH = re.compile(r"\d{9,11}(\.\d+)?")


class Rest(str):
    """The characters of a value that a head cuts off."""


def read_rows(path: Path, what: str) -> Iterator[tuple[str, Any] | Refusal]:
    """(locator, value) for each item of a JSON array, or for each line of JSON lines.

    What can't be read is a `Refusal`; a broken line costs itself alone.
    """
    if not _is_lines(path):
        yield from read_items(read_pieces(path), what)
        return
    for number, line, problem in read_lines(path):
        locator = f"line {number}"
        if line is None:
            reason, remedy = ("line_too_long", "split it") if problem == "too_long" else ("bad_encoding", "use UTF-8")
            yield Refusal(reason, locator, remedy, problem)
            continue
        try:
            yield locator, json.loads(line)
        except (ValueError, RecursionError) as error:
            yield Refusal("broken_json", locator, "mend or remove the line", one_line(str(error)))


def _is_lines(path: Path) -> bool:
    """Whether the first line is an object of its own: an indented one has its bracket alone on the line."""
    with path.open("rb") as file:
        data = file.read(_FIRST_BYTES)
    encoding, skip = encoding_of(data)
    first = data[skip:].lstrip().split(b"\n", 1)[0].strip()
    return encoding == "utf-8" and first.startswith(b"{") and len(first) > 1


def first_items(head: str) -> Iterator[dict[str, Any]]:
    """The fields of the first objects of an array or of lines; a value that the head cuts off is a `Rest`."""
    at = _skip(head, 0)
    at += head.startswith("[", at)
    for _ in range(MOST_FIRST_ITEMS):
        at = _skip(head, at)
        try:
            value, at = _DECODER.raw_decode(head, at)
        except (ValueError, RecursionError):
            value = _fields(head, at + 1) if head.startswith("{", at) else None
            at = head.find("\n{", at)  # the next line's object, where this one is broken
        if isinstance(value, dict):
            yield value
        if at < 0:
            return


def _fields(head: str, at: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    while head.startswith('"', at := _skip(head, at)):
        try:
            key, at = _DECODER.raw_decode(head, at)
        except ValueError:
            break
        if not (colon := _COLON.match(head, at)):
            break
        try:
            fields[key], at = _DECODER.raw_decode(head, colon.end())
        except (ValueError, RecursionError):
            fields[key] = Rest(head[colon.end() :])
            break
    return fields


def _skip(head: str, at: int) -> int:
    found = _BETWEEN.match(head, at)
    return found.end() if found else at


def holds(value: Any, key: str) -> bool:
    """Whether a list holds an object with this key, or the rest of a list that was cut off does."""
    if isinstance(value, Rest):
        return value.startswith("[") and re.search(rf'"{key}"\s*:', value) is not None
    return isinstance(value, list) and any(isinstance(item, dict) and key in item for item in value)


def name_by_content(value: Any) -> str:
    """A name for a conversation that its archive does not name: the same content has the same name anywhere."""
    return UNNAMED + hashlib.sha256(as_json(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def as_json(value: Any) -> str:
    """A value as JSON text, its keys sorted; text stays as it is."""
    try:
        return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    except RecursionError:  # what could just be read may be too deep to be written
        return "..."


def text_of(value: Any) -> str | None:
    """A text that says something, or a number as text; else None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def read_time(value: Any) -> tuple[str, str]:
    """(as written, ISO) of an ISO time, or of seconds since 1970: an instant in UTC. Raises `ValueError`."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("a time is text or a number")
    try:
        if isinstance(value, str) and not _EPOCH.fullmatch(value.strip()):
            moment = datetime.fromisoformat(value.strip())
        else:
            moment = datetime.fromtimestamp(float(value), UTC)
    except (OverflowError, OSError) as error:
        raise ValueError("the year is out of range") from error
    if not 1 < moment.year < 9999:  # so that no zone moves it out of range
        raise ValueError("the year is out of range")
    return str(value), moment.isoformat()


def time_or_refusal(value: Any, locator: str) -> tuple[str | None, str | None, Refusal | None]:
    """(as written, ISO, None), all None for no time; a time that can't be read is a `Refusal`, its message is kept."""
    if value is None:
        return None, None, None
    try:
        return *read_time(value), None
    except ValueError as error:
        remedy = "write it as ISO 8601 or as seconds since 1970; what it belongs to is kept without it"
        return None, None, Refusal("bad_time", locator, remedy, one_line(str(error)))
