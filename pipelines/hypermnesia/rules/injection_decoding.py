"""What a text may hide: the readings that a reader, or a model, could make of it (notes/governance.md, row 10).

Decoding comes before any cue: zero-width and tag characters, look-alike letters, leetspeak, spaced letters,
base64, hex, percent signs, ROT13, reversed text, and what markup keeps from a person's eyes.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

PLAIN = "plain"

_TAGS = range(0xE0020, 0xE007F)
_FOLDED = str.maketrans({"‘": "'", "’": "'", "`": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-"})
#: Cyrillic and Greek letters that look like Latin ones.
_FOREIGN_FORMS = "аеорсухіјѕһԁԛԝвкмнтАЕОРСУХІЈЅВКМНТοανιρτυκχΟΑΝΙΡΤΥΚΧΕΗΜΒΖ"
_LATIN_FORMS = "aeopcyxijshdqwbkmhtAEOPCYXIJSBKMHToaviptukxOANIPTYKXEHMBZ"
_LOOK_ALIKE = dict(zip(_FOREIGN_FORMS, _LATIN_FORMS, strict=True))
_TOKEN = re.compile(r"[^\W\d_]+")
_LEET = str.maketrans("01345789@$!", "oieastbgasi")
_LEET_WORD = re.compile(r"(?<!\S)(?=\S*[a-z])(?=\S*[0134578@$])[a-z0-9@$!]{3,}(?=[\s.,;:]|$)")
_SPACED = re.compile(r"(?<!\w)\w(?:[ ]{1,3}\w(?!\w)){4,}|(?<!\w)\w(?:[-_.*]\w(?!\w)){2,}")
_RUN_TOGETHER = re.compile(
    r"(ignore|forget|disregard|previous|prior|instructions?|rules?|remember|memory|store|save|always|"
    r"the|user|admin|that|and|all|from|now|on|every|reply)"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_HEX = re.compile(r"(?:\\x|0x)?[0-9a-fA-F]{2}(?:(?:\\x|[ :])?[0-9a-fA-F]{2}){11,}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}[\w.-]?){6,}\S*")
_HIDDEN = re.compile(
    r"<!--(.*?)-->|^\[[^\]]{0,30}\]: ?#? ?[(\"'](.*?)[)\"']\s*$|"
    r"<[^>]*(?:display: ?none|visibility: ?hidden|font-size: ?0|opacity: ?0|color: ?(?:white|#fff\w*)|"
    r"\bhidden)[^>]*>(.*?)<|"
    r"\b(?:alt|title|aria-label|content)=[\"']([^\"']{12,})[\"']",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_ENGLISH = "the and that you all your of to is in for from this user are with it always never not"
_COMMON = frozenset(_ENGLISH.split())
_WORDS = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Decoded:
    """One reading of a text: `how` names what was undone ("plain" where only letters were folded)."""

    how: str
    text: str


def decode(text: str) -> tuple[Decoded, ...]:
    """Every reading of a text, the plain one first. Case is kept; the same text is given once."""
    plain = unhide(text)
    readings = {plain: PLAIN}
    for how, found in _decoded(text, plain):
        readings.setdefault(found, how)
    return tuple(Decoded(how, found) for found, how in readings.items())


def unhide(text: str) -> str:
    """The text as it looks: compatibility forms and look-alike letters folded, invisible characters gone."""
    seen = html.unescape(unicodedata.normalize("NFKC", text)).translate(_FOLDED)
    kept = "".join(c for c in seen if c in "\n\t\u200d" or unicodedata.category(c) not in ("Cf", "Cc"))
    return _latin(kept.replace("\u200d", ""))


def _latin(text: str) -> str:
    """Look-alike letters as Latin ones in words that mix scripts, and in all words of a text that is Latin."""
    if text.isascii():
        return text
    foreign = [c for c in text if c in _LOOK_ALIKE or unicodedata.name(c, "").startswith(("CYRILLIC", "GREEK"))]
    is_latin = bool(foreign) and all(c in _LOOK_ALIKE for c in foreign) and bool(re.search("[A-Za-z]{2}", text))

    def fold(word: re.Match[str]) -> str:
        is_mixed = bool(re.search("[A-Za-z]", word[0]))
        return "".join(_LOOK_ALIKE.get(c, c) for c in word[0]) if is_latin or is_mixed else word[0]

    return _TOKEN.sub(fold, text) if foreign else text


def _decoded(text: str, plain: str) -> Iterator[tuple[str, str]]:
    tags = "".join(chr(ord(c) - 0xE0000) for c in text if ord(c) in _TAGS)
    if tags:
        yield "tag_characters", tags
    low = plain.lower()
    if _LEET_WORD.search(low):
        yield "leetspeak", _LEET_WORD.sub(lambda m: m[0].translate(_LEET), low)
    if _SPACED.search(low):
        yield "spaced_letters", _SPACED.sub(lambda m: _joined(m[0]), low)
    for found in _HIDDEN.finditer(plain):
        hidden = next((group for group in found.groups() if group), "")
        if hidden.strip():
            yield "hidden_markup", hidden.strip()
    for how, spans in (("base64", _BASE64), ("hex", _HEX), ("percent", _PERCENT)):
        for found in spans.finditer(plain):
            if said := _said(how, found[0]):
                yield how, unhide(said)
    for how, turned in (("rot13", codecs.encode(low, "rot13")), ("reversed", low[::-1])):
        if n_common(turned) >= max(3, 2 * n_common(low) + 1):
            yield how, turned


def n_common(text: str) -> int:
    """How many of the commonest English words, with repetition, a lower-case text has."""
    return sum(word in _COMMON for word in _WORDS.findall(text))


def _joined(run: str) -> str:
    """Letters of a spaced run joined to words: wider gaps part them, else words that give orders do."""
    if "  " in run:
        return " ".join("".join(word.split()) for word in re.split(r" {2,}", run))
    return " ".join(_RUN_TOGETHER.sub(r" \1 ", re.sub(r"[^\w]|_", "", run)).split())


def _said(how: str, code: str) -> str | None:
    """What a code says, where that is text with words; None for anything else (a hash, a token, a picture)."""
    try:
        if how == "base64":
            padded = code.rstrip("=").replace("-", "+").replace("_", "/")
            data = base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
        elif how == "hex":
            data = bytes.fromhex(re.sub(r"\\x|0x|[ :]", "", code))
        else:
            data = unquote(code).encode()
        said = data.decode("utf-8")
    except (binascii.Error, ValueError):
        return None
    is_text = all(c.isprintable() or c in "\n\t" for c in said)
    return said if is_text and (" " in said.strip() or not said.isascii()) else None
