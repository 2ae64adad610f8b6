"""What somebody likes, dislikes, plays and is into; favourites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypermnesia.rules.linguistic import fact_words
from hypermnesia.rules.linguistic.claims import Claim, each, holds, shown, verb_of
from hypermnesia.rules.linguistic.clauses import is_past, subjects
from hypermnesia.rules.linguistic.frames import Frame
from hypermnesia.rules.linguistic.inventory import FAVOURITE
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader
from hypermnesia.rules.linguistic.parse import Sentence, Token


def tastes(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "I love sushi", "I enjoy cooking Thai food", "I can't stand jazz", "I'm into cameras", "I play chess"."""
    verb = verb_of(frame)
    if is_past(sentence, verb) or {k.lower for k in sentence.kids(verb.index, "aux")} & {"would", "'d", "have", "'ve"}:
        return
    stands = verb.lemma in ("stand", "bear") and any(k.lower in ("ca", "can") for k in sentence.kids(verb.index, "aux"))
    if verb.lemma in fact_words.LIKING:
        yield from _liked(frame, "dislikes" if frame.is_negated else "likes", sentence, reader)
    elif (verb.lemma in fact_words.DISLIKING and not frame.is_negated) or (stands and frame.is_negated):
        yield from _liked(frame, "dislikes", sentence, reader)
    elif verb.lemma == "play" and not frame.is_negated:
        yield from each("plays", frame, [n for n in frame.fillers("object") if _is_played(n)])
    elif verb.lemma == "be" and not frame.is_negated:
        yield from _into(frame, sentence, reader)


def _is_played(noun: Nominal) -> bool:
    return noun.lemma in fact_words.INSTRUMENTS_AND_GAMES or noun.surface.lower() in fact_words.INSTRUMENTS_AND_GAMES


