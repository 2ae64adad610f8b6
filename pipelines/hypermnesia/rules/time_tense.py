"""Whether the words around an expression of time speak of the past or of what is to come."""

from __future__ import annotations

import re

#: Irregular pasts that people write; regular ones end in -ed.
PAST_WORDS = (
    "was|were|wasn't|weren't|had|did|didn't|went|got|made|came|took|saw|met|gave|found|told|said|felt|left|bought|"
    "brought|thought|began|became|ran|ate|drank|wrote|sat|stood|heard|kept|held|lost|won|spent|built|sent|fell|drove|"
    "flew|broke|taught|caught|sang|swam|slept|spoke|grew|knew|hung|led|rode|chose|threw|wore|woke|forgot|sold|paid|"
    "been|done|gone|seen|taken|given|born|"
    "(?!need|feed|speed|indeed|hundred|excited|interested|tired|married|scheduled|supposed|planned)[a-z]{2,}ed"
)
_FUTURE_WORDS = (
    "(?:to|must|should|will|can|could|may|might) be \\w+|must|"
    "(?:am|are|is) (?:there|here|away|off|busy|free|out)|"
    "will|'ll|won't|shall|gonna|going to|plan to|plans to|planning|planned for|hope to|hoping to|want to|wants to|"
    "looking forward|plans|how about|what about|can't wait|cannot wait|excited for|upcoming|coming up|"
    "let's|see you|due|scheduled|should|could|would|might|to (?:book|reserve|schedule|reschedule|change|visit)|"
    "have to|has to|need to|needs to|gotta|supposed to|would like|booked for|"
    "(?:am|are|is|'m|'re|'s) (?:\\w+ )?(?!interesting|amazing|exciting)\\w{2,}ing|"
    "(?:have|has|got|there's|there is) (?:a|an|my|our|another|some)|(?:is|are|'s|be) (?:on|in)"
)
_CUE = re.compile(
    rf"(?<![\w'])(?P<past>(?:was|were) going to|{PAST_WORDS})(?![\w'])|(?P<future>(?<!\w)(?:{_FUTURE_WORDS})(?!\w))|"
    r"(?P<will>(?<=\w)'ll\b|(?<=\w)(?:'m|'re|'s) (?:there|here|away|off|busy|free|out|going|coming|having|"
    r"meeting|leaving|moving|flying|visiting|"
    r"starting|getting|taking|hosting|doing|seeing|planning|hoping|gonna|thinking)\b)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?\n]\s|\n|[!?]")
_REACH = 240  # characters of a sentence that are looked at on either side
_HABIT = re.compile(r"\b(?:usually|always|often|typically|generally|especially|whenever|tends? to)\b", re.IGNORECASE)
_BEFORE = re.compile(r"\b(since|until|till|til|by|next|coming)\s+(?:the\s+)?$", re.IGNORECASE)


def tense_at(text: str, start: int, end: int, hint: str | None = None) -> str | None:
    """ "past", "future" or None for the words at these offsets.

    "since" is of the past; then the hint counts, then the nearest verb in front of the words in their
    sentence, then the first one behind them; "until" and "by" without any are of the future.
    """
    before = _BEFORE.search(text, max(0, start - 16), start)
    word = before[1].lower() if before else ""
    if word == "since":
        return "past"
    if hint is not None:
        return hint
    cues = list(_CUE.finditer(text, _sentence_start(text, start), start))
    if cues:
        return _tense(cues[-1])
    behind = _CUE.search(text, end, _sentence_stop(text, end))
    if behind:
        return _tense(behind)
    return "future" if word else None


def is_habit(text: str, start: int, end: int) -> bool:
    """Whether the sentence around these offsets tells what is done usually, not once."""
    return _HABIT.search(text, _sentence_start(text, start), _sentence_stop(text, end)) is not None


def _sentence_start(text: str, start: int) -> int:
    low = max(0, start - _REACH)
    return max((m.end() for m in _SENTENCE_END.finditer(text, low, start)), default=low)


def _sentence_stop(text: str, end: int) -> int:
    high = min(len(text), end + _REACH)
    stop = _SENTENCE_END.search(text, end, high)
    return stop.start() if stop else high


def _tense(cue: re.Match[str]) -> str:
    return "past" if cue.lastgroup == "past" else "future"
