"""Markdown and other text: a file is a document, each of its sections a message of kind `document`.

A section is what stands from one heading to the next, its heading included, cut at the ends of paragraphs into
parts of about `PART_CHARACTERS` at most; its text is exactly the file's characters from `start` to `end`. It is
named by its headings and its ordinal among sections of that name, so that a new section elsewhere renames none.
A file is named by its name, without a folder, and is taken for a document only by its ending.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from hypermnesia.archives.files import HEAD_BYTES, encoding_of
from hypermnesia.archives.markdown_sections import Line, marked_lines
from hypermnesia.archives.text_lines import read_text_lines, refusal_of
from hypermnesia.ports import Entry, Refusal

ENDINGS = (".md", ".markdown", ".txt", ".rst")
PART_CHARACTERS = 4_000

_TITLE_LINES = 50


class MarkdownReader:
    """Reads text files as documents."""

    name = "markdown"

    def recognises(self, path: Path, head: str) -> bool:
        """Text under a text file's ending. Asked last: an exported chat is text too."""
        if not path.name.lower().endswith(ENDINGS) or "\x00" in head:
            return False
        with path.open("rb") as file:
            data = file.read(HEAD_BYTES)
        encoding, skip = encoding_of(data)
        try:
            codecs.getincrementaldecoder(encoding)("surrogatepass").decode(data[skip:])
        except UnicodeDecodeError:
            return False
        return True

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Sections in the file's order; a line that can't be read is refused, and counts no characters."""
        refused: list[Refusal] = []
        document = _Document(_title(path))
        is_empty = True
        for line in chain(_lines(path, refused), [None]):
            found: list[Entry | Refusal] = [*refused, *(document.add(line) if line else document.end())]
            refused.clear()
            is_empty = is_empty and not found
            yield from found
        if is_empty:
            yield Refusal("empty_file", "the end", "the file holds no text; remove it")


def _lines(path: Path, refused: list[Refusal]) -> Iterator[Line]:
    """The file's lines with their headings; what can't be read goes into `refused`."""

    def texts() -> Iterator[str]:
        for number, line, problem in read_text_lines(path):
            if line is None:
                refused.append(refusal_of(number, problem))
            else:
                yield line

    return marked_lines(texts(), is_rst=path.suffix.lower() == ".rst")


def _title(path: Path) -> str:
    """The first heading of level 1 near the file's top, else the file's name."""
    headings = [line for line in islice(_lines(path, []), _TITLE_LINES) if line.level == 1]
    return headings[0].heading if headings else path.stem


class _Document:
    """A document whose lines are still coming: holds one part of one section."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._headings: list[tuple[int, str]] = []
        self._ordinals: Counter[str] = Counter()
        self._text = ""
        self._start = 0
        self._paragraph_end = 0  # in `_text`; 0 is none

    def add(self, line: Line) -> Iterator[Entry]:
        if line.level:
            yield from self._flush(len(self._text))
            self._headings = [h for h in self._headings if h[0] < line.level] + [(line.level, line.heading)]
        rest = line.text
        while len(self._text) + len(rest) > PART_CHARACTERS:
            if self._text.strip():
                yield from self._flush(self._paragraph_end or len(self._text))
            else:
                whole = self._text + rest
                end = _break(whole[:PART_CHARACTERS])
                self._text, rest = whole[:end], whole[end:]
                yield from self._flush(end)
        self._text += rest
        if not line.text.strip() and not line.is_fenced and self._text.strip():
            self._paragraph_end = len(self._text)

    def end(self) -> Iterator[Entry]:
        yield from self._flush(len(self._text))

    def _flush(self, end: int) -> Iterator[Entry]:
        """The part up to `end`, without blank lines around it; the rest stays."""
        part, self._text = self._text[:end], self._text[end:]
        start, self._start, self._paragraph_end = self._start, self._start + len(part), 0
        text = part.strip()
        if not text:
            return
        start += part.index(text)
        section = " > ".join(heading for _, heading in self._headings)
        self._ordinals[section] += 1
        named = {"title": self._title, "section": section, "start": str(start), "end": str(start + len(text))}
        yield Entry(
            user=None,
            conversation="",  # the document is the archive: two of one name in two folders differ
            locator=f"characters {start} to {start + len(text)}",
            text=text,
            speaker=self._title,
            role="user",
            kind="document",
            native_id=f"{section} #{self._ordinals[section]}",
            title=self._title,
            attributes=tuple(named.items()),
        )


def _break(text: str) -> int:
    """Where to cut a line that is too long: behind its last space, if there is one."""
    return text.rstrip().rfind(" ") + 1 or len(text)
