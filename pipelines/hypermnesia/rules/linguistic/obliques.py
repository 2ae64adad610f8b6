"""The roles behind prepositions: of the verb, of its adjective, and of its object ("took a trip to Norway")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypermnesia.rules.linguistic import lexicon
from hypermnesia.rules.linguistic.clauses import is_passive
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader, of_name
from hypermnesia.rules.linguistic.parse import Sentence, Token
from hypermnesia.rules.linguistic.roles import is_company, role_of

_PREPOSITIONS = ("prep", "agent", "dative")


def obliques_of(
    sentence: Sentence, verb: Token, objects: Sequence[Token], reader: NominalReader, lemma: str
) -> list[tuple[str, Nominal]]:
    """Roles and their nouns behind every preposition of a clause, in order."""
    found: list[tuple[str, Nominal]] = []
    passive = is_passive(sentence, verb)
    for preposition, is_behind_adjective in _prepositions(sentence, verb, objects):
        for noun in _nouns(sentence, preposition, reader):
            word = preposition.lower
            if word == "by" and (preposition.dep == "agent" or passive) and noun.lemma not in lexicon.LANDSCAPE:
                found.append(("agent", noun))
                continue
            role = role_of(word, noun, lemma, is_behind_adjective and not (word == "with" and is_company(noun)))
            if role:
                found.append((role, noun))
    return found


def _prepositions(sentence: Sentence, verb: Token, objects: Sequence[Token]) -> Iterator[tuple[Token, bool]]:
    for preposition in sentence.kids(verb.index, *_PREPOSITIONS):
        if preposition.pos in ("ADP", "SCONJ"):
            yield from ((p, False) for p in _with_joined(sentence, preposition))
    for adjective in sentence.kids(verb.index, "acomp"):
        yield from ((p, True) for p in sentence.kids(adjective.index, "prep"))
    for adverb in sentence.kids(verb.index, "advmod", "prt"):
        yield from ((p, False) for p in sentence.kids(adverb.index, "prep"))
    there = sentence.kids(verb.index, "attr", "dobj") if sentence.kids(verb.index, "expl") else []
    for thing in (*objects, *there):
        yield from ((p, False) for p in _of_noun(sentence, thing))


def _with_joined(sentence: Sentence, preposition: Token) -> Iterator[Token]:
    """A preposition, those joined to it, and the "of" of "because of"."""
    yield preposition
    for kid in sentence.kids(preposition.index, "conj", "prep", "pcomp"):
        if kid.pos == "ADP" and preposition.lower != "as":
            yield kid
            for noun in sentence.kids(kid.index, "pobj"):
                yield from _of_noun(sentence, noun)
    for noun in sentence.kids(preposition.index, "pobj"):
        yield from _of_noun(sentence, noun)


def _of_noun(sentence: Sentence, noun: Token) -> Iterator[Token]:
    if noun.pos == "VERB":
        return
    for preposition in sentence.kids(noun.index, "prep"):
        is_inside = noun.lemma in lexicon.MEASURES or (
            noun.span >= 0 and any(t.span == noun.span for t in sentence.kids(preposition.index))
        )
        if preposition.lower == "of" and (is_inside or of_name(sentence, noun)):
            inner = sentence.kids(preposition.index, "pobj")
            yield from (p for t in inner for p in sentence.kids(t.index, "prep"))
        else:
            yield preposition
            for thing in sentence.kids(preposition.index, "pobj"):
                yield from _of_noun(sentence, thing)


def _nouns(sentence: Sentence, preposition: Token, reader: NominalReader) -> list[Nominal]:
    found = [n for t in sentence.kids(preposition.index, "pobj") for n in reader.all_of(t)]
    for doing in sentence.kids(preposition.index, "pcomp"):
        has_more = [k for k in sentence.kids(doing.index) if k.dep not in ("cc", "conj", "punct")]
        if doing.tag == "VBG" and not has_more:
            found += [n for t in sentence.conjuncts(doing) for n in (reader.read(t),) if n]
    return found
