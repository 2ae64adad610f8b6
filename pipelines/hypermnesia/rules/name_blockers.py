"""What makes two names different whatever else they share (notes: names, section 2, rules 1 to 3)."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import decimal

from hypermnesia.rules.name_tokens import Form, is_near, is_number, without_marks
from hypermnesia.rules.name_verdicts import Verdict, different, unsure
from hypermnesia.rules.name_vocabulary import CALENDAR, NUMBER_WORDS, OPPOSITES, ORDINAL_WORDS, VARIANTS

Words = tuple[str, ...]

_SYMBOLS = re.compile(r"[+#*@$.\-]")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)")
_LONG_TITLE = 6
_ARTICLES = frozenset(("the", "a", "an"))
_POSSESSIVE = re.compile(r"^(.+?)(?:'s|(?<=s)')\s+(\S.*)$")


def symbols_differ(a: Words, b: Words) -> Verdict | None:
    """C++, C#, C; A+, A-; .NET, net: the same letters with other symbols."""
    if a == b or not any(_SYMBOLS.search(w) and not is_number(w) for w in {*a, *b}):
        return None
    bare_a, bare_b = (tuple(w if is_number(w) else _SYMBOLS.sub("", w) for w in words) for words in (a, b))
    return different("symbol") if bare_a == bare_b else None


@lru_cache(maxsize=65536)
def numbers_of(words: Words) -> tuple[Words, Words]:
    """The numbers in their order, and the ordinals; number words and Roman numerals II to XVI count."""
    numbers: list[str] = []
    ordinals: list[str] = []
    for i, word in enumerate(words):
        if is_number(word):
            is_ordinal = i + 1 < len(words) and _ORDINAL.fullmatch(words[i + 1]) is not None
            (ordinals if is_ordinal else numbers).append(word)
        elif word in NUMBER_WORDS:
            numbers.append(NUMBER_WORDS[word])
        elif word in ORDINAL_WORDS:
            ordinals.append(ORDINAL_WORDS[word])
    return tuple(numbers), tuple(ordinals)


def numbers_differ(a: Words, b: Words) -> Verdict | None:
    """Other numbers in a name are another thing; unsure in long titles, and where only the writing differs."""
    (numbers_a, ordinals_a), (numbers_b, ordinals_b) = numbers_of(a), numbers_of(b)
    if numbers_a != numbers_b:
        if _values(numbers_a) == _values(numbers_b):
            return unsure("number_form")
        if min(len(a), len(b)) >= _LONG_TITLE and _other_words(a) != _other_words(b):
            return unsure("number_in_title")
        return different("number")
    return different("ordinal") if ordinals_a != ordinals_b else None


def _values(numbers: Words) -> list[str]:
    """The digits between separators, without leading zeros, in ASCII."""
    ascii_digits = ("".join(str(decimal(c)) if c.isdecimal() else " " for c in number) for number in numbers)
    return [part.lstrip("0") for digits in ascii_digits for part in digits.split()]


def _other_words(words: Words) -> set[str]:
    return {w for w in words if not is_number(w)}


def calendar_differs(a: Words, b: Words) -> Verdict | None:
    """Other days, months or seasons; where only one name has some, strings cannot tell."""
    dates_a, dates_b = (sorted(CALENDAR[w] for w in words if w in CALENDAR) for words in (a, b))
    if not dates_a or not dates_b or dates_a == dates_b:
        return None
    return different("calendar")


def variant_differs(a: Words, b: Words) -> Verdict | None:
    """iPhone 12 Pro, Max, SE; GPT-4o: the same name but for words or a letter after a number that mark a variant."""
    marks_a, marks_b = ([w for w in words[1:] if w in VARIANTS] for words in (a, b))
    if marks_a != marks_b:
        rest_a, rest_b = ([w for i, w in enumerate(words) if i == 0 or w not in VARIANTS] for words in (a, b))
        if rest_a == rest_b:
            return different("variant")
    if abs(len(a) - len(b)) == 1:
        short, long = sorted((a, b), key=len)
        for i in range(1, len(long)):
            letter = len(long[i]) == 1 and long[i].isalpha() and is_number(long[i - 1])
            if letter and long[:i] + long[i + 1 :] == short:
                return different("variant")
    return None


def one_word_differs(a: Words, b: Words) -> Verdict | None:
    """Plan A, plan B (`letter`); left shoe, right shoe (`opposite`): equal but for one word in one place."""
    if len(a) != len(b):
        return None
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    if len(pairs) != 1:
        return None
    x, y = pairs[0]
    if len(x) == len(y) == 1 and x.isalpha() and y.isalpha():
        return different("letter")
    sides_x, sides_y = OPPOSITES.get(x, {}), OPPOSITES.get(y, {})
    is_opposite = any(side != sides_y[line] for line, side in sides_x.items() if line in sides_y)
    return different("opposite") if is_opposite else None


def qualifier_differs(a: Form, b: Form) -> Verdict | None:
    """Mercury (planet), Mercury (element); unsure where one has none or says more."""
    if a.qualifier == b.qualifier:
        return None
    left, right = ({w for w in f.qualifier if w not in _ARTICLES} for f in (a, b))
    if not left or not right or left <= right or right <= left:
        return unsure("qualifier_on_one_side")
    return different("qualifier")


def owner_of(body: str) -> tuple[str, str] | None:
    """(owner, thing owned) of "anna's house"."""
    found = _POSSESSIVE.match(body) if "'" in body else None
    return (found[1], found[2]) if found else None


def owners_differ(a: str, b: str) -> bool:
    """Whether two owners are surely two: no word in common, no typo apart."""
    left, right = ({without_marks(w) for w in owner.replace("-", " ").split()} for owner in (a, b))
    if left & right:
        return False
    return not any(is_near(x, y) or x[0] == y[0] for x in left for y in right)


def owner_differs(a: str, b: str) -> Verdict | None:
    """Anna's house is not Tom's; nor is it, by its name, a house of nobody."""
    left, right = owner_of(a), owner_of(b)
    if left is None or right is None:
        return None
    return different("owner") if left[1] == right[1] and owners_differ(left[0], right[0]) else None
