"""What of a turn is its speaker's own running text: the rest is blanked, so that every offset stays.

Code, addresses, lines that quote a message before (">"), and blocks of recalled memory are nobody's claims here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLANKED = (
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(r"`[^`\n]+`"),
    re.compile(r"https?://\S+|www\.\S+|\S+@\S+\.\w+"),
    re.compile(r"^[ \t]*>.*$", re.MULTILINE),
    re.compile(r"<(memor(?:y|ies)|recalled|context)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(
        r"^[^\n]{0,20}\b(?:relevant|recalled|retrieved|saved|stored) (?:memories|memory|context|facts)[^\n]*:[^\n]*\n?"
        r"(?:[ \t]*[-*•\d][^\n]*\n?)*",
        re.MULTILINE | re.IGNORECASE,
    ),
)
_MARKUP = re.compile(r"^[ \t]*(?:#{1,6}|[-*•])[ \t]|\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", re.MULTILINE)
_EMOJI = re.compile(r"[\x00\ud800-\udfff\U0001F000-\U0001FAFF\u2600-\u27BF\u200D\uFE0F]")

_NAMES_IN_ED = "Ahmed|Mohamm?ed|Alfred|Jared|Wilfred|Winifred|Saeed|Rasheed|Waleed|Hamed|Khaled"
# A past form with a capital in front of a sentence without subject is read as a name: "Met with the team".
_STARTS = re.compile(
    r"(?:^|(?<=[.!?\n] ))(?:Met|Got|Went|Took|Made|Saw|Bought|Found|Left|Lost|Won|Came|Had|Ran|Gave|Spent|Built|Felt|"
    rf"Heard|Read|Sold|Brought|Wrote|Ate|Drove|Flew|Caught|Taught|(?!{_NAMES_IN_ED})[A-Z][a-z]{{2,}}ed)"
    r"(?= (?!by\b)[a-z])",
    re.MULTILINE,
)
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})

_LINE_END = re.compile(r"\n")
#: A line of at least so many characters may have been wrapped.
_WRAPPED = 60
_TICK = re.compile(r"(?<=\w)[`\u00b4](?=\w)")

_QUOTED = re.compile(r'"([^"\n]{1,400})"')
_TITLE_WORDS = 6
_SPEAKS = re.compile(r"\b(?:I|I'm|I'll|we|you|he|she|they|it's|don't|can't|will)\b", re.IGNORECASE)


def own_words(text: str) -> str:
    """The text at the same length, blanked where it is not running text, with plain quotes."""
    text = _TICK.sub("'", text.translate(_QUOTES))
    for pattern in (*_BLANKED, _MARKUP, _EMOJI):
        text = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return _STARTS.sub(lambda m: m[0][0].lower() + m[0][1:], text)


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Spans of a text that a sentence never leaves: its lines, where a line does not run on into the next."""
    start = 0
    for line in _LINE_END.finditer(text):
        before = text[start : line.start()]
        runs_on = len(before) > _WRAPPED and text[line.end() : line.end() + 1].islower() and before[-1:] not in ".!?:;"
        if not runs_on:
            yield start, line.end()
            start = line.end()
    if start < len(text):
        yield start, len(text)


def titles(text: str) -> list[tuple[int, int]]:
    """Spans inside double quotes that name a work: a few words that begin with a capital and say no sentence."""
    return [m.span(1) for m in _quoted(text) if _is_title(m[1])]


def quotations(text: str) -> list[tuple[int, int]]:
    """Spans inside double quotes that are somebody's words."""
    return [m.span(1) for m in _quoted(text) if not _is_title(m[1])]


def _quoted(text: str) -> list[re.Match[str]]:
    return list(_QUOTED.finditer(text.translate(_QUOTES)))


def _is_title(words: str) -> bool:
    has_name_form = words[:1].isupper() and not words.rstrip().endswith((".", ",", "!"))
    return has_name_form and len(words.split()) <= _TITLE_WORDS and not _SPEAKS.search(words)
