"""Concepts of injections as patterns: words are whole words; scripts without spaces and signs stand as they are."""

from __future__ import annotations

import re

from hypermnesia.rules.injection_aims import AIMS
from hypermnesia.rules.injection_words import ORDERS

_WORDS = ORDERS | AIMS


def _whole(latin: str, joined: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{latin})(?!\w)" + (f"|{joined}" if joined else ""), re.MULTILINE)


def _loose(latin: str) -> re.Pattern[str]:
    return re.compile(latin, re.MULTILINE)


#: Concepts made of signs rather than words: no word boundary around them.
_SIGNS = frozenset(
    {
        "content",
        "bio_channel",
        "template",
        "system_turn",
        "fake_turn",
        "tracking_image",
        "address",
        "question",
        "code",
        "order",
    }
)


def _latin(concept: str) -> str:
    return _WORDS[concept][0]


def _joined(concept: str) -> str:
    return _WORDS[concept][1]


#: A write, and behind it what is to be written.
_WRITE_THAT = rf"(?<!\w)(?:{_latin('write')})(?!\w).{{0,80}}?(?:{_latin('content')})"

CONCEPTS: dict[str, re.Pattern[str]] = {
    name: _loose("|".join(part for part in (latin, joined) if part)) if name in _SIGNS else _whole(latin, joined)
    for name, (latin, joined) in _WORDS.items()
} | {
    "override_near": _loose(
        rf"(?<!\w)(?:{_latin('override_verb')})[^,;.!?]{{0,60}}(?<!\w)(?:{_latin('instructions')})(?!\w)|"
        rf"(?:{_joined('override_verb')}).{{0,20}}(?:{_joined('instructions')})|"
        rf"(?:{_joined('instructions')}|talimat).{{0,20}}(?:{_joined('override_verb')}|yok say|unut)"
    ),
    "write_that": _loose(rf"{_WRITE_THAT}|(?:{_joined('write')})"),
}
