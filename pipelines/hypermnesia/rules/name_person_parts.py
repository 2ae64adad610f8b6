"""A person's name in parts: titles, given, middle and family names, generation, maiden name, whose relation it is.

English and European order: given names first, or "Family, Given". Han, kana and Hangul names are not taken apart.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from hypermnesia.rules.name_blockers import owner_of
from hypermnesia.rules.name_tokens import form_of, without_marks

# Titles that are never a name: they may come off.
_TITLES_WORDS = (
    "mr mister mrs ms miss mx dr doctor prof professor sir madam mme mlle herr frau rev reverend captain capt "
    "sergeant sgt lieutenant lt colonel"
)
_TITLES = frozenset(_TITLES_WORDS.split())
_SUFFIXES_WORDS = "phd md esq esquire dds mba cpa rn jd obe mbe cbe"
_SUFFIXES = frozenset(_SUFFIXES_WORDS.split())
# Titles that are also names (Dean, King, Duke): they only tell sexes apart.
_MEN = "mr mister sir king lord prince duke father herr"
_WOMEN = "mrs ms miss madam mme mlle frau queen lady princess duchess mother"
_SEX = dict.fromkeys(_MEN.split(), "m") | dict.fromkeys(_WOMEN.split(), "f")
_GENERATIONS = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr", "ii": "ii", "iii": "iii", "iv": "iv"}
_PARTICLES_WORDS = "de del della der den di da dos du van von vom zu zur la le ter ten bin ibn al el st mac af av"
_PARTICLES = frozenset(_PARTICLES_WORDS.split())
_MAIDEN = re.compile(r"(?:[\s,(]+(?:née|nee|né)|\s*[,(]\s*(?:born|geb\.?))\s+([^()]+?)\)?$")
_RELATIONS_WORDS = (
    "mother father mom mum dad brother sister son daughter uncle aunt cousin nephew niece grandmother grandfather "
    "grandma grandpa granny grandson granddaughter husband wife partner spouse fiance fiancé fiancee fiancée "
    "girlfriend boyfriend ex parent parents sibling child kid baby twin stepmother stepfather stepson stepdaughter "
    "boss manager colleague coworker roommate flatmate neighbour neighbor friend landlord landlady doctor dentist "
    "therapist teacher coach trainer mentor vet lawyer accountant nanny babysitter family"
)
RELATIONS = frozenset(_RELATIONS_WORDS.split())
# Nobody is two of these to one person. A boss may be an uncle, a friend a neighbour.
EXCLUSIVE = {
    "mother": 0, "mom": 0, "mum": 0, "father": 1, "dad": 1, "brother": 2, "sister": 3, "son": 4, "daughter": 5,
    "uncle": 6, "aunt": 7, "nephew": 8, "niece": 9, "grandmother": 10, "grandma": 10, "granny": 10, "grandfather": 11,
    "grandpa": 11, "grandson": 12, "granddaughter": 13, "husband": 14, "wife": 15,
}  # fmt: skip


class Person(NamedTuple):
    """A person's name in parts, folded."""

    key: str
    words: tuple[str, ...]  # given, middle and family names, hyphens split
    given: str  # "" where only a family name is known
    middle: tuple[str, ...]
    family: str  # particles and hyphens joined by a space; "" for a bare name
    titles: frozenset[str]
    sex: str
    generation: str
    maiden: str
    has_comma: bool
    relation: tuple[str, str] | None  # (owner, relation)

    @property
    def is_full(self) -> bool:
        """Given and family name are both more than an initial."""
        return len(self.given) > 1 and len(self.family) > 1


@lru_cache(maxsize=65536)
def person_of(name: str) -> Person:
    """The parts of a person's name."""
    form = form_of(name)
    body, maiden = form.key, ""
    if found := _MAIDEN.search(body):
        body, maiden = body[: found.start()], found[1]
    else:
        body = form.body
    relation = relation_of(body)
    body, generation, has_comma = _in_order(body)
    tokens = body.replace(".", " ").replace("'", "").replace('"', " ").split()
    tokens, titles, sex = _without_titles(tokens)
    if len(tokens) > 1 and tokens[-1] in _GENERATIONS:
        generation = _GENERATIONS[tokens.pop()]
    given, middle, family = _parts(tokens, bool(titles))
    words = tuple(w for t in tokens for w in t.split("-") if w)
    return Person(form.key, words, given, middle, family, titles, sex, generation, maiden, has_comma, relation)


def relation_of(body: str) -> tuple[str, str] | None:
    """(owner, relation) of "anna's mother", "my wife" and "mother of anna"."""
    if found := owner_of(body):
        return found
    first, _, rest = body.partition(" ")
    if first in ("my", "our", "your", "his", "her", "their") and rest:
        return first, rest
    if first in RELATIONS and rest.startswith("of "):
        return rest[3:], first
    return None


def _in_order(body: str) -> tuple[str, str, bool]:
    """The body in "Given Family" order, a generation written after a comma, and whether a comma was turned."""
    if "," not in body:
        return body, "", False
    parts = [p.strip() for p in body.split(",") if p.strip()]
    generation = ""
    kept: list[str] = []
    for part in parts:
        plain = part.rstrip(".")
        if kept and plain in _GENERATIONS:
            generation = _GENERATIONS[plain]
        elif not (kept and plain.replace(".", "") in _SUFFIXES):
            kept.append(part)
    if len(kept) == 2:
        return f"{kept[1]} {kept[0]}", generation, True
    return " ".join(kept), generation, False


def _without_titles(tokens: list[str]) -> tuple[list[str], frozenset[str], str]:
    titles: set[str] = set()
    sex = ""
    while len(tokens) > 1 and tokens[0] in _TITLES:
        sex = _SEX.get(tokens[0], sex)
        titles.add(tokens[0])
        tokens = tokens[1:]
    while len(tokens) > 2 and tokens[-1] in _SUFFIXES:
        titles.add(tokens[-1])
        tokens = tokens[:-1]
    if not sex and len(tokens) > 1:
        sex = _SEX.get(tokens[0], "")
    return tokens, frozenset(titles), sex


def _parts(tokens: list[str], has_title: bool) -> tuple[str, tuple[str, ...], str]:
    if not tokens:
        return "", (), ""
    if len(tokens) == 1:
        return ("", (), tokens[0]) if has_title else (tokens[0], (), "")
    start = len(tokens) - 1
    while start > 1 and tokens[start - 1] in _PARTICLES:
        start -= 1
    family = " ".join(tokens[start:]).replace("-", " ")
    given, *middle = [w for t in tokens[:start] for w in t.split("-") if w] or [""]
    return given, tuple(middle), family


def plain(text: str) -> str:
    """A part without marks: how parts are compared when the question is whether they differ."""
    return without_marks(text)
