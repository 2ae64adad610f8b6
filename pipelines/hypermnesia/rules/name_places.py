"""Names of places (notes: names, section 2, rules 5 and 11)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hypermnesia.rules import name_regions as regions
from hypermnesia.rules.name_nouns import blocked, without_article
from hypermnesia.rules.name_tokens import Form, form_of, is_cjk, is_near, same_without_marks, without_marks, words_of
from hypermnesia.rules.name_verdicts import Verdict, different, same, unsure

Words = tuple[str, ...]

_STREETS = {
    "st": "street", "str": "street", "ave": "avenue", "av": "avenue", "blvd": "boulevard", "rd": "road",
    "dr": "drive", "ln": "lane", "ct": "court", "sq": "square", "pl": "place", "hwy": "highway", "pkwy": "parkway",
    "ter": "terrace", "terr": "terrace", "cir": "circle", "trl": "trail", "cres": "crescent",
}  # fmt: skip
_STREET_TYPES = frozenset(_STREETS.values()) | {"way", "alley", "row", "walk", "loop", "close", "mews"}
_BEGINNINGS = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort", "pt": "point"}
_DIRECTIONS = {w: w for w in ["north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest"]}
_LETTER_DIRECTIONS = {"n": "north", "s": "south", "e": "east", "w": "west", "ne": "northeast", "nw": "northwest"}
_LETTER_DIRECTIONS |= {"se": "southeast", "sw": "southwest"}
# "Lake Michigan", "Gulf of Mexico": what follows is the name, not where it lies.
_NO_HEADS_WORDS = "lake mount mt new old port fort ft north south east west upper lower gulf bay of the in"
_NO_HEADS = frozenset(_NO_HEADS_WORDS.split())


class Place(NamedTuple):
    """A place's name: the place, and where it lies."""

    form: Form
    head: Words  # abbreviations written out
    region: str  # US or Canadian region, written out
    country: str
    elsewhere: Words  # qualifiers that are neither
    code: str  # the code as which the region was written, "" if in full


@lru_cache(maxsize=65536)
def place_of(name: str) -> Place:
    """The parts of a place's name."""
    form = form_of(name)
    parts = [p for p in (words_of(part) for part in form.body.split(",")) if p]
    if not parts:
        return Place(form, form.words, "", "", (), "")
    head, quals = parts[0], [" ".join(p) for p in parts[1:]]
    if not quals:
        head, last = _qualifier_without_comma(form.raw, head)
        quals = [last] if last else []
    region = country = code = ""
    elsewhere: list[str] = []
    for qual in quals:
        full = regions.CODES.get(qual, qual)
        if full in regions.REGIONS and not region:
            region, code = full, qual if qual != full else ""
        elif (known := regions.COUNTRY_ALIASES.get(qual, qual)) in regions.COUNTRIES and not country:
            country = known
        else:
            elsewhere.append(qual)
    whole = regions.COUNTRY_ALIASES.get(" ".join(head)) if not quals else None
    head = tuple(whole.split()) if whole else _written_out(without_article(head))
    return Place(form, head, region, country, tuple(elsewhere), code)


def _qualifier_without_comma(raw: str, words: Words) -> tuple[Words, str]:
    """Murrieta CA, Clinton Iowa: a code in capitals or a region's name after the place's."""
    whole = " ".join(words)
    if len(words) < 2 or whole in regions.REGIONS or whole in regions.COUNTRIES:
        return words, ""
    if words[-1] in regions.CODES and raw.rstrip(". ").split()[-1].replace(".", "").isupper() and not raw.isupper():
        return words[:-1], words[-1]
    for n in (3, 2, 1):
        end = " ".join(words[-n:])
        if len(words) > n and end in regions.REGIONS and words[-n - 1] not in _NO_HEADS:
            return words[:-n], end
    return words, ""


