"""Pets, names, family, languages, and what somebody owns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypermnesia.rules.linguistic import lexicon
from hypermnesia.rules.linguistic.claims import (
    Claim,
    each,
    holds,
    is_known,
    relation_or_name,
    shown,
    verb_of,
    with_article,
)
from hypermnesia.rules.linguistic.clauses import is_past, subjects
from hypermnesia.rules.linguistic.frames import Frame
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader
from hypermnesia.rules.linguistic.parse import Sentence, Token


def things(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """Pets and their names, what one owns, the languages one speaks, how many children one has."""
    verb = verb_of(frame)
    if verb.lemma in ("have", "get", "own", "adopt", "rescue", "buy") and not frame.is_negated:
        pets = [n for n in frame.fillers("object") if n.lemma in lexicon.PETS]
        if pets and verb.lemma in ("have", "get", "own") and not is_past(sentence, verb):
            for claim in each("has_pet", frame, pets):
                yield replace(claim, shown=with_article(claim.values[0]))
        if pets:
            yield from _named(frame, f"{pets[0].lemma}")
    if verb.lemma in lexicon.NAMING and not frame.is_negated:
        yield from _naming(frame, sentence)
    if verb.lemma == "be" and holds(frame, sentence):
        yield from _name_is(frame, sentence, reader)
    if verb.lemma == "have" and holds(frame, sentence):
        yield from _family(frame, sentence, reader)
    if verb.lemma == "own" and holds(frame, sentence):
        yield from each("owns", frame, [n for n in frame.fillers("object") if n.lemma not in lexicon.PETS])
    if verb.lemma == "drive" and holds(frame, sentence):
        cars = [n for n in frame.fillers("object") if n.surface[0].isupper() and n.type != "person"]
        yield from each("owns", frame, cars)
    if frame.predicate == "be_fluent" and holds(frame, sentence):
        yield from each("speaks", frame, [n for n in frame.fillers("topic") if n.surface[0].isupper()])
    if verb.lemma == "speak" and holds(frame, sentence):
        spoken = [t for d in sentence.kids(verb.index, "dobj") for t in sentence.conjuncts(d) if t.text[0].isupper()]
        tongues = [Nominal(t.text, "concept", t.start, t.end, t.lemma) for t in spoken]
        yield from each("speaks", frame, tongues)


def _named(frame: Frame, thing: str) -> Iterator[Claim]:
    for name in frame.fillers("name"):
        for owner in frame.fillers("agent")[:1]:
            yield relation_or_name(thing, owner, name)


def _is_nameable(token: Token) -> bool:
    kin = token.lemma in ("son", "daughter", "baby", "kid", "child", "boat", "car")
    return kin or token.lemma in lexicon.PETS or token.lower in ("him", "her", "it", "them")


def _naming(frame: Frame, sentence: Sentence) -> Iterator[Claim]:
    objects = [t for t in sentence.kids(verb_of(frame).index, "dobj", "nsubj") if _is_nameable(t)]
    if not objects:
        return
    what = (
        " ".join(t.text for t in sentence.subtree(objects[0].index) if t.dep in ("det", "dobj", "compound"))
        if objects
        else ""
    )
    for namer in frame.fillers("agent")[:1]:
        for name in frame.fillers("name"):
            if name.surface not in what:
                text = f"{shown(namer)} named {what or 'them'} {name.surface}."
                yield Claim("named", namer, name.surface, (name,), text=text)


def _name_is(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "My name is Ana", "my cat's name is Luna"."""
    for name in subjects(sentence, verb_of(frame))[0]:
        for poss in sentence.kids(name.index, "poss") if name.lemma == "name" else ():
            is_own = poss.tag == "PRP$"
            owner = reader.read(poss) if is_own else reader.owner(poss)
            for given in frame.fillers("object")[:1] if owner else ():
                assert owner is not None
                if given.surface[0].isupper() and is_own:
                    text = f"{shown(owner)}'s name is {given.surface}."
                    yield Claim("named", owner, given.surface, (given,), text=text)
                elif given.surface[0].isupper() and (poss.lemma in lexicon.KIN or poss.lemma in lexicon.PETS):
                    yield relation_or_name(poss.lemma, owner, given)


def _family(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "I have two kids and a brother": relatives without names."""
    heads = [t for d in sentence.kids(verb_of(frame).index, "dobj") for t in sentence.conjuncts(d)]
    for token in heads:
        if token.lemma not in lexicon.FAMILY or is_known(sentence, token):
            continue
        if token.lemma in lexicon.KIN:
            names = reader.given_names(token)
            yield from (relation_or_name(token.lemma, s, n) for s in frame.fillers("agent") for n in names)
        counts = [k.text for k in sentence.kids(token.index, "nummod")]
        words = f"{counts[0]} {token.text}" if counts else token.text
        noun = Nominal(token.text, "person", token.start, token.end, token.lemma)
        for subject in frame.fillers("agent"):
            yield Claim("has_family", subject, words, (noun,), shown=words if counts else with_article(noun))
