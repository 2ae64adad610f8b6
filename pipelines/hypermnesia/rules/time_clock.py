"""Forms of a time of the day; alone it tells no day, so only a day beside it makes an instant of it."""

from __future__ import annotations

import re

from hypermnesia.rules.time_reading import Reading, Setting, form


def _half_day(match: re.Match[str], _: Setting) -> Reading:
    hour = int(match["h"]) % 12 + (12 if match["half"].lower() == "p" else 0)
    return Reading(clock=(hour, int(match["m"] or 0), True))


def _clock(match: re.Match[str], _: Setting) -> Reading:
    """Hours up to 12 may be of either half of the day, unless written with a zero in front."""
    hour = int(match["h"])
    is_sure = hour > 12 or hour == 0 or match["h"].startswith("0")
    return Reading(clock=(hour, int(match.groupdict().get("m") or 0), is_sure))


def _noon(_: re.Match[str], __: Setting) -> Reading:
    return Reading(clock=(12, 0, True))


_AT = r"\b(?:at|by|until|till|from|around|before|after) "

CLOCK_FORMS = (
    form("digit", r"(?<![\w:.$-])(?P<h>1[0-2]|0?[1-9])(?::(?P<m>[0-5][0-9]))? ?(?P<half>[ap])(?:m\b|\.m\.)", _half_day),
    form("digit", rf"{_AT}(?P<t>(?P<h>[01]?[0-9]|2[0-3]):(?P<m>[0-5][0-9]))(?![0-9:])", _clock),
    form("digit", r"\bat (?P<t>(?P<h>1[0-2]|[1-9]))(?= (?:tonight|this|on|yesterday|tomorrow)\b)", _clock),
    form("clock", r"\b(?P<h>1[0-2]|[1-9]) o'clock\b", _clock),
    form("clock", rf"{_AT}(?P<t>noon|midday)\b", _noon),
)
