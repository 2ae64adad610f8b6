"""What a rule of stable facts makes, and what several of them ask of a clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hypermnesia.rules.linguistic import lexicon
from hypermnesia.rules.linguistic.clauses import is_past, own_tokens
from hypermnesia.rules.linguistic.frames import Frame
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader
from hypermnesia.rules.linguistic.parse import Sentence, Token
from hypermnesia.rules.linguistic.people import shown_name


@dataclass(frozen=True, slots=True)
class Claim:
    """A predicate, its subject and its value. `shown` and `text` change the sentence where it would limp."""

    predicate: str
    subject: Nominal
    value: str
    values: tuple[Nominal, ...] = ()
    shown: str | None = None
    text: str | None = None
    is_negated: bool = False


def each(predicate: str, frame: Frame, values: Sequence[Nominal]) -> Iterator[Claim]:
    """A claim for every subject and every value."""
    for subject in frame.fillers("agent"):
        for value in values:
            yield Claim(predicate, subject, value.surface, (value,))


def verb_of(frame: Frame) -> Token:
    """The clause's verb: rules read frames of clauses only."""
    assert frame.verb is not None
    return frame.verb


def holds(frame: Frame, sentence: Sentence) -> bool:
    """Whether it is so now: neither past nor denied."""
    return not frame.is_negated and not is_past(sentence, verb_of(frame))


def is_name(noun: Nominal) -> bool:
    """Whether a thing has a name of its own."""
    return noun.surface[:1].isupper()


def undergoer_as_agent(frame: Frame) -> Frame:
    """A passive's frame with its object as the one that the fact is about."""
    roles = tuple(("agent", n) if r == "object" else (r, n) for r, n in frame.roles if r != "agent")
    return Frame(frame.predicate, roles, False, frame.modality, frame.is_negated, (), frame.span, frame.verb)


def behind(word: str, frame: Frame, sentence: Sentence, reader: NominalReader) -> list[Nominal]:
    """What is named behind a preposition of the clause."""
    own = [t for t in own_tokens(sentence, verb_of(frame)) if t.dep == "prep" and t.lower == word]
    return [
        n for p in own for t in sentence.kids(p.index, "pobj") if not is_known(sentence, t) for n in reader.all_of(t)
    ]


def is_known(sentence: Sentence, token: Token) -> bool:
    """Whether "the" points at something that both know, without a name."""
    return token.pos == "NOUN" and any(k.lower in ("the", "this", "that") for k in sentence.kids(token.index, "det"))


def with_article(noun: Nominal) -> str:
    """ "a dog", "an engineer", "cats"."""
    is_plural = noun.surface.endswith("s") and not noun.lemma.endswith("s")
    return noun.surface if is_plural else f"{'an' if noun.surface[0].lower() in 'aeiou' else 'a'} {noun.surface}"


def shown(noun: Nominal) -> str:
    """A subject's name as a sentence says it."""
    return shown_name(noun.surface)


def relation_or_name(noun: str, owner: Nominal, name: Nominal) -> Claim:
    """ "Maya's sister is Anna", "Maya's dog is named Rex"."""
    if noun in lexicon.KIN:
        relation = lexicon.KIN[noun]
        text = f"{shown(owner)}'s {relation} is {name.surface}."
        return Claim(relation, owner, name.surface, (name,), text=text)
    return Claim("named", owner, name.surface, (name,), text=f"{shown(owner)}'s {noun} is named {name.surface}.")
