"""Text to search terms: Unicode words, English stems, character pairs where a script has no spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import Stemmer

from hypermnesia.rules.function_words import STOP_WORDS

# Combining signs that are part of a word although Python's \w leaves them out (Hebrew, Arabic, Indic, Thai, Burmese).
_SIGNS = "\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u102b-\u103e"
_WORD = re.compile(rf"(?:[^\W_]|[{_SIGNS}])+(?:'(?:[^\W_])+)*")
_ASCII_WORD = re.compile("[a-z0-9]+(?:'[a-z0-9]+)*")  # the same words of lower-case ASCII, in half the time
_LATIN_ACCENTS = re.compile("[\u0300-\u036f]")
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")  # Thai, kana, Han, Hangul


def words(text: str) -> list[str]:
    """Words in order, without case and Latin accents; an apostrophe inside a word stays."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'")).casefold()
    return _WORD.findall(unicodedata.normalize("NFC", _LATIN_ACCENTS.sub("", plain)))


def terms(texts: Iterable[str]) -> list[list[str]]:
    """The search terms of each text, in order, with repeats; English function words are left out."""
    known = _TermsOfWords()
    return [[term for word in words(text) for term in known[word]] for text in texts]


@lru_cache(maxsize=1 << 15)  # names come again with every question about their hub
def distinct_terms(name: str) -> frozenset[str]:
    """The search terms of a name."""
    return frozenset(terms([name])[0])


class _TermsOfWords(dict[str, tuple[str, ...]]):
    """The search terms of each word that was looked up, told once."""

    def __init__(self) -> None:
        self._stem = Stemmer.Stemmer("english").stemWord  # own: a stemmer must not be shared between threads

    def __missing__(self, word: str) -> tuple[str, ...]:
        if word in STOP_WORDS:
            found: tuple[str, ...] = ()
        elif word.isascii():
            found = (self._stem(word),)
        elif _UNSPACED.search(word):
            found = tuple(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found = (word,)
        self[word] = found
        return found
