"""How much of what tells messages apart survives into their records: names, numbers, dates and quoted strings."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: The kinds that are counted.
KINDS = ("name", "number", "date", "quoted")

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTH = rf"(?:{_MONTHS}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|\b{_DAY} (?:of )?{_MONTH}(?:,? \d{{4}})?|"
    rf"\b{_MONTH} {_DAY}\b(?:,? \d{{4}})?|\b{_MONTH},? \d{{4}}\b|"
    r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
)
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d\n]{2,120})[\"\u201d]")
_NUMBER = re.compile(r"(?<![\w.])[$€£]?\d+(?:[.,:]\d+)*%?(?!\w)")
_NAME = re.compile(r"(?<!\w)[^\W\d_a-z][\w'’-]*[\w](?: [^\W\d_a-z][\w'’-]*[\w])*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n\"\u201c]\s*|\)\s+)$")
_SPACE = re.compile(r"\s+")


def distinctive(text: str) -> dict[str, list[str]]:
    """The distinctive strings of a text by kind, each once, in order.

    A name is a run of words with a capital that does not begin a sentence (a first word may be any word).
    What is in a date is no number.
    """
    dates = list(_DATE.finditer(text))
    spans = [m.span() for m in dates]
    numbers = [m[0] for m in _NUMBER.finditer(text) if not _is_in(m.start(), spans)]
    names = [m[0] for m in _NAME.finditer(text) if not _is_in(m.start(), spans) and not _begins(text, m.start())]
    found = {
        "name": [n for n in names if n[0].isupper() and n not in ("I'm", "I've", "I'll", "I'd")],
        "number": numbers,
        "date": [m[0] for m in dates],
        "quoted": [m[1] for m in _QUOTED.finditer(text)],
    }
    return {kind: list(dict.fromkeys(values)) for kind, values in found.items()}


def survival(message_text: str, record_texts: Iterable[str]) -> dict[str, tuple[int, int]]:
    """{kind: (n, n_kept)}: distinctive strings of a message, and those that stand in one of its records."""
    records = [_plain(text) for text in record_texts]
    return {
        kind: (len(values), sum(any(_stands(_plain(v), r) for r in records) for v in values))
        for kind, values in distinctive(message_text).items()
    }


def _stands(value: str, record: str) -> bool:
    """Whether a value is in a record as whole words: 5 is not in 25."""
    start = record.find(value)
    while start >= 0:
        end = start + len(value)
        if not (record[start - 1 : start].isalnum() and value[0].isalnum()) and not (
            record[end : end + 1].isalnum() and value[-1].isalnum()
        ):
            return True
        start = record.find(value, start + 1)
    return False


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).casefold()


def _is_in(start: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(a <= start < b for a, b in spans)


def _begins(text: str, start: int) -> bool:
    return bool(_SENTENCE_START.search(text, max(0, start - 8), start))
