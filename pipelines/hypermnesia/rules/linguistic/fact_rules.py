"""One rule a kind of stable fact: from a clause's frame to claims. Each says which clauses it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from hypermnesia.rules.linguistic import fact_words, lexicon
from hypermnesia.rules.linguistic.clauses import is_past, own_tokens, subjects
from hypermnesia.rules.linguistic.frames import Frame
from hypermnesia.rules.linguistic.inventory import FAVOURITE
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


def _each(predicate: str, frame: Frame, values: Sequence[Nominal]) -> Iterator[Claim]:
    """A claim for every subject and every value."""
    for subject in frame.fillers("agent"):
        for value in values:
            yield Claim(predicate, subject, value.surface, (value,))


def _verb(frame: Frame) -> Token:
    assert frame.verb is not None
    return frame.verb


def _holds(frame: Frame, sentence: Sentence) -> bool:
    """Whether it is so now: neither past nor denied."""
    return not frame.is_negated and not is_past(sentence, _verb(frame))


def _is_name(noun: Nominal) -> bool:
    return noun.type in ("location", "organization") or noun.surface[:1].isupper()


def lives(frame: Frame, sentence: Sentence, _: NominalReader) -> Iterator[Claim]:
    """ "I live in Lisbon", "I moved to Berlin", "I'm from Chile", "I was born in Nairobi"."""
    verb = _verb(frame).lemma
    places = [n for n in frame.fillers("place") if _is_name(n) and n.type != "organization"]
    if frame.is_negated:
        return
    if verb in ("live", "reside", "settle", "base") and (verb != "live" or _holds(frame, sentence)):
        agents = frame if verb != "base" else _undergoer_as_agent(frame)
        yield from _each("lives_in", agents, places[:1])
    elif verb in ("move", "relocate"):
        yield from _each("moved_to", frame, places[:1])
        yield from _each("lives_in", frame, places[:1])
    elif verb == "bear":
        yield from _each("from", _undergoer_as_agent(frame), places[:1])
    elif (verb == "be" and frame.predicate in ("be", "be_originally")) or (verb == "come" and _holds(frame, sentence)):
        sources = [*frame.fillers("source"), *(places if frame.fillers("source") or verb == "come" else [])]
        yield from _each("from", frame, [n for n in sources if _is_name(n)][:1])


def _undergoer_as_agent(frame: Frame) -> Frame:
    roles = tuple(("agent", n) if r == "object" else (r, n) for r, n in frame.roles if r != "agent")
    return Frame(frame.predicate, roles, False, frame.modality, frame.is_negated, (), frame.span, frame.verb)


_NO_EMPLOYERS = frozenset({"home", "team", "area", "night", "house", "charity", "free", "fun", "exam", "office"})


def _behind(word: str, frame: Frame, sentence: Sentence, reader: NominalReader) -> list[Nominal]:
    """What is named behind a preposition of the clause."""
    own = [t for t in own_tokens(sentence, _verb(frame)) if t.dep == "prep" and t.lower == word]
    return [
        n for p in own for t in sentence.kids(p.index, "pobj") if not _is_known(sentence, t) for n in reader.all_of(t)
    ]


def _is_known(sentence: Sentence, token: Token) -> bool:
    """Whether "the" points at something that both know, without a name."""
    return token.pos == "NOUN" and any(k.lower in ("the", "this", "that") for k in sentence.kids(token.index, "det"))


def works(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "I work at Siemens as a cook", "I'm a nurse at Mercy Hospital", "I got a job at Red Hat"."""
    verb = _verb(frame).lemma
    places = [n for w in ("at", "for") for n in _behind(w, frame, sentence, reader) if n.lemma not in _NO_EMPLOYERS]
    if verb == "work" and _holds(frame, sentence):
        yield from _each("works_at", frame, [n for n in places if n.type in ("organization", "location", "object")][:1])
        yield from _jobs(
            frame, [n for n in _behind("as", frame, sentence, reader) if n.lemma in fact_words.OCCUPATIONS]
        )
    elif verb in ("be", "become") and not frame.is_negated and (verb == "become" or _holds(frame, sentence)):
        jobs = [n for n in frame.fillers("object") if n.lemma in fact_words.OCCUPATIONS]
        yield from _jobs(frame, jobs)
        if jobs:
            yield from _each("works_at", frame, [n for n in places if _is_name(n)][:1])
    elif verb in ("get", "start", "take", "land") and not frame.is_negated:
        if {n.lemma for n in frame.fillers("object")} & {"job", "position", "role"}:
            yield from _each("works_at", frame, [n for n in _behind("at", frame, sentence, reader) if _is_name(n)][:1])
    elif verb == "teach" and _holds(frame, sentence) and not frame.fillers("recipient"):
        yield from _each("teaches", frame, frame.fillers("object"))


