"""Names as words: the shape on which rules compare (notes: names, section 2).

Separators (hyphens, commas, dots, slashes, brackets) end a word, apostrophes vanish, "&" is "and", letters part from
digits (iOS17 is iOS 17). Digits joined by a separator stay one number (1.1, 11-11, 2031-03-01). Everything else
stays in its word, so that nothing that could carry meaning is dropped (C++, .NET, Yahoo!).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from hypermnesia.rules.anchor_keys import fold

_SEPARATORS = r"\-_,;:/.()\[\]{}\"|\u00b7\u30fb\u2022"
_DOTTED = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![^\W_]))?")
_TOKEN = re.compile(rf"(?<!\S)[^\W\d_]-(?!\S)|(?:(?<!\S)-)?\d+(?:[.,:/\-]\d+)*|(?:(?<!\S)\.)?[^\s\d{_SEPARATORS}]+")
_QUALIFIER = re.compile(r"^(.*\S)\s*\(([^()]*)\)$")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SPECIAL = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ß": "ss", "ı": "i", "ħ": "h", "ŧ": "t"}
)
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u1100-\u11ff]")


class Form(NamedTuple):
    """A name as it is compared."""

    raw: str
    key: str
    body: str  # the key without its trailing "(...)"
    qualifier: tuple[str, ...]  # the words in it
    words: tuple[str, ...]  # the body's


@lru_cache(maxsize=65536)
def form_of(name: str) -> Form:
    """A name's form."""
    key = fold(name)
    body, qualifier = key, ""
    if key.endswith(")") and (found := _QUALIFIER.match(key)):
        body, qualifier = found[1], found[2]
    return Form(name, key, body, words_of(qualifier) if qualifier else (), words_of(body))


def words_of(folded: str) -> tuple[str, ...]:
    """The words of a folded text, in order."""
    text = folded.replace("'", "")
    if "&" in text:
        text = text.replace("&", " and ")
    if "." in text:
        text = _DOTTED.sub(lambda m: m[0].replace(".", "") + " ", text)
    if "#" in text:
        text = re.sub(r"#(?=\d)", " ", text)
    if "," in text:
        text = _THOUSANDS.sub("", text)
    return tuple(_TOKEN.findall(text))


@lru_cache(maxsize=65536)
def without_marks(text: str) -> str:
    """Letters without their marks (é as e, ł as l, й as и)."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text)
    latin = "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", latin).translate(_SPECIAL).replace("\u02b9", "").replace("\u02ba", "")


def same_without_marks(a: str, b: str) -> bool:
    """Whether two folded texts differ in marks only, one side being pure ASCII.

    Where both carry marks, a difference was meant (Änne Müller, Anne Müller). German digraphs count (Döhn, Doehn).
    """
    if a.isascii() == b.isascii():
        return False
    marked, plain = (b, a) if a.isascii() else (a, b)
    return plain in (without_marks(marked), without_marks(marked.translate(_GERMAN)))


def is_number(word: str) -> bool:
    """Whether a word of a form is a number (it may have a sign and separators)."""
    return word[-1].isdecimal()


def is_near(a: str, b: str) -> bool:
    """One typo apart (one edit or swap of neighbours; two from eight letters on)."""
    limit = 2 if min(len(a), len(b)) >= 8 else 1
    return a != b and min(len(a), len(b)) >= 2 and OSA.distance(a, b, score_cutoff=limit) <= limit


def near_form(a: Sequence[str], b: Sequence[str]) -> str | None:
    """How the words of two names are the same but for their form: joined, without marks, in another order."""
    joined_a, joined_b = "".join(a), "".join(b)
    if joined_a == joined_b:
        return "near:joined"
    if without_marks(joined_a) == without_marks(joined_b):
        return "near:marks"
    return "word_order" if sorted(a) == sorted(b) else None


def is_cjk(text: str) -> bool:
    """Whether Han, kana or Hangul is in the text."""
    return _CJK.search(text) is not None


def is_readable(name: str) -> bool:
    """Whether the bundled embedding model can read a name: each of its letters is Latin.

    Other scripts become unknown tokens in it, and then all such names are equal (notes: names, section 5).
    """
    letters = [c for c in name if c.isalpha()]
    return bool(letters) and all(c.isascii() or unicodedata.name(c, "").startswith("LATIN") for c in letters)
