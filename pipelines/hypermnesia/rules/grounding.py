"""Grounding: each record of a model is held to the messages that it cites (DESIGN 5.3).

The text decides: quotes are resolved to offsets, speaker, trust, time and modality come from the cited messages,
and a claim that they do not bear is refused with its reason. Pure: a change here re-runs over stored answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypermnesia.rules import grounding_reasons as reasons
from hypermnesia.rules.extraction import EPISODIC, SEMANTIC, EventTime, Made, Passage, Refused, Turn
from hypermnesia.rules.grounding_blocks import overlaps, pasted_spans, recalled_spans
from hypermnesia.rules.grounding_quotes import find_quote, sentences_around
from hypermnesia.rules.grounding_reasons import refused
from hypermnesia.rules.grounding_subjects import is_person, is_user, subject_of, why_wrong_subject
from hypermnesia.rules.grounding_times import said_mood, said_time
from hypermnesia.rules.grounding_words import (
    dropped_words,
    invented_dates,
    invented_names,
    invented_numbers,
    words_of,
)
from hypermnesia.rules.injection import judge_injection
from hypermnesia.rules.linguistic.people import vocatives
from hypermnesia.rules.trust import EVIDENCE, PASTED, USER_FACT, least_trusted, may_become, trust_of
from hypermnesia.rules.verbatim import answered_question, says_something, turns_before


@dataclass(frozen=True, slots=True)
class Claim:
    """What an answer says, before it is held to its sources. `cites` count from 1, as the prompt shows them.

    `about` is the subject that the answer names, `kind` what it wants to become (`rules/trust.py`), `when` the
    message's words of time. None where the answer's form does not say.
    """

    memory_type: str
    text: str
    cites: tuple[int, ...]
    quote: str
    kind: str = EVIDENCE
    about: str | None = None
    modality: str | None = None
    is_negated: bool = False
    when: str = ""
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Grounded:
    """A record that its sources bear. `dropped` are distinctive words that it lost, for one repair call;
    `corrections` name what the text decided otherwise than the answer: modality, negation, time."""

    made: Made
    claim: Claim
    dropped: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cited:
    """The cited turns by place, and where the quote stands."""

    places: tuple[int, ...]
    turns: tuple[Turn, ...]
    quote: tuple[int, int, int]
    trust: str

    @property
    def quoted(self) -> Turn:
        return self.turns[self.places.index(self.quote[0])]


def ground(claim: Claim, passage: Passage) -> Grounded | Refused:
    """The claim as a record, or the first reason why it is none."""
    places = tuple(dict.fromkeys(cite - 1 for cite in claim.cites))
    if not says_something(claim.text):
        return refused(reasons.SAYS_NOTHING)
    cited = _cited(claim, places, passage)
    if isinstance(cited, Refused):
        return cited
    for why in (_why_not_theirs(claim, cited, passage), _why_invented(claim, cited, passage), _why_toxic(claim, cited)):
        if why:
            return replace(why, turns=places)
    return _record(claim, cited, passage)


def _cited(claim: Claim, places: tuple[int, ...], passage: Passage) -> _Cited | Refused:
    """The cited messages exist, somebody said them, and one of them has the quote as its own word."""
    n = len(passage.turns)
    if not places or any(not 0 <= place < n for place in places):
        return refused(reasons.UNKNOWN_MESSAGE, f"cites {list(claim.cites)} of {n} messages")
    turns = tuple(passage.turns[place] for place in places)
    if any(turn.is_system for turn in turns):
        return refused(reasons.CITES_SYSTEM, turns=places)
    found = [(place, span) for place, turn in zip(places, turns, strict=True) if (span := _quote_in(turn, claim.quote))]
    if not found:
        others = (*passage.turns, *passage.lead)
        is_elsewhere = any(_quote_in(turn, claim.quote) for turn in others)
        reason = reasons.QUOTE_NOT_IN_CITED if is_elsewhere else reasons.QUOTE_NOT_FOUND
        return refused(reason, claim.quote, places)
    own = [(place, span) for place, span in found if not overlaps(span, recalled_spans(passage.turns[place].text))]
    if not own:
        return refused(reasons.RECALLED, claim.quote, places)
    place, span = own[0]
    is_pasted = overlaps(span, pasted_spans(passage.turns[place].text))
    trust = least_trusted([*map(trust_of, turns), *([PASTED] if is_pasted else [])])
    return _Cited(places, turns, (place, *span), trust)


def _quote_in(turn: Turn, quote: str) -> tuple[int, int] | None:
    """Where a quote stands in a turn's own text; of a turn without words (a picture) its caption bears the quote."""
    span = find_quote(turn.text, quote)
    if span is None and not says_something(turn.text) and find_quote(turn.record_text, quote):
        return 0, len(turn.text)
    return span


