"""The key under which names are one anchor (DESIGN 4 "Anchor key").

A key folds writing only: compatibility forms, case, quotes, dashes, spaces, invisible characters. Punctuation that
carries meaning and numbers stay, so that C++, C# and C, iOS 1 and iOS 1.1, 11-11 and 11 keep keys of their own.
Word order and number of nouns are not folded: milk chocolate is not chocolate milk.
"""

from __future__ import annotations

import re
import unicodedata

_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u2035\u00b4\u0060\u02b9\u02bb\u02bc\u02bd\u02be\u02bf\u02c8\uff07"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\uff02"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2043"
# Zero width joiners (U+200C, U+200D) stay: Persian, Indic scripts and emoji spell with them.
_INVISIBLE = (
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff"
)
_FOLDED: dict[int, str | None] = {
    **dict.fromkeys(map(ord, _QUOTES), "'"),
    **dict.fromkeys(map(ord, _DOUBLE_QUOTES), '"'),
    **dict.fromkeys(map(ord, _DASHES), "-"),
    **dict.fromkeys(map(ord, _INVISIBLE), None),
}

_ROLES_WORDS = "user assistant system tool human bot chatbot ai model agent speaker narrator function"
_ROLES = frozenset(_ROLES_WORDS.split())
_NUMBERED_ROLE = re.compile(r"(?:user|assistant|speaker|human|agent|bot)[ _-]?\d+")
# "us", "it" and "who" are missing on purpose: case is folded, and US, IT and WHO are names.
_PRONOUNS_WORDS = (
    "i me my mine myself we our ours ourselves you your yours yourself he him his himself she her hers herself its "
    "itself they them their theirs themselves this that these those here there somebody someone something anybody "
    "anyone anything everybody everyone everything nobody nothing"
)
_PRONOUNS = frozenset(_PRONOUNS_WORDS.split())
_GENERIC_WORDS = (
    "information info suggestion suggestions thing things stuff item items matter issue issues topic topics subject "
    "question questions answer answers response message messages conversation chat detail details way ways kind kinds "
    "sort type types part parts lot lots bit example examples case cases fact facts idea ideas reason reasons result "
    "results one ones other others person people time times day days today tomorrow yesterday now advice help problem "
    "problems situation situations experience unknown none null n/a entity object concept location organization"
)
_GENERIC = frozenset(_GENERIC_WORDS.split())
_DETERMINERS = re.compile(r"^(?:the|a|an|this|that|these|those|my|your|our|his|her|their|some|any|other)\s+")


def fold(text: str) -> str:
    """The text with one way of writing: NFKC, casefold, quotes, dashes, spaces. Folding twice changes nothing."""
    folded = text
    while (after := _fold_once(folded)) != folded:
        folded = after
    return folded


def _fold_once(text: str) -> str:
    if text.isascii():
        text = text.replace("`", "'").casefold()
    else:
        plain = unicodedata.normalize("NFKC", text.translate(_FOLDED)).casefold()
        text = unicodedata.normalize("NFKC", plain).translate(_FOLDED)
    text = " ".join(text.split())
    for quote in "'\"":
        if len(text) > 2 and text[0] == text[-1] == quote and quote not in text[1:-1]:
            text = text[1:-1].strip()
    return text


def has_content(text: str) -> bool:
    """Whether a letter, digit or symbol (an emoji counts) is in the text: something that can tell it apart."""
    return any(c.isalnum() or unicodedata.category(c)[0] == "S" for c in text)


def why_no_anchor(name: str) -> str | None:
    """Why a name is no anchor: `empty`, `dialogue_role`, `pronoun` or `generic_word`; None for a name that is one."""
    return _why_no_key(fold(name))


def _why_no_key(key: str) -> str | None:
    if not has_content(key):
        return "empty"
    core = _DETERMINERS.sub("", key)
    if core in _ROLES or _NUMBERED_ROLE.fullmatch(core):
        return "dialogue_role"
    if key in _PRONOUNS:
        return "pronoun"
    return "generic_word" if core in _GENERIC or core in _PRONOUNS else None


def anchor_key(name: str) -> str | None:
    """The key of a name, or None where the name is no anchor (`why_no_anchor` says why): never an empty key."""
    key = fold(name)
    return None if _why_no_key(key) else key