def _jobs(frame: Frame, jobs: Sequence[Nominal]) -> Iterator[Claim]:
    for claim in _each("job", frame, jobs):
        yield replace(claim, shown=_with_article(claim.values[0]))


def _with_article(noun: Nominal) -> str:
    """ "a dog", "an engineer", "cats"."""
    is_plural = noun.surface.endswith("s") and not noun.lemma.endswith("s")
    return noun.surface if is_plural else f"{'an' if noun.surface[0].lower() in 'aeiou' else 'a'} {noun.surface}"


def studies(frame: Frame, sentence: Sentence, _: NominalReader) -> Iterator[Claim]:
    """ "I'm studying biology at Leeds", "I graduated from Oxford"."""
    verb = _verb(frame).lemma
    schools = [n for n in (*frame.fillers("place"), *frame.fillers("source")) if _is_school(n)]
    if verb in ("study", "major") and _holds(frame, sentence):
        subjects_of_study = frame.fillers("object") or (frame.fillers("oblique") if verb == "major" else [])
        yield from _each("studies", frame, [n for n in subjects_of_study if _is_field(n)])
        yield from _each("studies_at", frame, schools[:1])
    elif verb == "graduate" and not frame.is_negated:
        yield from _each("graduated_from", frame, [n for n in frame.fillers("source") if _is_name(n)][:1])


def _is_field(noun: Nominal) -> bool:
    low = noun.surface.lower()
    return low in fact_words.FIELDS or noun.lemma in fact_words.FIELDS or low.endswith(fact_words.FIELD_ENDINGS)


def _is_school(noun: Nominal) -> bool:
    return noun.type == "organization" or noun.lemma in fact_words.SCHOOLS


def body(frame: Frame, sentence: Sentence, _: NominalReader) -> Iterator[Claim]:
    """Allergies, diets and conditions."""
    verb = _verb(frame)
    if frame.predicate == "be_allergic" and _holds(frame, sentence):
        yield from _each("allergic_to", frame, frame.fillers("topic"))
    if (
        verb.lemma in ("be", "become", "go")
        and not frame.is_negated
        and (verb.lemma != "be" or _holds(frame, sentence))
    ):
        yield from _states(frame, sentence)
    if verb.lemma == "eat" and frame.is_negated and not is_past(sentence, verb):
        for claim in _each("diet", frame, frame.fillers("object")):
            value = f"doesn't eat {claim.value}"
            yield Claim("diet", claim.subject, value, text=f"{_shown(claim.subject)} {value}.")
    if verb.lemma in ("have", "get") and _holds(frame, sentence):
        yield from _each("health", frame, [n for n in frame.fillers("object") if _is_condition(n)])
    if verb.lemma == "diagnose" and not frame.is_negated:
        yield from _each("health", _undergoer_as_agent(frame), frame.fillers("oblique"))


def _states(frame: Frame, sentence: Sentence) -> Iterator[Claim]:
    verb = _verb(frame)
    for token in sentence.kids(verb.index, "acomp", "attr"):
        low = token.lower.rstrip("s") if token.lemma in fact_words.DIETS else token.lower
        for subject in frame.fillers("agent"):
            if low in fact_words.DIETS:
                values = tuple(n for n in frame.fillers("object") if n.lemma == token.lemma)
                yield Claim("diet", subject, low, values)
            elif low in fact_words.HEALTH_ADJECTIVES:
                before = [k.text for k in sentence.kids(token.index, "npadvmod", "amod", "compound", "nmod")]
                value = " ".join([*before, token.text])
                if low != "intolerant" or before:
                    yield Claim("health", subject, value, text=f"{_shown(subject)} is {value}.")


