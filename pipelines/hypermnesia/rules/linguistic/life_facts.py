"""Where somebody lives, works and studies; ages, birthdays, marriages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hypermnesia.rules.linguistic import fact_words
from hypermnesia.rules.linguistic.claims import (
    Claim,
    behind,
    each,
    holds,
    is_name,
    shown,
    undergoer_as_agent,
    verb_of,
    with_article,
)
from hypermnesia.rules.linguistic.clauses import is_past, subjects
from hypermnesia.rules.linguistic.frames import Frame
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader
from hypermnesia.rules.linguistic.parse import Sentence, Token


def lives(frame: Frame, sentence: Sentence, _: NominalReader) -> Iterator[Claim]:
    """ "I live in Lisbon", "I moved to Berlin", "I'm from Chile", "I was born in Nairobi"."""
    verb = verb_of(frame).lemma
    places = [n for n in frame.fillers("place") if is_name(n) and n.type != "organization"]
    if frame.is_negated:
        return
    if verb in ("live", "reside", "settle", "base") and (verb != "live" or holds(frame, sentence)):
        agents = frame if verb != "base" else undergoer_as_agent(frame)
        yield from each("lives_in", agents, places[:1])
    elif verb in ("move", "relocate"):
        yield from each("moved_to", frame, places[:1])
        yield from each("lives_in", frame, places[:1])
    elif frame.predicate == "grow_up":
        yield from each("grew_up_in", frame, places[:1])
    elif verb == "bear":
        yield from each("from", undergoer_as_agent(frame), places[:1])
    elif (verb == "be" and frame.predicate in ("be", "be_originally")) or (verb == "come" and holds(frame, sentence)):
        sources = [*frame.fillers("source"), *(places if frame.fillers("source") or verb == "come" else [])]
        yield from each("from", frame, [n for n in sources if is_name(n)][:1])


_NO_EMPLOYERS = frozenset({"home", "team", "area", "night", "house", "charity", "free", "fun", "exam", "office"})


def works(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """ "I work at Siemens as a cook", "I'm a nurse at Mercy Hospital", "I got a job at Red Hat"."""
    verb = verb_of(frame).lemma
    places = [n for w in ("at", "for") for n in behind(w, frame, sentence, reader) if n.lemma not in _NO_EMPLOYERS]
    if verb == "work" and holds(frame, sentence):
        yield from each("works_at", frame, [n for n in places if n.type in ("organization", "location", "object")][:1])
        yield from _jobs(frame, [n for n in behind("as", frame, sentence, reader) if n.lemma in fact_words.OCCUPATIONS])
    elif verb in ("be", "become") and not frame.is_negated and (verb == "become" or holds(frame, sentence)):
        jobs = [n for n in frame.fillers("object") if n.lemma in fact_words.OCCUPATIONS]
        yield from _jobs(frame, jobs)
        if jobs:
            yield from each("works_at", frame, [n for n in places if is_name(n)][:1])
    elif verb in ("get", "start", "take", "land") and not frame.is_negated:
        if {n.lemma for n in frame.fillers("object")} & {"job", "position", "role"}:
            yield from each("works_at", frame, [n for n in behind("at", frame, sentence, reader) if is_name(n)][:1])
    elif verb in ("quit", "leave", "lose") and "job" in {n.lemma for n in frame.fillers("object")}:
        left = each("works_at", frame, [n for n in behind("at", frame, sentence, reader) if is_name(n)][:1])
        yield from (replace(claim, is_negated=True) for claim in left)
    elif verb == "teach" and holds(frame, sentence) and not frame.fillers("recipient"):
        yield from each("teaches", frame, frame.fillers("object"))


def _jobs(frame: Frame, jobs: Sequence[Nominal]) -> Iterator[Claim]:
    for claim in each("job", frame, jobs):
        yield replace(claim, shown=with_article(claim.values[0]))


def studies(frame: Frame, sentence: Sentence, _: NominalReader) -> Iterator[Claim]:
    """ "I'm studying biology at Leeds", "I graduated from Oxford"."""
    verb = verb_of(frame).lemma
    schools = [n for n in (*frame.fillers("place"), *frame.fillers("source")) if _is_school(n)]
    if verb in ("study", "major") and holds(frame, sentence):
        subjects_of_study = frame.fillers("object") or (frame.fillers("oblique") if verb == "major" else [])
        yield from each("studies", frame, [n for n in subjects_of_study if _is_field(n)])
        yield from each("studies_at", frame, schools[:1])
    elif verb == "graduate" and not frame.is_negated:
        yield from each("graduated_from", frame, [n for n in frame.fillers("source") if is_name(n)][:1])


def _is_field(noun: Nominal) -> bool:
    low = noun.surface.lower()
    return low in fact_words.FIELDS or noun.lemma in fact_words.FIELDS or low.endswith(fact_words.FIELD_ENDINGS)


def _is_school(noun: Nominal) -> bool:
    return noun.type == "organization" or noun.lemma in fact_words.SCHOOLS


_DAY = re.compile(r"\b\d{1,2}\b.*[A-Za-z]|[A-Za-z].*\b\d{1,2}\b")


def life(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """Birthdays, ages, marriages."""
    verb = verb_of(frame)
    heads = subjects(sentence, verb)[0]
    if verb.lemma == "be" and heads and heads[0].lemma == "birthday" and not frame.is_negated:
        owner = reader.owner(heads[0])
        dates = [v for k, v in frame.attributes if k == "date"]
        if owner and dates:
            yield Claim("birthday", owner, dates[0], text=f"{shown(owner)}'s birthday is {dates[0]}.")
    if verb.lemma == "bear" and not frame.is_negated:
        days = [v for k, v in frame.attributes if k == "date" and _DAY.search(v)]
        for child in frame.fillers("object") if days else ():
            yield Claim("birthday", child, days[0], text=f"{shown(child)} was born on {days[0]}.")
    age = _age(sentence, verb) if not frame.is_negated else None
    for subject in frame.fillers("agent") if age else ():
        assert age is not None
        yield Claim("age", subject, age, shown=f"{age} years old")
    if frame.predicate in ("be_married", "be_engaged") or (verb.lemma == "marry" and not frame.is_negated):
        partners = [*frame.fillers("topic"), *frame.fillers("recipient"), *frame.fillers("companion")]
        people = undergoer_as_agent(frame) if verb.lemma == "marry" and not frame.fillers("agent") else frame
        if not frame.is_negated:
            yield from each("married_to", people, [n for n in partners if n.type == "person"][:1])


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
