"""Forms of a life: ages, birthdays, anniversaries, and how long something has lasted."""

from __future__ import annotations

import re

from hypermnesia.rules.time_counting import until_now
from hypermnesia.rules.time_intervals import years
from hypermnesia.rules.time_reading import UNRESOLVED, Reading, Setting, form
from hypermnesia.rules.time_words import (
    AMOUNT,
    DECADES,
    UNIT,
    VAGUELY,
    any_of,
    number,
)

_PERFECT = re.compile(
    r"\b(?:have|has|'ve|haven't|hasn't|been|known|married|together|now|already)\b|'ve\b|'s been\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"[.!?\n]\s")


def _age(match: re.Match[str], setting: Setting) -> Reading:
    """The two years in which a speaker has an age, where the year of birth is known and the words say "I"."""
    if setting.birth_year is None or (match["who"] or "").lower() not in {"i", "i've"}:
        return UNRESOLVED
    born = setting.birth_year + number(match["n"])
    return Reading(years(born, born + 1))


def _birthday(match: re.Match[str], setting: Setting) -> Reading:
    if setting.birth_year is None or match["whose"].lower() != "my" or not match["nth"] or match["what"] != "birthday":
        return UNRESOLVED
    year = setting.birth_year + int(match["nth"])
    return Reading(years(year, year))


def _own_decade(match: re.Match[str], setting: Setting) -> Reading:
    if setting.birth_year is None or match["whose"].lower() != "my":
        return UNRESOLVED
    age = 10 * DECADES[match["word"].lower()] if match["word"] else int(match["n"])
    return Reading(years(setting.birth_year + age, setting.birth_year + age + 10))


def _unresolved(_: re.Match[str], __: Setting) -> Reading:
    return UNRESOLVED


def _duration(match: re.Match[str], setting: Setting) -> Reading:
    """How long up to now: with a perfect ("have lived here for"), or with no verb in front of it.

    Any other duration ("stayed for a week") tells no time.
    """
    before = _SENTENCE.split(setting.text[max(0, match.start() - 240) : match.start()])[-1]
    behind = setting.text[match.end() : match.end() + 8]
    is_past = re.search(r"\bhad(?:n't)? (?:\w+ )?been\b", before) is not None
    if is_past or not (_PERFECT.search(before) or re.match(r" now\b| already\b", behind) or len(before.split()) < 2):
        return Reading(relation="for")
    if setting.is_future(match) and not _PERFECT.search(before) and before.strip():
        return Reading(relation="for")
    return _until_now(match, setting)


def _until_now(match: re.Match[str], setting: Setting) -> Reading:
    return Reading(until_now(match, setting.today), "for")


def _some_duration(_: re.Match[str], __: Setting) -> Reading:
    return Reading(relation="for")


_AGES = "six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty"
# Behind an age, so that "when I was 12 miles away" is none.
_NO_NOUN = r"(?=\s*(?:[.,;!?)]|$|(?:and|or|i|we|my|so|because|but|he|she|they|when)\b))"
_YOUNG = r"kids?|child|children|little|young|younger|teenagers?|teens?|baby|boy|girl"
_SMALL = "(?:little |small |young )?"
_ABOUT = "(?:about |around |almost |nearly |over |more than |at least |like |roughly |just under |under |just |only )?"

LIFE_FORMS = (
    form(
        "life",
        rf"\b(?:when|since|before|until) (?P<who>\w+(?:'ve)?) (?:was|were|turned|is|turn|am) {_ABOUT}"
        rf"(?P<n>[0-9]{{1,2}}|{_AGES})(?: years? old\b| yrs? old\b|{_NO_NOUN})",
        _age,
    ),
    form("life", r"\b(?:at )?(?:the )?(?:age (?:of )?|aged )[0-9]{1,2}\b", _unresolved),
    form(
        "life",
        rf"\b(?:when|since) (?:i|he|she|we|they) (?:was|were) (?:(?:just |only |still )?an? )?{_SMALL}"
        rf"(?:{_YOUNG})\b",
        _unresolved,
    ),
    form("life", rf"\bas a {_SMALL}(?:kid|child|teenager|baby|boy|girl)\b", _unresolved),
    form(
        "life decade",
        r"\bin (?P<t>(?P<whose>my|his|her|their|our) (?:early[ -]|mid[ -]|late[ -])?"
        rf"(?:(?P<n>[2-9]0)'?s|(?P<word>{any_of(DECADES)})))\b",
        _own_decade,
    ),
    form(
        "life",
        r"\b(?:on|for|at|since|until|before|after|around|by|last|this|during) "
        r"(?P<t>(?P<whose>my|our|his|her|their|your|the|[a-z]+'s) (?:(?P<nth>[0-9]{1,3})(?:st|nd|rd|th) )?"
        r"(?:\w+(?:'s)? )?(?P<what>birthday|anniversary))\b"
        r"(?! (?:party|cake|gift|present|card|dinner|celebration)\b)",
        _birthday,
    ),
    form(
        "for",
        rf"\bfor (?:the )?{_ABOUT}(?:{VAGUELY}|{AMOUNT})(?P<half> and a half)? (?:long |whole )?{UNIT}s?\b(?!-| old)",
        _duration,
    ),
    form(
        "unit",
        rf"\b(?:{VAGUELY}|{AMOUNT})(?P<half> and a half)? (?:long |whole )?{UNIT}s? "
        r"(?:now|already)\b(?! (?:past|that)\b)",
        _until_now,
    ),
    form(
        "for",
        r"\bfor (?:the )?(?:a while|ages|years|months|weeks|days|decades|a long time|some time|quite some time)\b",
        _some_duration,
    ),
    form(
        "for",
        rf"\bfor {_ABOUT}(?:{VAGUELY}|{AMOUNT}|half an) (?:and a half )?(?:hours?|hrs?|minutes?|mins?|seconds?)\b",
        _some_duration,
    ),
)
