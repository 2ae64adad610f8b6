"""A question that asks several things becomes its parts, by rules: each is searched by itself (DESIGN 7 "planner").

What two people share is said by each of them, and what is asked with "and" is answered in two places: one search for
both finds the rows that are about both, which there may be none of.
"""

from __future__ import annotations

import re

_NAME = r"\b[^\W\d_a-z][\w.'-]*"
#: What stands before two who are asked about; "which Dolce and Gabbana bag" names one thing.
_ABOUT = r"\b(?:do|does|did|is|are|was|were|has|have|had|will|would|can|could|should|of|for|between|by|with)"
_PAIR = re.compile(rf"{_ABOUT} (?:both (?:of )?)?({_NAME})(?:,? (?:and|&) )({_NAME})|\bboth ({_NAME}) and ({_NAME})")
_ASKING = r"(?:who|whom|whose|what|which|when|where|why|how)\b"
_BOTH = re.compile(r"\bboth (?:of )?")
#: "... and where does she work?": a second question behind the first.
_SECOND = re.compile(rf"(?:,|;)? and (?=(?:(?:in|on|at|with|for|to|from|by|since) )?{_ASKING})", re.IGNORECASE)
_BEGINS_ASKING = re.compile(rf"\W*(?:(?:in|on|at|with|for|to|from|by|since) )?{_ASKING}", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she)\b")
_OF_PRONOUN = re.compile(r"\b(?:his|her)\b(?= \w)")
_ASKING_WORDS = "who whom whose what which when where why how did does do is are was were has have"
_WORDS_THAT_ASK = frozenset(_ASKING_WORDS.split())
_SHORTEST = 3  # words of a part: "and why?" is no question by itself


def parts(question: str) -> tuple[str, ...]:
    """The questions that it is made of, in its order; empty where it is one."""
    return sides(question) or _questions(question)


def sides(question: str) -> tuple[str, ...]:
    """A question about two ("Maya and Tom") as one about each; nothing where no two names stand together."""
    pair = _PAIR.search(question)
    if pair is None:
        return ()
    names = [name for name in pair.groups() if name]
    before = question[: pair.start()] + _BOTH.sub("", pair[0][: pair[0].index(names[0])])
    return tuple(f"{before}{name}{question[pair.end() :]}" for name in names)


def _questions(question: str) -> tuple[str, ...]:
    """Two questions joined by "and"; whom the second calls "she" is the one that the first names."""
    found = _SECOND.search(question)
    if found is None or not _BEGINS_ASKING.match(question):
        return ()
    first, second = question[: found.start()], question[found.end() :]
    if min(len(first.split()), len(second.split())) < _SHORTEST:
        return ()
    names = [n for n in re.findall(_NAME, first) if n.lower() not in _WORDS_THAT_ASK]
    if len(names) == 1:
        name = names[0].removesuffix("'s")
        second = _OF_PRONOUN.sub(f"{name}'s", _PRONOUN.sub(name, second))
    return f"{first.rstrip(' ,;')}?", f"{second[:1].upper()}{second[1:]}"
