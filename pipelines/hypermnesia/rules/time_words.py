"""The words of time: months, weekdays, units, numbers, and the pieces of patterns that name them."""

from __future__ import annotations

from collections.abc import Iterable

_MONTHS_IN_ORDER = "january february march april may june july august september october november december"
MONTH_NAMES = tuple(_MONTHS_IN_ORDER.split())
_MONTH_FORMS = {name: i for i, name in enumerate(MONTH_NAMES, 1)}
MONTHS = _MONTH_FORMS | {name[:3]: i for name, i in _MONTH_FORMS.items()} | {"sept": 9}
#: Months that are also first names, verbs or adjectives.
DOUBTFUL_MONTHS = frozenset({"march", "april", "may", "june", "august"})

WEEKDAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY_FORMS = {name: i for i, name in enumerate(WEEKDAY_NAMES)}
WEEKDAYS = _WEEKDAY_FORMS | {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip

_NUMBER_NAMES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
NUMBERS = {w: i for i, w in enumerate(_NUMBER_NAMES.split(), 1)}
NUMBERS |= {
    "a": 1,
    "an": 1,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
}
#: Vague amounts: at least, at most.
VAGUE = {"a couple of": (2, 3), "a couple": (2, 3), "couple of": (2, 3), "couple": (2, 3)} | {
    form: amount
    for word, amount in (("few", (2, 6)), ("several", (3, 8)))
    for form in (word, f"a {word}", f"quite a {word}")
}
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "final": -1}
DECADES = {
    w: i
    for i, w in enumerate(
        ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"], 2
    )
}
#: Words behind a number that make it an amount: "2000 people" is no year, "June 5 people" no day.
MEASURES = (
    r"people|persons?|men|women|kids|children|words?|pages?|miles?|km|kilomet\w+|m(?:eters?|etres?)?|feet|ft|steps?|"
    r"calories|kcal|dollars?|bucks?|euros?|pounds?|usd|lbs?|kg|grams?|hours?|hrs?|minutes?|mins?|seconds?|times|"
    r"percent|points?|copies|followers|items|pieces|users|views|units|of us|of them|%"
)


def any_of(words: Iterable[str]) -> str:
    """A pattern of some words, the longer ones first."""
    return "|".join(sorted(words, key=lambda w: (-len(w), w)))


# The point of a short form belongs to it, that of a sentence does not.
_POINT = r"(?:(?<=\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec))\.|(?<=\bsept)\.)?"
MONTH = rf"(?P<mon>{any_of(MONTHS)})\b{_POINT}"
WEEKDAY = rf"(?P<wd>{any_of(_WEEKDAY_FORMS)})"
DAY = r"(?P<d>0?[1-9]|[12][0-9]|3[01])"
NTH = rf"{DAY}(?:st|nd|rd|th)"
YEAR = r"(?:1[5-9]|20)[0-9]{2}(?![0-9])"
#: What may stand behind a month, season or holiday: "2019", "of '99", "last year".
IN_YEAR = rf"(?:,? |,)(?:of |in )?(?:(?P<y>{YEAR}|'[0-9]{{2}})|(?P<yw>last|this|next) year)\b"
SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
UNIT = r"(?P<unit>day|night|weekend|week|fortnight|month|year|yr|decade)"
AMOUNT = rf"(?P<n>[0-9]{{1,4}}|{any_of(NUMBERS)})"
VAGUELY = rf"(?P<vague>{any_of(VAGUE)})"
PART_OF_DAY = r"(?:morning|afternoon|evening|night|lunchtime)"

#: What must stand in a text, by kind, for the forms of that kind to be tried.
_CUE_WORDS = {
    "month": any_of(MONTHS),
    "weekday": any_of(WEEKDAYS) + "|" + "|".join(f"{w}s" for w in WEEKDAY_NAMES),
    "season": "spring|summer|autumn|fall|winter|springs|summers|falls|winters",
    "unit": (
        "day|night|week|weekend|month|year|hour|minute|decade|fortnight|yr|min|hr|"
        "days|nights|weeks|weekends|months|years|hours|minutes|decades|yrs|mins|hrs"
    ),
    "part": "morning|afternoon|evening|night|mornings|evenings|nights|afternoons",
    "named": "yesterday|today|tonight|tonite|tomorrow|tmrw|tmr|tommorow|tomorow|yday",
    "holiday": (
        "christmas|xmas|halloween|thanksgiving|easter|valentine|valentines|friday|monday|boxing|memorial|labor|eve|"
        "independence|juneteenth|hanukkah|ramadan|diwali|fools|july|passover|mother|father|mothers|fathers|patrick|new"
    ),
    "life": "birthday|anniversary|age|aged|when|since|as|in",
    "recurring": (
        "every|each|daily|weekly|monthly|yearly|annually|weekends|weekdays|mornings|evenings|nights|afternoons|once|"
        "twice|times|most|biweekly|fortnightly|nightly"
    ),
    "clock": "noon|midnight|o'clock|midday",
    "for": "for",
    "ago": "ago",
    "decade": any_of(DECADES),
}
CUES: dict[str, frozenset[str]] = {}
for _kind, _words in _CUE_WORDS.items():
    for _word in _words.split("|"):
        CUES[_word] = CUES.get(_word, frozenset()) | {_kind}


def number(word: str) -> int:
    """The value of a numeral or number word."""
    return NUMBERS[word.lower()] if word.lower() in NUMBERS else int(word)
