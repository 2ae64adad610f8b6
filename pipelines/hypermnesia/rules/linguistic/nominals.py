"""From the head of a noun phrase to a named thing: its words, its type, whose it is. Numbers and times are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypermnesia.rules.anchor_keys import why_no_anchor
from hypermnesia.rules.linguistic import lexicon
from hypermnesia.rules.linguistic.fact_words import OCCUPATIONS
from hypermnesia.rules.linguistic.parse import Sentence, Token
from hypermnesia.rules.linguistic.people import Cast
from hypermnesia.rules.modality_words import SPEECH_FORMS
from hypermnesia.rules.time_words import MONTH_NAMES

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Nominal:
    """One naming: `start` is None where it was resolved; `lemma` is the head's."""

    surface: str
    type: str
    start: int | None
    end: int | None
    lemma: str


@dataclass(frozen=True, slots=True)
class NominalReader:
    """Reads the noun phrases of one sentence of a turn. `text` is the turn's own, `skipped` are vocatives."""

    sentence: Sentence
    text: str
    cast: Cast
    titles: Sequence[Span] = ()
    skipped: Sequence[Span] = ()
    quoted: Sequence[Span] = ()

    def all_of(self, token: Token) -> list[Nominal]:
        """The phrase and what is joined to it, those that name something."""
        found = (
            self.read(t) for t in self.sentence.conjuncts(token) if t is token or t.pos in ("NOUN", "PROPN", "PRON")
        )
        return [n for n in found if n]

    def read(self, token: Token) -> Nominal | None:
        """The thing that the phrase with this head names, or None."""
        if _inside(token, self.skipped):
            return None
        title = _inside(token, self.titles)
        if title:
            return Nominal(self.text[title[0] : title[1]], "work", *title, token.lemma)
        if token.tag in ("PRP", "PRP$"):
            return self._sayer(token) if _inside(token, self.quoted) else self.person(token.text)
        if not is_nominal(token) or token.entity in lexicon.EMPTY_ENTITIES:
            return None
        if token.lemma in lexicon.MEASURES and (inner := self._measured(token)):
            return self.read(inner)
        if token.lemma in lexicon.EMPTY_NOUNS:
            names = [k for k in self.sentence.kids(token.index, "compound") if k.pos == "PROPN"]
            return self._named(names[-1]) if names else None
        return self._relative(token) or self._named(token)

    def person(self, pronoun: str) -> Nominal | None:
        """The person behind a pronoun."""
        name = self.cast.person(pronoun)
        return Nominal(name, "person", None, None, name.lower()) if name else None

    def _sayer(self, token: Token) -> Nominal | None:
        """Who "I" is inside quotation marks: the subject of the verb of speech outside."""
        if token.lower not in ("i", "me", "my", "we", "us", "our"):
            return None
        for verb in self.sentence.tokens:
            if verb.lower in SPEECH_FORMS and not _inside(verb, self.quoted):
                return next((n for t in self.sentence.kids(verb.index, "nsubj") for n in (self.read(t),)), None)
        return None

    def owner(self, token: Token) -> Nominal | None:
        """Whose the phrase's thing is: "my", "Anna's"."""
        for poss in self.sentence.kids(token.index, "poss"):
            found = self.read(poss)
            if found and found.type == "person":
                return found
        return None

    def given_name(self, token: Token) -> Nominal | None:
        """The name behind a noun: "my sister Anna", "a dog named Rex", "two dogs, Rex and Luna"."""
        names = self.given_names(token)
        return names[0] if names else None

    def given_names(self, token: Token) -> list[Nominal]:
        """All names behind a noun."""
        s = self.sentence
        found = [n for n in s.kids(token.index, "appos") if n.pos == "PROPN"]
        for naming in s.kids(token.index, "acl"):
            if naming.lemma in lexicon.NAMING:
                found += [n for n in s.kids(naming.index, "oprd", "dobj", "attr") if n.pos == "PROPN"]
        spread = [t for n in found for t in s.conjuncts(n) if t.pos == "PROPN"]
        if len(spread) > 1:
            alone = [t for t in spread if not _inside(t, self.skipped)]
            return [n for n in (self._named(t, with_entity=False) for t in alone) if n]
        return [n for n in (self.read(t) for t in spread) if n]

    def _measured(self, token: Token) -> Token | None:
        for prep in self.sentence.kids(token.index, "prep"):
            if prep.lower == "of":
                return next(iter(self.sentence.kids(prep.index, "pobj")), None)
        return None

    def _relative(self, token: Token) -> Nominal | None:
        """ "my mother" is "Maya's mother"; "my sister Anna" is Anna."""
        if token.lemma not in lexicon.RELATIVES:
            return None
        owner = self.owner(token)
        if (
            owner is None
            and token.lemma in ("grandma", "grandpa", "mom", "mum", "dad")
            and not self._has_determiner(token)
        ):
            owner = self.person("my")
        if owner is None:
            return None
        name = self.given_name(token)
        if name:
            return name
        words = f"{owner.surface}'s {self._words(token, with_entity=False)[2]}"
        return Nominal(words, "person", None, None, token.lemma)

    def _has_determiner(self, token: Token) -> bool:
        return bool(self.sentence.kids(token.index, "det", "poss"))

    def _named(self, token: Token, with_entity: bool = True) -> Nominal | None:
        start, end, surface = self._words(token, with_entity)
        if why_no_anchor(surface) or sum(c.isalpha() for c in surface) < 2:
            return None
        is_person = any(surface == p or surface == p.split()[0] for p in self.cast.people)
        return Nominal(surface, "person" if is_person else nominal_type(token), start, end, token.lemma)

    def _words(self, token: Token, with_entity: bool = True) -> tuple[int, int, str]:
        """From the first word that makes the kind to the head, and the whole of a name."""
        first = last = token
        if with_entity and token.entity in lexicon.ENTITY_TYPES and token.pos == "PROPN":
            entity = [
                t
                for t in self.sentence.entity_of(token)
                if t.lower not in ("the", "a", "an", "my", "our", "his", "her")
            ]
            if token.entity == "PERSON":
                entity = _without_joined(entity, token)
            if entity and entity[-1].text == "'s":
                entity = entity[:-1]
            if (
                entity
                and entity[0].index <= token.index <= entity[-1].index
                and not any(t.lemma in lexicon.KIN for t in entity)
            ):
                first, last = entity[0], entity[-1]
        first = self._first_of_kind(first)
        last = of_name(self.sentence, last) or model_number(self.sentence, last) or last
        surface = self.text[first.start : last.end].rstrip("-")
        return first.start, first.start + len(surface), surface

    def _first_of_kind(self, first: Token) -> Token:
        """The first word in front that makes the kind, or is joined by a hyphen: "pick-me-up"."""
        tokens = self.sentence.tokens
        for kid in reversed(self.sentence.kids(first.index)):
            if kid.index < first.index and self._joins(kid, first) and makes_kind(kid):
                deeper = self.sentence.kids(kid.index, "compound", "amod", "nmod")
                first = min([kid, *(d for d in deeper if d.index == kid.index - 1 and makes_kind(d))], key=_place)
        while first.index > 1 and tokens[first.index - 1].text == "-" and tokens[first.index - 1].end == first.start:
            first = tokens[first.index - 2]
        return first

    def _joins(self, kid: Token, first: Token) -> bool:
        """Whether only words of the kind and hyphens stand between."""
        between = self.sentence.tokens[kid.index + 1 : first.index]
        return all(makes_kind(t) or t.text in ("-", "/") or (t.pos == "NUM" and kid.pos == "PROPN") for t in between)