def _written_out(head: Words) -> Words:
    words = list(head)
    last = len(words) - 1
    for i, word in enumerate(words):
        if word in _BEGINNINGS and i < last:
            words[i] = _BEGINNINGS[word]
    ends = _DIRECTIONS.keys() | _LETTER_DIRECTIONS.keys()
    end = last - 1 if last > 1 and words[last] in ends else last
    if end > 0 and words[end] in _STREETS:
        words[end] = _STREETS[words[end]]
    if end > 0 and words[end] in _STREET_TYPES:
        for i in {0, last}:
            words[i] = _LETTER_DIRECTIONS.get(words[i], words[i])
    return tuple(words)


def judge_places(name_a: str, name_b: str) -> Verdict:
    """Two names of places."""
    a, b = place_of(name_a), place_of(name_b)
    if a.form.words == b.form.words:
        return same("punct") if a.form.qualifier == b.form.qualifier else unsure("qualifier_on_one_side")
    return (
        _direction_differs(a, b)
        or _street_type_differs(a, b)
        or blocked(a.form._replace(words=a.head), b.form._replace(words=b.head))
        or _lies_elsewhere(a, b)
        or _accepted(a, b)
        or _left_unsure(a, b)
    )


def _direction_differs(a: Place, b: Place) -> Verdict | None:
    directions_a, directions_b = ([w for w in p.head if w in _DIRECTIONS] for p in (a, b))
    if directions_a == directions_b:
        return None
    rest_a, rest_b = (tuple(w for w in p.head if w not in _DIRECTIONS) for p in (a, b))
    return different("place:direction") if rest_a == rest_b and rest_a else None


def _street_type_differs(a: Place, b: Place) -> Verdict | None:
    if len(a.head) != len(b.head) or len(a.head) < 2 or a.head[:-1] != b.head[:-1]:
        return None
    x, y = a.head[-1], b.head[-1]
    return different("place:street_type") if x != y and x in _STREET_TYPES and y in _STREET_TYPES else None


def _lies_elsewhere(a: Place, b: Place) -> Verdict | None:
    """Springfield, IL and Springfield, MA; a code that may also be a country's (CA, DE, IN) stays unsure."""
    if a.region and b.region:
        return different("place:qualifier") if a.region != b.region else None
    for x, y in ((a, b), (b, a)):
        if x.region and not x.country and y.country and not y.region:
            home = "united states" if x.region in regions.US_REGIONS else "canada"
            if y.country == home:
                return None
            return unsure("place:code_or_country") if x.code else different("place:qualifier")
    country_a, country_b = (regions.WITHIN.get(p.country, p.country) for p in (a, b))
    return different("place:qualifier") if country_a and country_b and country_a != country_b else None


def _accepted(a: Place, b: Place) -> Verdict | None:
    if (a.region, a.country, a.elsewhere) != (b.region, b.country, b.elsewhere):
        return None
    if a.head == b.head:
        if a.region and bool(a.code) != bool(b.code):
            return same("place:region_abbrev")
        is_street_or_saint = without_article(a.form.words) != without_article(b.form.words)
        return same("place:abbrev") if is_street_or_saint else same("article")
    if is_cjk(a.form.key) and "".join(a.head) == "".join(b.head):
        return same("joined_cjk")
    return same("place:diacritics") if same_without_marks(" ".join(a.head), " ".join(b.head)) else None


def _left_unsure(a: Place, b: Place) -> Verdict:
    if a.head == b.head:
        return unsure("short:qualifier")
    joined_a, joined_b = without_marks("".join(a.head)), without_marks("".join(b.head))
    if joined_a == joined_b:
        return unsure("near:joined")
    if is_near(joined_a, joined_b):
        return unsure("near:typo")
    if a.region and a.region == b.region and set(a.head).isdisjoint(b.head) and (joined_a + joined_b).isascii():
        return different("place:name_differs")
    return unsure("more_words" if set(a.head) < set(b.head) or set(b.head) < set(a.head) else "words_differ")
