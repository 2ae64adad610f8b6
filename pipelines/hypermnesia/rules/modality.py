"""What a sentence claims of its event: done, planned, cancelled, hypothetical, quoted or question; and negation.

These rules read plain text, without a parser: one sentence or clause at a time. The words are in
`modality_words.py`. A sentence without any of them tells what is or was: "done".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hypermnesia.rules.modality_words import (
    CANCEL_PHRASES,
    COMING_PHRASES,
    CONDITION_PHRASES,
    FAILURE_PHRASES,
    HYPOTHETICAL_PHRASES,
    INTENT_PHRASES,
    NEGATION_WORDS,
    NOT_NEGATION_PHRASES,
    PLAN_AUXILIARIES,
    PLAN_PHRASES,
    PLAN_WORDS,
    PRESENT_PHRASES,
    QUESTION_PHRASES,
    REAL_PHRASES,
    SPEECH_FORMS,
    forms,
)
from hypermnesia.rules.time_tense import PAST_WORDS

# Where a word or a contraction ("'m", "'ll") begins.
_START = r"(?:(?<!\w)|(?='))"


def _any(phrases: Iterable[str]) -> str:
    return "|".join(phrases)


def _words(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"{_START}(?:{_any(phrases)})(?![\w'])")


_CANCELLED = _words(*CANCEL_PHRASES)
_NOT_CANCELLED = _words(r"(?:not|n't|never|almost|nearly) (?:be |been |get |have to )?(?:cancell?ed|called off)")
_INTENT = re.compile(
    rf"{_START}(?:{_any(INTENT_PHRASES)})\b.{{0,200}}?(?<!\w)(?:{_any(FAILURE_PHRASES)})(?!\w)", re.DOTALL
)
_CONDITION = _words(*CONDITION_PHRASES)
_REQUEST = re.compile(rf"\W*(?:{_any(QUESTION_PHRASES)})\b")
_QUESTION_END = re.compile(r"\?[\s!?)\]\"'\u201d\u2600-\u27bf\U0001f300-\U0001faff]*$")
_COMING = _words(*COMING_PHRASES)
_PLAN = rf"(?:{_any(forms(PLAN_WORDS))}) (?:not )?(?:to|on)|(?:{_any(sorted(PLAN_AUXILIARIES))})|{_any(PLAN_PHRASES)}"
# "may" is the verb: not "in may", not "May".
_MAY = r"(?<!in )(?<!last )(?<!next )(?<!since )(?<!until )(?<!of )may(?= [a-z])"
_FIRST = re.compile(
    rf"{_START}(?:(?P<done>{_any(REAL_PHRASES)})|(?P<planned>{_PLAN})|"
    rf"(?P<hypothetical>{_any(HYPOTHETICAL_PHRASES)}|{_MAY})|"
    rf"(?P<past>{PAST_WORDS})|(?P<present>{_any(PRESENT_PHRASES)}))(?!\w)"
)
_THOUGHT = frozenset({"thought", "felt", "said", "told", "heard", "got", "been", "wasn't", "was", "were", "had"})
_THOUGHT_BEHIND = re.compile(r"\s*(?:\w+ )?(?:thinking|hoping|wondering|considering|told|that|if|maybe|to)\b")
_QUOTE = re.compile(
    r"[\"\u201c](?P<double>[^\"\u201c\u201d]{1,2000})[\"\u201d]|(?<!\w)['\u2018](?P<single>.{1,600}?)['\u2019](?!\w)"
)
_SPEECH = re.compile(rf"\b(?:{_any(sorted(SPEECH_FORMS))}|(?:was|were|am|is|are|'s|'m) like)\b")
_CLAUSE_END = re.compile(
    r"[,;]\s+(?:and|but|so|because|although|though|while|which|or|yet)\b|\s(?:but|because|although|though)\s|;|"
    r"\s[-\u2013\u2014]+\s"
)
_NEGATION = re.compile(rf"(?<!\w)(?:{_any(sorted(NEGATION_WORDS))})(?!\w)|n't(?!\w)")
_NOT_NEGATION = _words(*NOT_NEGATION_PHRASES)


def sentence_modality(sentence: str) -> str:
    """One of `Modality` (contracts/answers.py) for one English sentence or clause.

    Words in quotation marks that someone says are quoted; reported speech without marks is not. A question mark
    or a request makes a question. What was given up, or intended and then hindered, is cancelled. A condition
    makes all of its sentence hypothetical; else the first verb decides, and a day to come makes a plan of a
    verb of the present.
    """
    plain = _plain(sentence)
    if _is_quoted(sentence, plain):
        return "quoted"
    if _QUESTION_END.search(plain) or _REQUEST.match(plain):
        return "question"
    is_condition = _CONDITION.search(plain) is not None
    first = _first_verb(plain)
    if not is_condition and first != "hypothetical" and _is_cancelled(plain):
        return "cancelled"
    if is_condition or first == "hypothetical":
        return "cancelled" if _INTENT.search(plain) and not is_condition else "hypothetical"
    return "planned" if first is None and _COMING.search(plain) else first or "done"


def is_negated(sentence: str) -> bool:
    """Whether the first clause of a sentence denies its event ("I didn't go", "we never met"; not "can't wait")."""
    plain = _plain(sentence)
    clause = plain[: end.start()] if (end := _CLAUSE_END.search(plain)) and end.start() else plain
    return _NEGATION.search(_NOT_NEGATION.sub(" ", clause)) is not None


def _plain(sentence: str) -> str:
    return sentence.replace("\u2019", "'").lower().strip()


def _is_quoted(sentence: str, plain: str) -> bool:
    """Words of three or more in quotation marks, with a verb of speech beside them or nothing else."""
    for quote in _QUOTE.finditer(sentence):
        said = quote["double"] or quote["single"]
        if len(said.split()) < 3:
            continue
        rest = plain.replace(_plain(quote.group()), " ")
        if not re.search(r"\w", rest) or _SPEECH.search(rest):
            return True
    return False


def _is_cancelled(plain: str) -> bool:
    if _INTENT.search(plain):
        return True
    return _CANCELLED.search(plain) is not None and _NOT_CANCELLED.search(plain) is None


def _first_verb(plain: str) -> str | None:
    """The modality that the first telling verb gives; None where none of them is among our words.

    What is, with what it could be behind it ("it's a tool that could help"), is not hypothetical.
    """
    is_present = False
    for match in _FIRST.finditer(plain):
        kind = match.lastgroup
        if kind == "present":
            is_present = True
        elif kind == "hypothetical":
            return None if is_present else kind
        elif kind != "past":
            return kind
        elif not (match.group() in _THOUGHT and _THOUGHT_BEHIND.match(plain, match.end())):
            return "done"
    return None
