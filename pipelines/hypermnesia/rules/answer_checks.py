"""The five checks of an answer that trigger a second search, and what to search for then (DESIGN 7 "Answering").

They look at the question, the answer and its evidence, and at nothing else: never at a reference answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hypermnesia.rules.anchor_keys import fold
from hypermnesia.rules.decomposition import sides
from hypermnesia.rules.time_words import DOUBTFUL_MONTHS, MONTHS

UNCERTAIN, MISSING_NUMBER, FOREIGN_MONTH = "uncertain", "missing_number", "foreign_month"
COUNT_MISMATCH, INTERSECTION = "count_mismatch", "intersection"

_HEDGES = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|can|could)(?: not|n't) "
    r"(?:know|say|sure|clear|mention\w*|specif\w+|state\w*|tell|given|found|enough|determin\w+|be (?:determined|known))"
    r"|cannot (?:tell|say|be)|unknown|unclear|uncertain|unsure"
    r"|not (?:sure|clear|mentioned|specified|stated|given|known|found)"
    r"|no (?:information|mention|evidence|record|idea)|perhaps|maybe|probably|possibly|might|may have|may be)\b",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|old|long|far|tall|high|big|heavy|fast|often)\b"
    r"|\b(?:what|which) (?:\w+ ){0,4}?(?:number|amount|price|cost|percentage|age|year|distance|size|score|time)\b"
    r"|\bnumber of\b|\bwhat time\b",
    re.IGNORECASE,
)
_COUNTING = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_NUMBER_WORDS = {word: n for n, word in enumerate(_COUNTING.split())}
_MORE_COUNTING = (
    "none never once twice thrice thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half "
    "every daily weekly monthly yearly always midnight noon"
)
_OTHER_NUMBERS = frozenset(_MORE_COUNTING.split())
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")

_MONTH = re.compile(rf"\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b", re.IGNORECASE)
#: "May", "March" or "June" may be other words or names: they are months beside a number, behind a word that a month
#: follows, or alone.
_MONTH_BEFORE = re.compile(
    r"(?:\d(?:st|nd|rd|th)?(?: of)?|\b(?:in|of|since|until|by|early|late|mid|last|next|this|and))[ ,-]+\Z"
)
_MONTH_AFTER = re.compile(r"\A\.?,? ?\d")
_ISO_MONTH = re.compile(r"\b[12]\d{3}-(0[1-9]|1[0-2])\b")


@dataclass(frozen=True, slots=True)
class Draft:
    """One answer as a model gave it; `count` is 0 where nothing is counted, `n_cites` are citations of known rows."""

    text: str
    items: tuple[str, ...] = ()
    count: int = 0
    is_unsure: bool = False
    n_cites: int = 1


def fired_checks(
    question: str, operation: str, draft: Draft, evidence: Sequence[str], *, is_first: bool
) -> tuple[str, ...]:
    """The checks that ask for another search, in a fixed order.

    `evidence` are the rows as the model saw them, dates included. An intersection is searched twice, whatever its
    first answer: one search finds one side.
    """
    fired = {
        UNCERTAIN: is_uncertain(draft),
        MISSING_NUMBER: bool(_ASKS_NUMBER.search(question)) and not has_number(draft.text),
        FOREIGN_MONTH: bool(months(draft.text, is_strict=True) - months(question).union(*map(months, evidence))),
        COUNT_MISMATCH: operation == "count" and is_miscounted(draft),
        INTERSECTION: operation == "intersection" and is_first,
    }
    return tuple(name for name, has_fired in fired.items() if has_fired)


def is_uncertain(draft: Draft) -> bool:
    """Whether an answer says that it does not know, says nothing, rests on no row, or ran into a loop."""
    is_bare = draft.is_unsure or not draft.text.strip() or draft.n_cites == 0
    return is_bare or is_loop(draft.items) or bool(_HEDGES.search(draft.text))


def is_loop(items: Sequence[str]) -> bool:
    """Whether a list names one thing a third time: a model that repeats itself, and says nothing by it."""
    return max(Counter(map(fold, items)).values(), default=0) > 2


def has_number(text: str) -> bool:
    """Whether a text has a number, in digits or words ("twice", "never")."""
    words = {word.lower() for word in _WORD.findall(text)}
    return bool(_NUMBER.search(text)) or bool(words & (_NUMBER_WORDS.keys() | _OTHER_NUMBERS))


def is_miscounted(draft: Draft) -> bool:
    """Whether a count disagrees with the things that it names: by its own field, else by the first number said."""
    if not draft.items:
        return False
    distinct = len({fold(item) for item in draft.items})
    said = draft.count or _first_number(draft.text)
    return said is not None and said != distinct


def months(text: str, *, is_strict: bool = False) -> frozenset[int]:
    """The months that a text names, 1 to 12, in words or ISO dates; strictly, "may" counts only as a month."""
    found = {int(match[1]) for match in _ISO_MONTH.finditer(text)}
    for match in _MONTH.finditer(text):
        if not is_strict or _is_month(text, match):
            found.add(MONTHS[match[0].lower()])
    return frozenset(found)


def next_searches(question: str, fired: Sequence[str], suggested: str, asked: Iterable[str]) -> tuple[str, ...]:
    """What to search for next, without what was searched for: each side of an intersection, then what was suggested.

    Empty where nothing new is known to ask; then more rows of the same question are left.
    """
    seen = {fold(one) for one in asked}
    wanted = [*(sides(question) if INTERSECTION in fired else ()), suggested.strip()]
    return tuple(one for one in dict.fromkeys(wanted) if one and fold(one) not in seen)


def _is_month(text: str, match: re.Match[str]) -> bool:
    word = match[0]
    if not word[0].isupper():
        return False
    if word.lower() not in DOUBTFUL_MONTHS or text.strip(" .") == word:
        return True
    return bool(_MONTH_AFTER.match(text[match.end() :]) or _MONTH_BEFORE.search(text[: match.start()]))


def _first_number(text: str) -> int | None:
    for word in re.findall(r"\d+|[^\W\d_]+", text):
        if word.isdigit():
            return int(word)
        if word.lower() in _NUMBER_WORDS:
            return _NUMBER_WORDS[word.lower()]
    return None
