"""Cyrillic and Greek names against Latin ones: compared by sound, never used as a key of identity."""

from __future__ import annotations

import re
from functools import lru_cache

from anyascii import anyascii

from hypermnesia.rules.name_tokens import without_marks

_CYRILLIC_GREEK = re.compile(r"[\u0370-\u03ff\u0400-\u052f\u1f00-\u1fff]")
_LATIN = re.compile(r"[a-z\u00c0-\u024f]", re.IGNORECASE)
# The scientific way's letters in the English way, before marks are dropped.
_SCIENTIFIC = str.maketrans({"š": "sh", "č": "ch", "ž": "zh", "х": "kh", "щ": "shch"})
# Other ways of writing one sound, longest first.
_SOUNDS = (
    ("schtsch", "shch"), ("tsch", "ch"), ("sch", "sh"), ("kh", "h"), ("tz", "ts"), ("ph", "f"), ("th", "t"),
    ("ks", "x"), ("ou", "u"),
)  # fmt: skip
_LONE_C = re.compile(r"c(?!h)")
_SINGLE = str.maketrans({"w": "v", "g": "h", "y": "i", "j": "i", "q": "k"} | dict.fromkeys("'\"`"))


def is_mixed_pair(a: str, b: str) -> bool:
    """Whether one text holds Cyrillic or Greek letters and no Latin one, and the other Latin letters."""
    return (_is_other(a) and _LATIN.search(b) is not None) or (_is_other(b) and _LATIN.search(a) is not None)


def _is_other(text: str) -> bool:
    return _CYRILLIC_GREEK.search(text) is not None and _LATIN.search(text) is None


@lru_cache(maxsize=65536)
def in_latin(word: str) -> str:
    """A folded word in ASCII letters, marks dropped."""
    return anyascii(without_marks(word)).casefold()


@lru_cache(maxsize=65536)
def sound_of(word: str) -> str:
    """A word as it sounds, whichever way it was brought into Latin letters."""
    text = anyascii(word.translate(_SCIENTIFIC)).casefold()
    for written, sound in _SOUNDS:
        text = text.replace(written, sound)
    text = _LONE_C.sub("ts", text).translate(_SINGLE)
    return re.sub(r"(.)\1+", r"\1", text)
