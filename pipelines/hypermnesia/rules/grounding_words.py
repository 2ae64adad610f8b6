"""What a record says that its sources do not, and what they say that it drops: names, numbers, dates, quotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hypermnesia.rules.extraction import Turn
from hypermnesia.rules.grounding_quotes import find_quote, folded
from hypermnesia.rules.survival import distinctive
from hypermnesia.rules.time import find_times
from hypermnesia.rules.time_intervals import Interval, day


def _words(text: str) -> list[str]:
    return text.split()


_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME_RUN = re.compile(r"(?<!\w)[^\W\d_a-zß-ÿ][^\W_]*(?:[ '-][^\W\d_a-zß-ÿ][^\W_]*)*")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;]\s+|\n)[\"'(\u201c]*\Z")
#: Words that a sentence may begin with, with a capital, without naming anything.
_STARTERS = frozenset(
    _words(
        "a an the this that these those there here it its he she they we his her their our my your both each "
        "every some many most all no one two three in on at by for from to with after before during when while "
        "where who what how why if because since until as and but or so not never always user assistant tool yes "
        "i image photo picture something somebody someone everyone people"
    )
)
_CALENDAR = frozenset(
    _words(
        "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
        "august september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm"
    )
)
_BELOW_TWENTY = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
_NUMBER_WORDS = {
    **{word: str(value) for value, word in enumerate(_BELOW_TWENTY)},
    **{word: str(10 * value) for value, word in enumerate(_TENS, 2)},
    **{"hundred": "100", "dozen": "12", "couple": "2", "once": "1", "twice": "2", "first": "1", "second": "2"},
    "third": "3",
}


#: A record may put in the past what its message plans: "in June" is read both ways.
_TENSES = (None, "past", "future")


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """The words of several texts, in folded case."""
    return frozenset(word for text in texts for word in _WORD.findall(folded(text)[0]))


def invented_names(text: str, sources: frozenset[str]) -> list[str]:
    """Names of a text that have a word which no source has; `sources` are words in folded case."""
    found = []
    for run in _NAME_RUN.finditer(text):
        begins = _SENTENCE_START.search(text[: run.start()]) is not None
        words = _WORD.findall(folded(run[0])[0])
        if begins and words and (words[0] in _STARTERS or words[0].endswith("ing")):
            words = words[1:]
        unknown = [w for w in words if len(w) > 1 and w not in sources and w not in _CALENDAR and w not in _STARTERS]
        if unknown and not all(_is_form_of_source(word, sources) for word in unknown):
            found.append(run[0])
    return found


def _is_form_of_source(word: str, sources: frozenset[str]) -> bool:
    """A plural or possessive of a source's word, or its singular; or a verb's first word ("Ran", "Runs")."""
    return word.removesuffix("s") in sources or f"{word}s" in sources or f"{word}ed" in sources


def numbers_of(text: str) -> frozenset[str]:
    """Numbers as digits, thousands without signs; number words count as their digits."""
    digits = {_plain_number(n) for n in _NUMBER.findall(text)}
    spoken = {_NUMBER_WORDS[w] for w in _WORD.findall(text.lower()) if w in _NUMBER_WORDS}
    return frozenset(digits | spoken)


def invented_numbers(text: str, sources: Iterable[str], closed: Sequence[tuple[int, int]] = ()) -> list[str]:
    """Numbers in digits that no source has; those inside `closed` spans (dates, judged apart) are left out."""
    known = frozenset[str]().union(*(numbers_of(source) for source in sources))
    return [
        found[0]
        for found in _NUMBER.finditer(text)
        if not any(a <= found.start() < b for a, b in closed) and not _has_number(_plain_number(found[0]), known)
    ]


def _has_number(number: str, known: frozenset[str]) -> bool:
    """Whether a number is known: "8:30" also where its source has "8.30"."""
    return number in known or number.replace(":", ".") in {k.replace(":", ".") for k in known}


def _plain_number(number: str) -> str:
    thousands = re.fullmatch(r"\d{1,3}(?:[,.]\d{3})+", number)
    return re.sub(r"[,.]", "", number) if thousands else number.lstrip("0") or "0"


def invented_dates(text: str, turns: Sequence[Turn]) -> tuple[list[str], list[tuple[int, int]]]:
    """Dates of a record that no cited message gives, and the spans of those that are judged here.

    A message gives the times in its text, counted from its own clock; without any, the day on which it was said;
    never today. What can't be resolved is left to the rule for numbers.
    """
    clock = next((turn.said_local for turn in turns if turn.said_local), None)
    known: list[Interval] = []
    for turn in turns:
        told = [e.interval for e in find_times(turn.text, turn.said_local) if e.interval]
        known += told or ([day(turn.said_local.date())] if turn.said_local else [])
    found, spans = [], []
    for readings in zip(*(find_times(text, clock, tense=tense) for tense in _TENSES), strict=True):
        surface, intervals = readings[0].surface, [r.interval for r in readings if r.interval]
        if not intervals:
            continue
        spans.append((readings[0].start, readings[0].end))
        is_copied = any(find_quote(turn.text, surface) for turn in turns)
        if not is_copied and not any(_overlap(one, other) for one in intervals for other in known):
            found.append(surface)
    return found, spans


def _overlap(one: Interval, other: Interval) -> bool:
    return one.first <= other.last and other.first <= one.last


def dropped_words(said: str, record: str, *, is_timed: bool, called: Iterable[str] = ()) -> tuple[str, ...]:
    """Distinctive strings of what was said that a record of it drops, in order.

    Dates do not count where the record has its event's time, nor names of people who are only called.
    """
    kept = folded(record)[0]
    called_words = words_of(called)
    dropped = []
    for kind, values in distinctive(said).items():
        for value in values:
            if kind == "date" and is_timed:
                continue
            if kind == "name" and words_of([value]) <= called_words:
                continue
            if not re.search(rf"(?<!\w){re.escape(folded(value)[0])}(?!\w)", kept):
                dropped.append(value)
    return tuple(dict.fromkeys(dropped))
