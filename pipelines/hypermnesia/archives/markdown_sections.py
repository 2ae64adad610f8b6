"""Where a text's sections begin: headings of Markdown (# or underlined) and of reStructuredText, outside of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_HASHES = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RST_UNDERLINE = re.compile(r"([=\-~^\"'`:.*+#_])\1+[ \t]*$")
_NO_TITLE = re.compile(r"\s*$| {4}|\t|\s*(?:[-*+>|]|\d+[.)])\s|\s*\|")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its end; `level` and `heading` where it is, or begins, a heading."""

    text: str
    level: int = 0
    heading: str = ""
    is_fenced: bool = False


def marked_lines(lines: Iterable[str], *, is_rst: bool) -> Iterator[Line]:
    """Lines with the headings among them; an underlined heading is its title's line (or the line over it)."""
    return _rst_lines(lines) if is_rst else _markdown_lines(lines)


def _markdown_lines(lines: Iterable[str]) -> Iterator[Line]:
    fence = ""  # the fence that is open; "---" on the first line opens front matter, which a blank line ends too
    waiting: str | None = None  # a paragraph's first line: a title, if the next line underlines it
    is_after_blank = True
    for n, text in enumerate(lines):
        bare = text.rstrip("\r\n")
        found = _FENCE.match(bare)
        if fence:
            yield Line(text, is_fenced=True)
            is_end = bare.strip() in ("---", "...", "") if fence == "---" else _closes(found, fence)
            fence = "" if is_end else fence
            continue
        if waiting is not None:
            under = _UNDERLINE.match(bare)
            yield Line(waiting, *((1 if under[1][0] == "=" else 2, waiting.strip()) if under else ()))
            waiting, is_after_blank = None, under is not None
            if under:
                yield Line(text)
                continue
        if found or (n == 0 and bare.rstrip() == "---"):
            fence = found[1] if found else "---"
            yield Line(text, is_fenced=True)
        elif hashes := _HASHES.match(bare):
            yield Line(text, len(hashes[1]), (hashes[2] or "").strip() or "#")
        elif is_after_blank and not _NO_TITLE.match(bare):
            waiting = text
        else:
            yield Line(text)
        is_after_blank = not bare.strip() or bool(_HASHES.match(bare))
    if waiting is not None:
        yield Line(waiting)


def _closes(found: re.Match[str] | None, fence: str) -> bool:
    return found is not None and found[1].startswith(fence) and not found[2].strip()


def _rst_lines(lines: Iterable[str]) -> Iterator[Line]:
    """reStructuredText: a title's level is the order in which its kind of line is first seen."""
    levels: list[str] = []
    over: str | None = None
    title: str | None = None
    is_after_blank = True
    for text in lines:
        bare = text.rstrip()
        found = _RST_UNDERLINE.match(bare)
        if title is not None:
            if found and len(bare) >= len(title.rstrip()) and (over is None or over.rstrip() == bare):
                kind = bare[0] * (2 if over else 1)
                levels += [kind] if kind not in levels else []
                yield Line(over or title, levels.index(kind) + 1, title.strip())
                yield from (Line(line) for line in ([title, text] if over else [text]))
                over, title, is_after_blank = None, None, True
                continue
            yield from (Line(line) for line in (over, title) if line is not None)
            over, title, is_after_blank = None, None, False
        if over is not None and (found or not bare):
            yield Line(over)
            over, is_after_blank = None, True
        if found and is_after_blank and over is None:
            over = text
        elif bare and (over is not None or (is_after_blank and not text[0].isspace())):
            title = text
        else:
            yield Line(text)
        is_after_blank = not bare
    yield from (Line(line) for line in (over, title) if line is not None)