def _without_joined(entity: Sequence[Token], token: Token) -> list[Token]:
    """The part of a name's tokens around one of them: "Otis and Bean" are two."""
    joints = [t.index for t in entity if t.pos == "CCONJ" or t.text == ","]
    first = max((i for i in joints if i < token.index), default=-1)
    last = min((i for i in joints if i > token.index), default=token.index + len(entity))
    return [t for t in entity if first < t.index < last]


def is_nominal(token: Token) -> bool:
    """A noun, a name, or a verb that is used as a noun ("hiking")."""
    return token.pos in ("NOUN", "PROPN") or (
        token.tag == "VBG"
        and token.dep in ("dobj", "pobj", "nsubj", "conj", "attr", "nsubjpass", "xcomp", "csubj", "pcomp")
    )


def makes_kind(token: Token) -> bool:
    """Whether a word in front of a noun says what kind it is: a noun, a name, "mental", "Italian"; not "great"."""
    if token.lemma in lexicon.KIN or token.entity in lexicon.EMPTY_ENTITIES or not token.text[0].isalnum():
        return False
    if token.dep in ("compound", "nmod") or (token.dep == "amod" and token.pos == "NOUN"):
        return token.pos in ("NOUN", "PROPN", "ADJ", "VERB") and token.lemma not in lexicon.QUALITIES
    if token.dep != "amod" or token.lower in lexicon.QUALITIES:
        return False
    is_name_form = token.text[0].isupper() and token.index > 0
    return is_name_form or token.lower in lexicon.KINDS or token.lower.endswith(lexicon.RELATIONAL_ENDINGS)


def of_name(sentence: Sentence, token: Token) -> Token | None:
    """The last word of a name with "of" in it: "Lord of the Rings"."""
    for preposition in sentence.kids(token.index, "prep"):
        if token.pos == "PROPN" and preposition.lower == "of" and preposition.index == token.index + 1:
            return next((t for t in sentence.kids(preposition.index, "pobj") if t.pos == "PROPN"), None)
    return None


def model_number(sentence: Sentence, token: Token) -> Token | None:
    """The number right behind a name that it belongs to: "Trek 820"; not a date, an amount, or "Anna, 12"."""
    if token.pos != "PROPN" or token.index + 1 >= len(sentence.tokens):
        return None
    number = sentence.tokens[token.index + 1]
    is_its = number.head == token.index and number.text[0].isdigit()
    is_other = token.entity in ("DATE", "TIME", "MONEY", "PERSON") or number.entity in ("DATE", "TIME", "MONEY")
    return number if is_its and not is_other and token.lower not in MONTH_NAMES else None


def _place(token: Token) -> int:
    return token.index


def nominal_type(token: Token) -> str:
    """The type of anchor: an entity's own, else by the noun."""
    if token.entity in lexicon.ENTITY_TYPES and token.pos == "PROPN":
        return lexicon.ENTITY_TYPES[token.entity]
    if token.lemma in lexicon.PEOPLE_NOUNS or token.lemma in OCCUPATIONS:
        return "person"
    if token.lemma in lexicon.EVENT_NOUNS:
        return "event"
    if token.lemma in lexicon.PLACE_NOUNS and token.lemma not in lexicon.GROUPS:
        return "location"
    if token.tag == "VBG" or token.lemma.endswith(lexicon.ABSTRACT_ENDINGS):
        return "concept"
    return "object"


def _inside(token: Token, spans: Sequence[Span]) -> Span | None:
    return next((s for s in spans if s[0] <= token.start and token.end <= s[1]), None)
