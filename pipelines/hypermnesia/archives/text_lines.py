"""Lines of a text archive as they stand, blank ones and their ends included, in any encoding that its mark names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypermnesia.archives import files
from hypermnesia.ports import Refusal

Line = tuple[int, str | None, str]


def read_text_lines(path: Path) -> Iterator[Line]:
    """(number from 1, line with its end, "") a line; text is None for one that can't be read, with the reason.

    The reason is `line_too_long` or `bad_encoding`; one bad line of UTF-8 costs itself, bad UTF-16 the rest.
    """
    with path.open("rb") as file:
        encoding, skip = files.encoding_of(file.read(4))
    return _utf8_lines(path, skip) if encoding == "utf-8" else _other_lines(path)


def refusal_of(number: int, problem: str) -> Refusal:
    """The refusal of a line that can't be read."""
    remedy = "split the line" if problem == "line_too_long" else "save the file as UTF-8"
    return Refusal(problem, f"line {number}", remedy)


def _utf8_lines(path: Path, skip: int) -> Iterator[Line]:
    with path.open("rb") as file:
        file.read(skip)
        number = 0
        while line := file.readline(files.MOST_LINE_BYTES + 1):
            number += 1
            if len(line) > files.MOST_LINE_BYTES:
                while line and not line.endswith(b"\n"):
                    line = file.readline(files.MOST_LINE_BYTES)
                yield number, None, "line_too_long"
                continue
            try:
                yield number, line.decode("utf-8", "surrogatepass"), ""
            except UnicodeDecodeError:
                yield number, None, "bad_encoding"


def _other_lines(path: Path) -> Iterator[Line]:
    number, kept, size = 1, [""], 0
    try:
        for piece in files.read_pieces(path):
            *whole, rest = piece.split("\n")
            for line in whole:
                text = "".join((*kept, line, "\n"))
                is_too_long = size + len(line) > files.MOST_LINE_BYTES
                yield (number, None, "line_too_long") if is_too_long else (number, text, "")
                number, kept, size = number + 1, [], 0
            size += len(rest)
            if size <= files.MOST_LINE_BYTES:
                kept.append(rest)
    except UnicodeDecodeError:
        yield number, None, "bad_encoding"
        return
    if size:
        yield (number, None, "line_too_long") if size > files.MOST_LINE_BYTES else (number, "".join(kept), "")