def _is_condition(noun: Nominal) -> bool:
    if noun.lemma in fact_words.CONDITIONS or noun.surface.lower() in fact_words.CONDITIONS:
        return True
    return noun.lemma in fact_words.CONDITION_HEADS or bool(fact_words.CONDITION_ENDING.search(noun.lemma))


def tastes(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "I love sushi", "I enjoy cooking Thai food", "I can't stand jazz", "I'm into cameras", "I play chess"."""
    verb = _verb(frame)
    if is_past(sentence, verb) or {k.lower for k in sentence.kids(verb.index, "aux")} & {"would", "'d", "have", "'ve"}:
        return
    stands = verb.lemma in ("stand", "bear") and any(k.lower in ("ca", "can") for k in sentence.kids(verb.index, "aux"))
    if verb.lemma in fact_words.LIKING:
        yield from _liked(frame, "dislikes" if frame.is_negated else "likes", sentence, reader)
    elif (verb.lemma in fact_words.DISLIKING and not frame.is_negated) or (stands and frame.is_negated):
        yield from _liked(frame, "dislikes", sentence, reader)
    elif verb.lemma == "play" and not frame.is_negated:
        yield from _each("plays", frame, [n for n in frame.fillers("object") if _is_played(n)])
    elif verb.lemma == "be" and not frame.is_negated:
        yield from _into(frame, sentence, reader)


def _is_played(noun: Nominal) -> bool:
    return noun.lemma in fact_words.INSTRUMENTS_AND_GAMES or noun.surface.lower() in fact_words.INSTRUMENTS_AND_GAMES


def _liked(frame: Frame, predicate: str, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    verb = _verb(frame)
    heads = [t for d in sentence.kids(verb.index, "dobj") if _is_general(sentence, d) for t in sentence.conjuncts(d)]
    values = [(n, _general_words(n)) for t in heads if _is_general(sentence, t) for n in (reader.read(t),) if n]
    for doing in sentence.kids(verb.index, "xcomp"):
        if doing.tag == "VBG":
            values += [(n, phrase) for n, phrase in _doings(sentence, doing, reader)]
    for subject in frame.fillers("agent"):
        for noun, phrase in values:
            if noun.type != "person":
                yield Claim(predicate, subject, phrase, (noun,))


def _doings(sentence: Sentence, doing: Token, reader: NominalReader) -> Iterator[tuple[Nominal, str]]:
    """What one likes to do, each in its words: "hiking", "cooking Thai food"."""
    for token in sentence.conjuncts(doing):
        if token.pos == "NOUN" and token.tag != "VBG":
            yield from ((n, n.surface) for n in (reader.read(token),) if n)
            continue
        words = _words_of_doing(sentence, token)
        is_own = any(t.tag in ("PRP", "PRP$", "DT") and t.lower not in ("the", "a", "an") for t in words)
        is_cut = len(words) == 1 and any(
            k.dep not in ("cc", "conj", "punct", "advmod") for k in sentence.kids(token.index)
        )
        if (
            token.tag == "VBG"
            and token.lemma != "be"
            and not is_own
            and not is_cut
            and not sentence.kids(token.index, "neg")
        ):
            phrase = reader.text[token.start : words[-1].end]
            yield Nominal(token.text, "concept", token.start, token.end, token.lemma), phrase


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
    verb = _verb(frame)
    for preposition in sentence.kids(verb.index, "prep"):
        if preposition.lower == "into":
            heads = [t for t in sentence.kids(preposition.index, "pobj") if _is_general(sentence, t)]
            things = [n for t in heads for n in reader.all_of(t)]
            for subject in frame.fillers("agent"):
                for thing in things:
                    yield Claim("hobby", subject, _with_adjectives(sentence, thing, reader), (thing,))
    for fan in sentence.kids(verb.index, "attr"):
        for preposition in sentence.kids(fan.index, "prep") if fan.lemma == "fan" else ():
            liked = [t for t in sentence.kids(preposition.index, "pobj") if _is_general(sentence, t)]
            yield from _each("likes", frame, [n for t in liked for n in reader.all_of(t)])


def _with_adjectives(sentence: Sentence, noun: Nominal, reader: NominalReader) -> str:
    """A thing with the adjectives in front of it."""
    head = next((t for t in sentence.tokens if t.end == noun.end), None)
    if head is None or noun.end is None:
        return noun.surface
    start = min([noun.start or head.start, *(k.start for k in sentence.kids(head.index, "amod"))])
    return reader.text[start : noun.end]


def favourites(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "My favourite book is Dune", "Dune is my favourite book"."""
    verb = _verb(frame)
    if verb.lemma != "be" or not _holds(frame, sentence):
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
            yield Claim(name, owner, thing.surface, (thing,), text=_shown(owner) + says)
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


def _shown(noun: Nominal) -> str:
    return shown_name(noun.surface)


def things(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """Pets and their names, what one owns, the languages one speaks, how many children one has."""
    verb = _verb(frame)
    if verb.lemma in ("have", "get", "own", "adopt", "rescue", "buy") and not frame.is_negated:
        pets = [n for n in frame.fillers("object") if n.lemma in lexicon.PETS]
        if pets and verb.lemma in ("have", "get", "own") and not is_past(sentence, verb):
            for claim in _each("has_pet", frame, pets):
                yield replace(claim, shown=_with_article(claim.values[0]))
        if pets:
            yield from _named(frame, f"{pets[0].lemma}")
    if verb.lemma in lexicon.NAMING and not frame.is_negated:
        yield from _naming(frame, sentence)
    if verb.lemma == "be" and _holds(frame, sentence):
        yield from _name_is(frame, sentence, reader)
    if verb.lemma == "have" and _holds(frame, sentence):
        yield from _family(frame, sentence, reader)
    if verb.lemma == "own" and _holds(frame, sentence):
        yield from _each("owns", frame, [n for n in frame.fillers("object") if n.lemma not in lexicon.PETS])
    if verb.lemma == "drive" and _holds(frame, sentence):
        cars = [n for n in frame.fillers("object") if n.surface[0].isupper() and n.type != "person"]
        yield from _each("owns", frame, cars)
    if verb.lemma == "speak" and _holds(frame, sentence):
        spoken = [t for d in sentence.kids(verb.index, "dobj") for t in sentence.conjuncts(d) if t.text[0].isupper()]
        tongues = [Nominal(t.text, "concept", t.start, t.end, t.lemma) for t in spoken]
        yield from _each("speaks", frame, tongues)


def _named(frame: Frame, thing: str) -> Iterator[Claim]:
    for name in frame.fillers("name"):
        for owner in frame.fillers("agent")[:1]:
            text = f"{_shown(owner)}'s {thing} is named {name.surface}."
            yield Claim("named", owner, name.surface, (name,), text=text)


def _is_nameable(token: Token) -> bool:
    kin = token.lemma in ("son", "daughter", "baby", "kid", "child", "boat", "car")
    return kin or token.lemma in lexicon.PETS or token.lower in ("him", "her", "it", "them")


def _naming(frame: Frame, sentence: Sentence) -> Iterator[Claim]:
    objects = [t for t in sentence.kids(_verb(frame).index, "dobj", "nsubj") if _is_nameable(t)]
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
                text = f"{_shown(namer)} named {what or 'them'} {name.surface}."
                yield Claim("named", namer, name.surface, (name,), text=text)


def _name_is(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "My name is Ana", "my cat's name is Luna"."""
    for name in subjects(sentence, _verb(frame))[0]:
        for poss in sentence.kids(name.index, "poss") if name.lemma == "name" else ():
            is_own = poss.tag == "PRP$"
            owner = reader.read(poss) if is_own else reader.owner(poss)
            for given in frame.fillers("object")[:1] if owner else ():
                assert owner is not None
                says = "'s name is" if is_own else f"'s {poss.text} is named"
                if given.surface[0].isupper() and poss.lemma in lexicon.KIN:
                    text = f"{_shown(owner)}'s {poss.text} is {given.surface}."
                    yield Claim(lexicon.KIN[poss.lemma], owner, given.surface, (given,), text=text)
                elif given.surface[0].isupper() and (is_own or poss.lemma in lexicon.PETS):
                    yield Claim("named", owner, given.surface, (given,), text=f"{_shown(owner)}{says} {given.surface}.")


def _family(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "I have two kids and a brother": relatives without names."""
    heads = [t for d in sentence.kids(_verb(frame).index, "dobj") for t in sentence.conjuncts(d)]
    for token in heads:
        if token.lemma not in lexicon.FAMILY or reader.given_names(token) or _is_known(sentence, token):
            continue
        counts = [k.text for k in sentence.kids(token.index, "nummod")]
        words = f"{counts[0]} {token.text}" if counts else token.text
        noun = Nominal(token.text, "person", token.start, token.end, token.lemma)
        for subject in frame.fillers("agent"):
            yield Claim("has_family", subject, words, (noun,), shown=words if counts else _with_article(noun))


#: What is worth keeping also where it is denied: "I don't live in Paris anymore".
_DENIABLE = frozenset({"lives_in", "works_at", "allergic_to", "owns", "has_pet", "speaks", "plays"})


def denied(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """The same facts, said not to be so."""
    if frame.is_negated:
        for rule in (lives, works, body, tastes, things):
            for claim in rule(replace(frame, is_negated=False), sentence, reader):
                if claim.predicate in _DENIABLE:
                    yield replace(claim, is_negated=True)


def life(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """Birthdays, ages, marriages."""
    verb = _verb(frame)
    heads = subjects(sentence, verb)[0]
    if verb.lemma == "be" and heads and heads[0].lemma == "birthday" and not frame.is_negated:
        owner = reader.owner(heads[0])
        dates = [v for k, v in frame.attributes if k == "date"]
        if owner and dates:
            yield Claim("birthday", owner, dates[0], text=f"{_shown(owner)}'s birthday is {dates[0]}.")
    age = _age(sentence, verb) if not frame.is_negated else None
    for subject in frame.fillers("agent") if age else ():
        assert age is not None
        yield Claim("age", subject, age, shown=f"{age} years old")
    if frame.predicate in ("be_married", "be_engaged") or (verb.lemma == "marry" and not frame.is_negated):
        partners = [*frame.fillers("topic"), *frame.fillers("recipient"), *frame.fillers("companion")]
        people = _undergoer_as_agent(frame) if verb.lemma == "marry" and not frame.fillers("agent") else frame
        if not frame.is_negated:
            yield from _each("married_to", people, [n for n in partners if n.type == "person"][:1])


def _age(sentence: Sentence, verb: Token) -> str | None:
    """The age in "I'm 34 years old", "my mother is 71", "I turned 30"."""
    if verb.lemma not in ("be", "turn") or (verb.lemma == "be" and is_past(sentence, verb)):
        return None
    for token in sentence.kids(verb.index, "attr", "acomp", "dobj", "npadvmod"):
        number = token if token.tag == "CD" else None
        if token.lemma == "old" or (token.lemma == "year" and verb.lemma == "be" and _has_old(sentence, token)):
            number = next((t for t in sentence.subtree(token.index) if t.tag == "CD"), None)
        if number is None or (number is token and sentence.kids(token.index, "prep", "quantmod", "compound")):
            continue
        value = fact_words.NUMBER_WORDS.get(number.lower, number.text)
        if value.isdigit() and 0 < int(value) < 120:
            return value
    return None


def _has_old(sentence: Sentence, token: Token) -> bool:
    return any(t.lower == "old" for t in sentence.subtree(token.index))


RULES: tuple[Callable[[Frame, Sentence, NominalReader], Iterator[Claim]], ...] = (
    lives, works, studies, body, tastes, favourites, things, life, denied,
)  # fmt: skip