def _liked(frame: Frame, predicate: str, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    verb = verb_of(frame)
    heads = [t for d in sentence.kids(verb.index, "dobj") if _is_general(sentence, d) for t in sentence.conjuncts(d)]
    values = [(n, _general_words(n)) for t in heads if _is_general(sentence, t) for n in (reader.read(t),) if n]
    for doing in sentence.kids(verb.index, "xcomp"):
        if doing.tag == "VBG" or (doing.tag == "VB" and verb.lemma in ("like", "love")):
            values += [(n, phrase) for n, phrase in _doings(sentence, doing, reader)]
    for subject in frame.fillers("agent"):
        for noun, phrase in values:
            if noun.type != "person":
                yield Claim(predicate, subject, phrase, (noun,))


def _doings(sentence: Sentence, doing: Token, reader: NominalReader) -> Iterator[tuple[Nominal, str]]:
    """What one likes to do, each in its words: "hiking", "cooking Thai food"."""
    for token in sentence.conjuncts(doing):
        if token.pos == "NOUN" and token.tag != "VBG":
            yield from ((n, _general_words(n)) for n in (reader.read(token),) if n and _is_general(sentence, token))
            continue
        words = _words_of_doing(sentence, token)
        if token.tag in ("VBG", "VB") and token.lemma != "be" and _is_general_doing(sentence, token, words):
            phrase = ("to " if token.tag == "VB" else "") + reader.text[token.start : words[-1].end]
            yield Nominal(token.text, "concept", token.start, token.end, token.lemma), phrase


def _is_general_doing(sentence: Sentence, doing: Token, words: Sequence[Token]) -> bool:
    """Whether a doing is whole and nobody's own: no "seeing her", "hiking this trail", "not being there"."""
    if any(t.tag in ("PRP", "PRP$", "DT") and t.lower not in ("the", "a", "an") for t in words):
        return False
    added = ("cc", "conj", "punct", "advmod", "aux")
    is_cut = len(words) == 1 and any(k.dep not in added for k in sentence.kids(doing.index))
    return not is_cut and not sentence.kids(doing.index, "neg")


_MOST_WORDS = 7
_BEHIND = ("conj", "cc", "relcl", "advcl", "acl", "ccomp", "xcomp", "npadvmod", "advmod", "mark", "appos")


def _words_of_doing(sentence: Sentence, doing: Token) -> list[Token]:
    """The words of a doing up to what is only added to it; the last one is a noun or the doing itself."""
    words = [doing]
    for token in sentence.tokens[doing.index + 1 : doing.index + _MOST_WORDS]:
        chain = [token, *sentence.above(token)]
        below = chain[: chain.index(doing)] if doing in chain else []
        if not below or token.pos == "PUNCT" or any(t.dep in _BEHIND for t in below):
            break
        words.append(token)
    while words[-1] is not doing and words[-1].pos not in ("NOUN", "PROPN"):
        words.pop()
    return words


def _general_words(noun: Nominal) -> str:
    """ "the sea" keeps its article."""
    return f"the {noun.surface}" if noun.lemma in fact_words.GENERAL_WITH_THE else noun.surface


def _is_general(sentence: Sentence, token: Token) -> bool:
    """Whether a thing is meant in general: no "this", "your", "the"; no "it"."""
    if token.pos not in ("NOUN", "PROPN") and token.tag != "VBG":
        return False
    determiners = {k.lower for k in sentence.kids(token.index, "det", "poss", "predet")}
    if "the" in determiners:
        return token.lemma in fact_words.GENERAL_WITH_THE or token.pos == "PROPN"
    has_clause = bool(sentence.kids(token.index, "relcl", "acl"))
    return not has_clause and not determiners - {"a", "an", "all", "both"}


def _into(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    verb = verb_of(frame)
    for preposition in sentence.kids(verb.index, "prep"):
        if preposition.lower == "into":
            heads = [t for t in sentence.kids(preposition.index, "pobj") if _is_general(sentence, t)]
            things = [n for t in heads for n in reader.all_of(t)]
            for subject in frame.fillers("agent"):
                for thing in things:
                    yield Claim("hobby", subject, _with_adjectives(sentence, thing, reader), (thing,))
    for pastime in subjects(sentence, verb)[0]:
        if pastime.lemma in ("hobby", "pastime", "passion") and (owner := reader.owner(pastime)):
            yield from (Claim("hobby", owner, n.surface, (n,)) for n in frame.fillers("object"))
    for fan in sentence.kids(verb.index, "attr"):
        for preposition in sentence.kids(fan.index, "prep") if fan.lemma == "fan" else ():
            liked = [t for t in sentence.kids(preposition.index, "pobj") if _is_general(sentence, t)]
            yield from each("likes", frame, [n for t in liked for n in reader.all_of(t)])


def _with_adjectives(sentence: Sentence, noun: Nominal, reader: NominalReader) -> str:
    """A thing with the adjectives in front of it."""
    head = next((t for t in sentence.tokens if t.end == noun.end), None)
    if head is None or noun.end is None:
        return noun.surface
    start = min([noun.start or head.start, *(k.start for k in sentence.kids(head.index, "amod"))])
    return reader.text[start : noun.end]


def favourites(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "My favourite book is Dune", "Dune is my favourite book"."""
    verb = verb_of(frame)
    if verb.lemma != "be" or not holds(frame, sentence):
        return
    sides = (subjects(sentence, verb)[0][:1], sentence.kids(verb.index, "attr", "acomp")[:1])
    for kind, value in (sides, sides[::-1]):
        if not kind or not value or not _is_favourite(sentence, kind[0]):
            continue
        owner, things = reader.owner(kind[0]), reader.all_of(value[0]) or _quality(value[0])
        for thing in things if owner else ():
            assert owner is not None
            name = FAVOURITE + "_".join(w.text.lower() for w in _kind_words(sentence, kind[0]))
            says = f"'s favourite {' '.join(name.split('_')[1:])} is {thing.surface}."
            yield Claim(name, owner, thing.surface, (thing,), text=shown(owner) + says)
        return


def _quality(token: Token) -> list[Nominal]:
    """ "My favourite colour is blue"."""
    is_one = token.pos in ("ADJ", "NOUN") and token.text.isalpha()
    return [Nominal(token.text, "concept", token.start, token.end, token.lemma)] if is_one else []


def _is_favourite(sentence: Sentence, token: Token) -> bool:
    if token.lemma in ("one", "thing", "part", "time"):
        return False
    return any(k.lower in ("favourite", "favorite", "fave") for k in sentence.kids(token.index, "amod", "compound"))


def _kind_words(sentence: Sentence, token: Token) -> list[Token]:
    return [*(k for k in sentence.kids(token.index, "compound") if k.lower not in ("favourite", "favorite")), token]