def _why_not_theirs(claim: Claim, cited: _Cited, passage: Passage) -> Refused | None:
    """Speaker and subject agree with the cited message, and the wall of trust holds."""
    subject = subject_of(claim.text, claim.about, passage)
    reason = why_wrong_subject(claim.text, subject, claim.about, cited.quoted, cited.quote[1:], passage)
    if reason:
        return refused(reason, claim.about or claim.text)
    if all(turn.role == "assistant" for turn in cited.turns) and is_person(subject, passage):
        return refused(reasons.ASSISTANT_ABOUT_PERSON, claim.text)
    kind = claim.kind
    if kind == EVIDENCE and claim.memory_type in (SEMANTIC, EPISODIC) and is_user(subject, passage):
        kind = USER_FACT
    draft = Made(claim.memory_type, claim.text, cited.places, cited.quoted.speaker, cited.trust)
    wall = may_become(draft, cited.trust, kind)
    return refused(reasons.WALL, wall) if wall else None


def _why_invented(claim: Claim, cited: _Cited, passage: Passage) -> Refused | None:
    """Names come from the chunk; numbers and dates from the cited messages, or the question that they answer."""
    said = (*passage.lead, *passage.turns)
    everywhere = words_of([*(t.record_text for t in said), *(t.speaker for t in said), *passage.people])
    if names := invented_names(claim.text, everywhere):
        return refused(reasons.INVENTED_NAME, ", ".join(names))
    dates, spans = invented_dates(claim.text, cited.turns)
    if dates:
        return refused(reasons.INVENTED_DATE, ", ".join(dates))
    asked = turns_before(passage)[cited.places[0]]
    sources = [turn.record_text for turn in (*cited.turns, *([asked] if asked else []))]
    numbers = invented_numbers(claim.text, sources, spans)
    numbers += [n for _, value in claim.attributes for n in invented_numbers(value, sources)]
    return refused(reasons.INVENTED_NUMBER, ", ".join(numbers)) if numbers else None


def _why_toxic(claim: Claim, cited: _Cited) -> Refused | None:
    """Neither the record nor the sentences that it stands on may instruct their reader."""
    start, end = sentences_around(cited.quoted.text, *cited.quote[1:])
    draft = Made(claim.memory_type, claim.text, cited.places, cited.quoted.speaker, cited.trust)
    draft = replace(draft, attributes=claim.attributes)
    return why_quarantined(draft) or why_quarantined(replace(draft, text=cited.quoted.text[start:end]))


def why_quarantined(made: Made) -> Refused | None:
    """Why a record of any extractor is kept out of memory by the toxic memory filter, or None."""
    said = "\n".join([made.text, *(value for _, value in made.attributes)])
    verdict = judge_injection(said, made.trust)
    return refused(reasons.INJECTION, verdict.detail, made.turns) if verdict.is_refused else None


def _record(claim: Claim, cited: _Cited, passage: Passage) -> Grounded:
    turn, span = cited.quoted, cited.quote[1:]
    time = said_time(turn, span, claim.when) if claim.memory_type in (EPISODIC, SEMANTIC) else None
    modality, is_negated = said_mood(turn.text, span, claim.modality, claim.is_negated)
    corrections = [
        name
        for name, is_other in (
            ("modality", claim.modality is not None and modality != claim.modality),
            ("negation", is_negated != claim.is_negated),
            ("time", bool(claim.when) and find_quote(turn.text, claim.when) is None),
        )
        if is_other
    ]
    made = Made(
        memory_type=claim.memory_type,
        text=claim.text,
        turns=cited.places,
        speaker=turn.speaker,
        trust=cited.trust,
        quotes=(cited.quote,),
        context=answered_question(passage.turns[cited.places[0]], turns_before(passage)[cited.places[0]]),
        modality=modality if claim.modality is not None else None,
        is_negated=is_negated,
        time=time,
        attributes=claim.attributes,
    )
    return Grounded(made, claim, _dropped(made, turn, span, time, passage), tuple(corrections))


def _dropped(
    made: Made, turn: Turn, span: tuple[int, int], time: EventTime | None, passage: Passage
) -> tuple[str, ...]:
    start, end = sentences_around(turn.text, *span)
    said = turn.text[start:end]
    others = [person for person in passage.people if person != turn.speaker]
    called = [said[a:b] for a, b in vocatives(said, others)]
    kept = " ".join([made.text, *(value for _, value in made.attributes)])
    return dropped_words(said, kept, is_timed=time is not None, called=called)


def repaired(grounded: Grounded, text: str, passage: Passage) -> Grounded | Refused:
    """A record with a repaired text: taken where it is grounded too and drops fewer words, else refused."""
    again = ground(replace(grounded.claim, text=text), passage)
    if isinstance(again, Refused):
        return refused(reasons.REPAIR_NOT_GROUNDED, f"{again.reason}: {again.detail}", grounded.made.turns)
    if len(again.dropped) >= len(grounded.dropped):
        return refused(reasons.REPAIR_NOT_GROUNDED, "it drops as many words as before", grounded.made.turns)
    return again


def ground_all(claims: Sequence[Claim], passage: Passage) -> tuple[list[Grounded], list[Refused]]:
    """All claims of an answer; the same text of the same messages is kept once."""
    kept: dict[tuple[str, str, tuple[int, ...]], Grounded] = {}
    out: list[Refused] = []
    for claim in claims:
        result = ground(claim, passage)
        if isinstance(result, Refused):
            out.append(result)
            continue
        key = result.made.memory_type, result.made.text, result.made.turns
        if key in kept:
            out.append(refused(reasons.REPEATED, claim.text, result.made.turns))
        kept.setdefault(key, result)
    return list(kept.values()), out
