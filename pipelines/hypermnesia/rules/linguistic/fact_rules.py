"""One rule a kind of stable fact: from a clause's frame to claims. Each says which clauses it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hypermnesia.rules.linguistic import fact_words, lexicon
from hypermnesia.rules.linguistic.clauses import is_past, own_tokens, subjects
from hypermnesia.rules.linguistic.frames import Frame
from hypermnesia.rules.linguistic.inventory import FAVOURITE
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader
from hypermnesia.rules.linguistic.parse import Sentence, Token
from hypermnesia.rules.linguistic.people import shown_name


@dataclass(frozen=True, slots=True)
class Claim:
    """A predicate, its subject and its value. `shown`, `says` and `text` change the sentence where it would limp."""

    predicate: str
    subject: Nominal
    value: str
    values: tuple[Nominal, ...] = ()
    shown: str | None = None
    says: str | None = None
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


def lives(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
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
    return [n for p in own for t in sentence.kids(p.index, "pobj") for n in reader.all_of(t)]


def works(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "I work at Siemens as a cook", "I'm a nurse at Mercy Hospital", "I got a job at Red Hat"."""
    verb = _verb(frame).lemma
    places = [n for w in ("at", "for") for n in _behind(w, frame, sentence, reader) if n.lemma not in _NO_EMPLOYERS]
    if verb == "work" and _holds(frame, sentence):
        yield from _each("works_at", frame, [n for n in places if n.type in ("organization", "location", "object")][:1])
        yield from _jobs(frame, [n for n in frame.fillers("oblique") if n.lemma in fact_words.OCCUPATIONS])
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
        is_plural = claim.values[0].lemma != claim.value.split()[-1].lower() and claim.value.endswith("s")
        article = "" if is_plural else "an " if claim.value[0].lower() in "aeiou" else "a "
        yield Claim(
            "job", claim.subject, claim.value, claim.values, says=f"{'are' if is_plural else 'is'} {article}".strip()
        )


def studies(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "I'm studying biology at Leeds", "I graduated from Oxford"."""
    verb = _verb(frame).lemma
    schools = [n for n in (*frame.fillers("place"), *frame.fillers("source")) if _is_school(n)]
    if verb in ("study", "major") and _holds(frame, sentence):
        subjects_of_study = frame.fillers("object") or (frame.fillers("oblique") if verb == "major" else [])
        yield from _each("studies", frame, [n for n in subjects_of_study if n.lemma not in ("exam", "test")])
        yield from _each("studies_at", frame, schools[:1])
    elif verb == "graduate" and not frame.is_negated:
        yield from _each("graduated_from", frame, [n for n in frame.fillers("source") if _is_name(n)][:1])


def _is_school(noun: Nominal) -> bool:
    return noun.type == "organization" or noun.lemma in fact_words.SCHOOLS


def body(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
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
            yield Claim("diet", claim.subject, value, claim.values, says="", shown=value)
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
                    yield Claim("health", subject, value, says="is")


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
    heads = [t for d in sentence.kids(verb.index, "dobj") for t in sentence.conjuncts(d)]
    values = [(n, n.surface) for t in heads if _is_general(sentence, t) for n in (reader.read(t),) if n]
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
        words = [
            t for t in sentence.subtree(token.index) if t.index >= token.index and not _is_joined(sentence, token, t)
        ]
        words = [t for t in words if t.index - token.index < 6]
        if token.pos == "NOUN" and token.tag != "VBG":
            noun = reader.read(token)
            if noun:
                yield noun, noun.surface
        elif token.tag == "VBG" and not any(
            t.tag in ("PRP", "PRP$", "DT") and t.lower not in ("the", "a", "an") for t in words
        ):
            phrase = reader.text[token.start : words[-1].end].rstrip(" .,!;")
            yield Nominal(token.text, "concept", token.start, token.end, token.lemma), phrase


def _is_joined(sentence: Sentence, head: Token, token: Token) -> bool:
    """Whether a word hangs below something that is joined to the head."""
    chain = [token, *sentence.above(token)]
    below = chain[: chain.index(head)] if head in chain else chain
    return any(t.dep in ("conj", "cc") and sentence.head(t) is head for t in below) or token.pos == "PUNCT"


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
            things = [n for t in sentence.kids(preposition.index, "pobj") for n in reader.all_of(t)]
            for subject in frame.fillers("agent"):
                for thing in things:
                    yield Claim("hobby", subject, _with_adjectives(sentence, thing, reader), (thing,))
    for fan in sentence.kids(verb.index, "attr"):
        if fan.lemma == "fan":
            yield from _each("likes", frame, [n for n in frame.fillers("topic")])


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
    sides = (subjects(sentence, verb)[0][:1], sentence.kids(verb.index, "attr")[:1])
    for kind, value in (sides, sides[::-1]):
        if not kind or not value or not _is_favourite(sentence, kind[0]):
            continue
        owner, things = reader.owner(kind[0]), reader.all_of(value[0])
        for thing in things if owner else ():
            assert owner is not None
            name = FAVOURITE + "_".join(w.text.lower() for w in _kind_words(sentence, kind[0]))
            says = f"'s favourite {' '.join(name.split('_')[1:])} is {thing.surface}."
            yield Claim(name, owner, thing.surface, (thing,), text=_shown(owner) + says)
        return


def _is_favourite(sentence: Sentence, token: Token) -> bool:
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
            yield from _each("has_pet", frame, pets)
        if pets:
            yield from _named(frame, f"{pets[0].lemma}")
    if verb.lemma in lexicon.NAMING and not frame.is_negated:
        yield from _naming(frame, sentence)
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


def _naming(frame: Frame, sentence: Sentence) -> Iterator[Claim]:
    objects = sentence.kids(_verb(frame).index, "dobj")
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
    lives, works, studies, body, tastes, favourites, things, life,
)  # fmt: skip
