"""Bytes of an archive as text, in pieces of bounded size."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

HEAD_BYTES = 256 * 1024
PIECE_BYTES = 1024 * 1024
MOST_LINE_BYTES = 16 * 1024 * 1024

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def read_head(path: Path) -> str:
    """The file's first characters; bytes that are no text are replaced."""
    with path.open("rb") as file:
        data = file.read(HEAD_BYTES)
    encoding, skip = encoding_of(data)
    return data[skip:].decode(encoding, "replace")


def encoding_of(head: bytes) -> tuple[str, int]:
    """The encoding that the first bytes name, and how many bytes name it; UTF-8 where none do."""
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return encoding, len(bom)
    return "utf-8", 0


def read_pieces(path: Path) -> Iterator[str]:
    """The file's text in pieces of about `PIECE_BYTES`.

    Surrogates written as bytes pass (text repair joins them). Raises `UnicodeDecodeError`, its `start`
    counted from the file's beginning.
    """
    with path.open("rb") as file:
        encoding, offset = encoding_of(file.read(4))
        file.seek(offset)
        decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
        while data := file.read(PIECE_BYTES):
            pending = len(decoder.getstate()[0])
            try:
                yield decoder.decode(data)
            except UnicodeDecodeError as error:
                error.start += offset - pending
                raise
            offset += len(data)
        pending = len(decoder.getstate()[0])
        try:
            yield decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            error.start += offset - pending
            raise


def read_lines(path: Path) -> Iterator[tuple[int, str | None, str]]:
    """(line number from 1, text, "") a line; text is None for one that can't be read, with the reason.

    Blank lines are left out. A line over `MOST_LINE_BYTES` is passed over without being held.
    """
    with path.open("rb") as file:
        encoding, skip = encoding_of(file.read(4))
        file.seek(skip)
        if encoding != "utf-8":
            yield 1, None, f"the file is {encoding}"
            return
        number = 0
        while line := file.readline(MOST_LINE_BYTES + 1):
            number += 1
            if len(line) > MOST_LINE_BYTES:
                while line and not line.endswith(b"\n"):
                    line = file.readline(MOST_LINE_BYTES)
                yield number, None, "too_long"
                continue
            if line.strip():
                try:
                    yield number, line.decode("utf-8", "surrogatepass"), ""
                except UnicodeDecodeError as error:
                    yield number, None, f"byte {error.start} is not UTF-8"
