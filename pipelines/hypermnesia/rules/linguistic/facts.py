"""Stable facts of one sentence: who, which predicate, what; each in one plain sentence (`inventory.py`).

A fact needs a clause that is asserted: no question, quotation, story, condition or mere belief. Its subject is
the speaker, somebody of theirs ("Maya's sister") or a named person who is no other speaker: what one says
about the other is no fact about that other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hypermnesia.rules.extraction import EventTime
from hypermnesia.rules.linguistic import lexicon
from hypermnesia.rules.linguistic.claims import Claim, relation_or_name
from hypermnesia.rules.linguistic.clock import TimedFrame
from hypermnesia.rules.linguistic.fact_rules import RULES
from hypermnesia.rules.linguistic.fact_words import DOUBTING
from hypermnesia.rules.linguistic.frames import named_relatives
from hypermnesia.rules.linguistic.inventory import predicate_of
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader, Span
from hypermnesia.rules.linguistic.parse import Sentence, Token
from hypermnesia.rules.linguistic.people import shown_name


@dataclass(frozen=True, slots=True)
class Fact:
    """One stable fact. `values` name its value's things, in `role`; `span` is of the sentence in the turn."""

    predicate: str
    subject: Nominal
    value: str
    values: tuple[Nominal, ...]
    role: str
    text: str
    span: Span
    time: EventTime | None = None
    is_negated: bool = False


def facts_of(
    sentence: Sentence, clauses: Sequence[TimedFrame], reader: NominalReader, quotations: Sequence[Span]
) -> list[Fact]:
    """The stable facts that a sentence asserts, in order; `clauses` are all of its clauses, with their times."""
    if sentence.is_question or _is_story(sentence) or _is_quoted(sentence, quotations):
        return []
    found = [_fact(claim, sentence, timed, reader) for timed in clauses for claim in _claims(timed, sentence, reader)]
    for token, name, owner in named_relatives(sentence, reader):
        if not _is_quoted_at(token, quotations):
            found.append(_fact(relation_or_name(token.lemma, owner, name), sentence, None, reader))
    return [f for f in dict.fromkeys(found) if f]


def _claims(timed: TimedFrame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    frame = timed.frame
    if frame.verb is None or frame.modality != "done" or _is_unsure(sentence, frame.verb):
        return
    rules: tuple[Callable[..., Iterator[Claim]], ...] = RULES
    for rule in rules:
        yield from rule(frame, sentence, reader)


def _fact(claim: Claim, sentence: Sentence, timed: TimedFrame | None, reader: NominalReader) -> Fact | None:
    subject = claim.subject
    if subject.surface != reader.cast.speaker and subject.surface in reader.cast.people:
        return None
    if subject.type != "person" or (subject.start is not None and not subject.surface[0].isupper()):
        return None
    predicate = predicate_of(claim.predicate)
    is_several = subject.start is None and subject.surface.endswith("s") and subject.surface != reader.cast.speaker
    says = (predicate.denies if claim.is_negated else predicate.says)[is_several]
    text = claim.text or f"{shown_name(subject.surface)} {says} {claim.shown or claim.value}".rstrip(".") + "."
    return Fact(
        predicate=claim.predicate,
        subject=subject,
        value=claim.value,
        values=claim.values,
        role=predicate.role,
        text=text,
        span=(sentence.start, sentence.end),
        time=timed.time if timed else None,
        is_negated=claim.is_negated,
    )


def _is_story(sentence: Sentence) -> bool:
    """Whether it tells of a story: "in the novel", "in my dream"."""
    for token in sentence.tokens:
        if token.lemma in lexicon.FICTION and token.dep == "pobj" and sentence.head(token).lower in ("in", "for"):
            return True
    return any(t.lemma in ("roleplay", "pretend", "fictional") for t in sentence.tokens)


def _is_quoted(sentence: Sentence, quotations: Sequence[Span]) -> bool:
    return any(a <= sentence.start and sentence.end <= b + 1 for a, b in quotations)


def _is_quoted_at(token: Token, quotations: Sequence[Span]) -> bool:
    return any(a <= token.start < b for a, b in quotations)


def _is_infinitive(sentence: Sentence, verb: Token) -> bool:
    """Whether it is only aimed at: "studying to become a nurse"."""
    while verb.dep == "conj" and verb.tag == "VB":
        verb = sentence.head(verb)
    is_open = verb.tag == "VB" and verb.dep in ("xcomp", "advcl", "acl", "relcl")
    return is_open and any(k.lower in ("to", "na") for k in sentence.kids(verb.index, "aux"))


def _is_unsure(sentence: Sentence, verb: Token) -> bool:
    """Whether somebody only thinks it, or it is a condition or comparison."""
    if _is_infinitive(sentence, verb):
        return True
    chain = [verb, *sentence.above(verb)]
    if any(t.lemma in DOUBTING and t is not verb for t in chain):
        return True
    conditions = ("if", "unless", "when", "like", "though")
    return any(k.lower in conditions for t in chain for k in sentence.kids(t.index, "mark", "advmod"))
