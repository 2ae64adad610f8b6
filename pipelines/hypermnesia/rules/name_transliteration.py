"""Cyrillic and Greek names against Latin ones: compared by sound, never used as a key of identity."""

from __future__ import annotations

import re
from functools import lru_cache

from anyascii import anyascii

from hypermnesia.rules.name_tokens import without_marks

_CYRILLIC_GREEK = re.compile(r"[\u0370-\u03ff\u0400-\u052f\u1f00-\u1fff]")
_LATIN = re.compile(r"[a-z\u00c0-\u024f]", re.IGNORECASE)
# Ways of writing one sound, longest first; what is left of the scientific, English and German ways is equal then.
_SOUNDS = [
    ("shch", "sc"), ("schtsch", "sc"), ("sch", "s"), ("tsch", "c"), ("sh", "s"), ("ch", "c"), ("zh", "z"),
    ("kh", "h"), ("ts", "c"), ("tz", "c"), ("ph", "f"), ("th", "t"), ("ks", "x"), ("ou", "u"),
]  # fmt: skip
_SINGLE = str.maketrans({"w": "v", "g": "h", "y": "i", "j": "i", "'": None, '"': None, "`": None, "q": "k"})


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
    text = anyascii(word.replace("х", "kh").replace("щ", "shch")).casefold()
    for written, sound in _SOUNDS:
        text = text.replace(written, sound)
    text = text.translate(_SINGLE)
    text = re.sub(r"i+(?=[aeou])", "i", text)
    return re.sub(r"(.)\1+", r"\1", text)
