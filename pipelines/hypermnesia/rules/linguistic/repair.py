"""Sentences whose parse is known to go wrong in a small way, put right before they are read."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypermnesia.rules.linguistic.lexicon import NAMING
from hypermnesia.rules.linguistic.parse import Sentence, Token

_NAMES = frozenset({"PERSON", "GPE", "ORG", "LANGUAGE", "WORK_OF_ART"})


def repaired(tokens: tuple[Token, ...]) -> Sentence:
    """The sentence of these tokens, with its known faults put right."""
    for repair in (
        _noun_like,
        _to_noun,
        _gonna,
        _and_i,
        _like,
        _gerund,
        _name_like,
        _called,
        _name_behind,
        _two_objects,
        _surprised,
    ):
        tokens = repair(tokens)
    return Sentence(tokens)


def _noun_like(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "She has a pendant": what has an article and is an object is a noun."""
    heads = {t.head for t in tokens if t.dep == "det"}
    return tuple(
        replace(t, pos="NOUN", tag="NN") if t.tag == "JJ" and t.dep in ("dobj", "pobj") and t.index in heads else t
        for t in tokens
    )


def _to_noun(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "allergic to soy": "to" in front of a noun makes no infinitive."""
    found = list(tokens)
    for to in tokens:
        noun = tokens[to.head]
        if (
            to.lower == "to"
            and to.dep == "aux"
            and noun.pos in ("NOUN", "PROPN")
            and noun.head not in (noun.index, to.index)
        ):
            found[to.index] = replace(to, dep="prep", pos="ADP", tag="IN", head=noun.head)
            found[noun.index] = replace(noun, dep="pobj", head=to.index)
    return tuple(found)


def _gonna(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "Gonna explore": the future of what follows."""
    found = list(tokens)
    for going, to in pairwise(tokens):
        if going.lower == "gon" and to.lower == "na":
            verb = tokens[to.head]
            found[going.index] = replace(going, pos="VERB", tag="VBG", lemma="go")
            if verb.head == going.index and verb is not going:
                found[verb.index] = replace(verb, dep="xcomp")
    return tuple(found)


def _and_i(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "Clara and I are away": Clara is no adverb."""
    found = list(tokens)
    for name, and_, me in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_pair = name.dep in ("npadvmod", "nsubj") and name.pos == "PROPN" and and_.dep == "cc" and me.dep == "nsubj"
        if is_pair and name.head == me.head and me.lower in ("i", "me"):
            found[name.index] = replace(name, dep="nsubj")
            found[me.index] = replace(me, dep="conj", head=name.index)
    return tuple(found)


def _like(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "Do you like sushi?": a root "like" with a subject is the verb."""
    heads = {t.head for t in tokens if t.dep == "nsubj"}
    return tuple(
        replace(t, pos="VERB", tag="VB") if t.lower == "like" and t.pos == "ADP" and t.index in heads else t
        for t in tokens
    )


def _gerund(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "I love hiking": what a verb leads to is a doing, no noun."""
    return tuple(
        replace(t, tag="VBG", pos="VERB") if t.dep == "xcomp" and t.tag == "NN" and t.lower.endswith("ing") else t
        for t in tokens
    )


def _name_like(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "It's Susie!": an adjective with a capital that is an entity is a name."""
    deps = {"acomp": "attr", "conj": "conj", "pobj": "pobj", "dobj": "dobj", "attr": "attr", "oprd": "oprd"}
    return tuple(
        replace(t, pos="PROPN", tag="NNP", dep=deps[t.dep])
        if t.pos == "ADJ" and t.index and t.text[0].isupper() and t.entity in _NAMES and t.dep in deps
        else t
        for t in tokens
    )


def _called(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "a parrot called Kiwi": Kiwi is the parrot's name, not the parrot its adjective."""
    found = list(tokens)
    for noun, called, name in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_named = called.lemma in NAMING and called.tag == "VBN" and name.pos == "PROPN"
        if not (is_named and noun.pos == "NOUN" and called.dep == "amod"):
            continue
        head = next((t for t in tokens if t.index == called.head), name)
        for token in tokens:
            if token.head == head.index and token.index < noun.index:
                found[token.index] = replace(token, head=noun.index)
        is_root = head.head == head.index
        found[noun.index] = replace(noun, dep=head.dep, head=noun.index if is_root else head.head)
        found[called.index] = replace(called, dep="acl", head=noun.index)
        found[head.index] = replace(head, dep="oprd", head=called.index)
    return tuple(found)


def _name_behind(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "We called the puppy Rex": the puppy is the object, Rex its name."""
    found = list(tokens)
    for noun, name in pairwise(tokens):
        verb = tokens[name.head]
        is_one = noun.pos == "NOUN" and noun.dep == "compound" and noun.head == name.index and name.pos == "PROPN"
        if not (is_one and verb.lemma in NAMING and verb.index < noun.index):
            continue
        for token in tokens:
            if token.head == name.index and token.index < noun.index:
                found[token.index] = replace(token, head=noun.index)
        found[noun.index] = replace(noun, dep="dobj", head=verb.index)
        found[name.index] = replace(name, dep="oprd")
    return tuple(found)


def _two_objects(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "I bought Mia a bracelet": of two objects side by side the first is who gets it."""
    found = list(tokens)
    objects = [t for t in tokens if t.dep == "dobj"]
    for first, second in pairwise(objects):
        if first.head == second.head < first.index and first.pos in ("PROPN", "PRON"):
            found[first.index] = replace(first, dep="dative")
    return tuple(found)


def _surprised(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "I was surprised by the gift": a participle with an agent is a passive, no adjective."""
    found = list(tokens)
    for token in tokens:
        has_agent = any(t.dep == "agent" and t.head == token.index for t in tokens)
        if not (token.dep == "acomp" and token.tag == "VBN" and has_agent):
            continue
        copula = tokens[token.head]
        for kid in tokens:
            if kid.head == copula.index and kid.index not in (copula.index, token.index):
                found[kid.index] = replace(found[kid.index], head=token.index)
                if kid.dep == "nsubj":
                    found[kid.index] = replace(found[kid.index], dep="nsubjpass")
        is_root = copula.head == copula.index
        found[token.index] = replace(token, dep=copula.dep, head=token.index if is_root else copula.head, pos="VERB")
        found[copula.index] = replace(copula, dep="auxpass", head=token.index)
    return tuple(found)
