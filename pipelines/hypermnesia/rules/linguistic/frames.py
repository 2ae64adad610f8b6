"""From a clause to a frame: a predicate, its roles over named things, and attributes that are no things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.linguistic import lexicon
from hypermnesia.rules.linguistic.clauses import (
    is_order,
    is_passive,
    is_past,
    lemma_of,
    predicates,
    relative_object,
    subjects,
)
from hypermnesia.rules.linguistic.figures import figures_of
from hypermnesia.rules.linguistic.moods import mood_of
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader, Span
from hypermnesia.rules.linguistic.obliques import obliques_of
from hypermnesia.rules.linguistic.parse import Sentence, Token
from hypermnesia.rules.linguistic.roles import role_of

#: The attribute that keeps a light verb's noun, a copula's noun, or the verb that governs.
SECOND_PREDICATE = "second_predicate"
#: The predicates of frames without a verb: a verbless sentence, and a caption.
MENTION, SHOW = "mention", "show"

_STATES = lexicon.words(
    "be have live work like love hate enjoy prefer own know speak belong need want play teach study mean keep"
)

RoleFiller = tuple[str, Nominal]


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a turn; `verb` is the clause's, None for a mention. `span` is of the words in the turn."""

    predicate: str
    roles: tuple[RoleFiller, ...]
    is_event: bool
    modality: str
    is_negated: bool
    attributes: tuple[tuple[str, str], ...]
    span: Span | None
    verb: Token | None = None

    def fillers(self, role: str) -> list[Nominal]:
        """What fills a role, in order."""
        return [n for r, n in self.roles if r == role]


def clauses_of(sentence: Sentence, reader: NominalReader, quotations: Sequence[Span] = ()) -> list[Frame]:
    """A frame of every clause of a sentence, also of those that say too little to be kept."""
    found = (_frame(sentence, verb, reader, quotations) for verb in predicates(sentence))
    return [frame for frame in found if frame]


def frames_of(sentence: Sentence, clauses: Sequence[Frame], reader: NominalReader) -> list[Frame]:
    """The clauses with at least two different anchors; a mention of the sentence's things where there is none."""
    found = [frame for frame in clauses if _says_enough(frame, reader)]
    found += _named_relatives(sentence, reader)
    return found or mentions_of(sentence, reader)


def has_two_anchors(roles: Iterable[RoleFiller], speaker: str) -> bool:
    """Whether at least two different anchors fill the roles; a speaker is one, whatever the archive calls them."""
    keys = {speaker if n.surface == speaker else anchor_key(n.surface) for _, n in roles}
    return len(keys - {None}) >= 2


def _says_enough(frame: Frame, reader: NominalReader) -> bool:
    if not has_two_anchors(frame.roles, reader.cast.speaker):
        return False
    if frame.predicate.split("_")[0] in lexicon.PHATIC:
        people = {reader.cast.speaker, reader.cast.addressee}
        return any(n.start is not None or n.surface not in people for r, n in frame.roles if r != "agent")
    return True


def _frame(sentence: Sentence, verb: Token, reader: NominalReader, quotations: Sequence[Span]) -> Frame | None:
    lemma = lemma_of(sentence, verb)
    adjective = next(iter(sentence.kids(verb.index, "acomp")), None)
    agents, undergoers = _subject_roles(sentence, verb, reader)
    objects = _objects(sentence, verb)
    roles = [("agent", n) for n in agents]
    roles += _object_roles(sentence, verb, objects, undergoers, reader)
    roles += obliques_of(sentence, verb, objects, reader, lemma)
    roles += _owners(sentence, verb, objects, reader, roles)
    if not roles or (not agents and not undergoers and is_order(sentence)):
        return None
    modality, is_denied = mood_of(sentence, verb, quotations)
    second = _second_predicate(sentence, verb, objects)
    attributes = ([(SECOND_PREDICATE, second)] if second else []) + figures_of(sentence, verb, reader)
    return Frame(
        predicate=f"{lemma}_{adjective.lower}" if adjective and adjective.text.isalpha() else lemma,
        roles=tuple(dict.fromkeys(roles)),
        is_event=not (verb.lemma in _STATES and not is_past(sentence, verb)),
        modality=modality,
        is_negated=is_denied,
        attributes=tuple(dict.fromkeys(attributes)),
        span=_span(sentence, verb),
        verb=verb,
    )


def _subject_roles(sentence: Sentence, verb: Token, reader: NominalReader) -> tuple[list[Nominal], list[Nominal]]:
    """(agents, undergoers) of a clause."""
    tokens, is_implied = subjects(sentence, verb)
    found = [n for n in (reader.read(t) for t in tokens) if n]
    if is_implied:
        found = [n for n in (reader.person("I"),) if n]
    if verb.dep == "acl" and verb.tag == "VBN":
        found = [n for n in (reader.read(sentence.head(verb)),) if n]
    if sentence.kids(verb.index, "expl"):
        found = [n for t in sentence.kids(verb.index, "attr", "dobj") for n in reader.all_of(t)]
    return ([], found) if is_passive(sentence, verb) else (found, [])


def _objects(sentence: Sentence, verb: Token) -> list[Token]:
    """The heads of direct objects and of what a subject is said to be."""
    if sentence.kids(verb.index, "expl"):
        return []
    heads = sentence.kids(verb.index, "dobj", "attr") + _helped(sentence, verb)
    if verb.lemma in lexicon.NAMING:
        heads += [k for k in sentence.kids(verb.index, "oprd") if k.pos == "NOUN"]
    relative = relative_object(sentence, verb)
    if relative:
        heads = [relative, *(h for h in heads if h.tag not in ("WDT", "WP"))]
    gerunds = [k for k in sentence.kids(verb.index, "xcomp") if k.tag == "VBG" and k.lemma != "go"]
    bare = [g for g in gerunds if not [k for k in sentence.kids(g.index) if k.dep not in ("cc", "conj", "punct")]]
    return [*heads, *bare]


def _helped(sentence: Sentence, verb: Token) -> list[Token]:
    """Who acts behind "helps me relax", "saw Leo painting": the object of the verb above too."""
    if verb.lemma not in lexicon.OBJECT_CONTROL:
        return []
    below = [k for k in sentence.kids(verb.index, "ccomp") if k.tag in ("VB", "VBG") and k.index > verb.index]
    bare = [k for k in below if not sentence.kids(k.index, "aux")]
    return [s for k in bare for s in sentence.kids(k.index, "nsubj")]


def _object_roles(
    sentence: Sentence, verb: Token, objects: Sequence[Token], undergoers: Sequence[Nominal], reader: NominalReader
) -> list[RoleFiller]:
    direct = [n for t in objects for n in _joined(sentence, t, reader)]
    role = "recipient" if verb.lemma in lexicon.TELLING and all(n.type == "person" for n in direct) else "object"
    if verb.lemma == "ask" and sentence.kids(verb.index, "xcomp"):
        role = "recipient"
    roles = [(role, n) for n in direct]
    roles += [("recipient" if direct and verb.lemma not in lexicon.NAMING else "object", n) for n in undergoers]
    for token in sentence.kids(verb.index, "dative"):
        roles += [("recipient", n) for n in reader.all_of(token)]
    roles += [("name", n) for t in objects for n in reader.given_names(t) if t.lemma not in lexicon.KIN]
    if verb.lemma in lexicon.NAMING:
        roles = _with_name(sentence, verb, roles, reader)
    return roles


def _joined(sentence: Sentence, token: Token, reader: NominalReader) -> list[Nominal]:
    """An object and what is joined to it; "a dog named Rex and two cats" joins the cats to Rex."""
    found = (
        reader.all_of(token)
        if token.pos != "VERB"
        else [n for t in sentence.conjuncts(token) for n in (reader.read(t),) if n]
    )
    for naming in sentence.kids(token.index, "acl"):
        for name in sentence.kids(naming.index, "oprd"):
            found += [n for t in sentence.conjuncts(name) if t.pos == "NOUN" for n in (reader.read(t),) if n]
    return found


def _with_name(sentence: Sentence, verb: Token, roles: list[RoleFiller], reader: NominalReader) -> list[RoleFiller]:
    """Behind "we named him" the last proper name is the name."""
    behind = [t for t in sentence.subtree(verb.index) if t.index > verb.index and t.pos == "PROPN"]
    names = [n for n in (reader.read(t) for t in behind if t.dep not in ("compound", "npadvmod")) if n]
    if not names:
        return roles
    return [(r, n) for r, n in roles if n not in names] + [("name", names[-1])]


def _owners(
    sentence: Sentence, verb: Token, objects: Sequence[Token], reader: NominalReader, roles: Sequence[RoleFiller]
) -> list[RoleFiller]:
    """Whose the subject or object is, where it is nobody who is in a role already."""
    heads = [*subjects(sentence, verb)[0], *objects]
    known = {n.surface for _, n in roles}
    owners = [reader.owner(t) for t in heads if t.lemma not in lexicon.RELATIVES and t.pos in ("NOUN", "PROPN")]
    return [("owner", o) for o in owners if o and o.surface not in known]


def _second_predicate(sentence: Sentence, verb: Token, objects: Sequence[Token]) -> str | None:
    if verb.lemma in lexicon.LIGHT_VERBS or verb.lemma in ("be", "become"):
        noun = next((t for t in objects if t.pos == "NOUN"), None)
        if noun:
            return noun.lemma
    above = sentence.head(verb)
    if verb.dep == "xcomp" and above.pos == "VERB" and above.lemma not in ("go", "use"):
        return above.lemma
    return None


def _span(sentence: Sentence, verb: Token) -> Span:
    tokens = [t for t in sentence.subtree(verb.index) if t.pos != "PUNCT"] or [verb]
    return min(t.start for t in tokens), max(t.end for t in tokens)


def _named_relatives(sentence: Sentence, reader: NominalReader) -> list[Frame]:
    """ "my sister Anna": Maya has a sister, Anna."""
    found = []
    for token, name, owner in named_relatives(sentence, reader):
        kind = "person" if token.lemma in lexicon.KIN else "object"
        thing = Nominal(token.text, kind, token.start, token.end, token.lemma)
        roles = (("owner", owner), ("object", thing), ("name", name))
        modality = "question" if sentence.is_question else "done"
        found.append(Frame("have", roles, False, modality, False, (), (token.start, max(token.end, name.end or 0))))
    return found


def named_relatives(sentence: Sentence, reader: NominalReader) -> list[tuple[Token, Nominal, Nominal]]:
    """(noun, name, owner) of people and pets: "my sister Anna", "Anna, my sister", "my dog is called Rex"."""
    found: list[tuple[Token, Nominal, Nominal]] = []
    for token in sentence.tokens:
        if (token.lemma not in lexicon.KIN and token.lemma not in lexicon.PETS) or token.pos not in ("NOUN", "PROPN"):
            continue
        owner = reader.owner(token) or _owner_above(sentence, token, reader)
        names = reader.given_names(token)
        above = _name_above(sentence, token, reader)
        told = names or ([above] if above else [])
        found += [(token, name, owner) for name in told if owner and owner.surface != name.surface]
    return found


def _owner_above(sentence: Sentence, token: Token, reader: NominalReader) -> Nominal | None:
    above = sentence.head(token)
    return reader.owner(above) if token.dep in ("compound", "nmod") and above.pos == "PROPN" else None


def _name_above(sentence: Sentence, token: Token, reader: NominalReader) -> Nominal | None:
    above = sentence.head(token)
    if token.dep in ("compound", "nmod", "appos") and above.pos == "PROPN":
        return reader.read(above)
    if token.dep == "nsubj" and above.lemma == "be" and above.tag != "VBD":
        return next(
            (n for t in sentence.kids(above.index, "attr") if t.pos == "PROPN" for n in (reader.read(t),)), None
        )
    if token.dep in ("nsubjpass", "nsubj") and above.lemma in lexicon.NAMING:
        return next((n for t in sentence.kids(above.index, "oprd") for n in (reader.read(t),)), None)
    return None


def mentions_of(sentence: Sentence, reader: NominalReader) -> list[Frame]:
    """One frame that only says that the speaker named the things of a sentence; none without things."""
    if _is_exclamation(sentence):
        return []
    heads = [t for t in sentence.tokens if t.pos in ("NOUN", "PROPN") and _stands(t)]
    nouns = [(_mention_role(sentence, t, n), n) for t in heads for n in (reader.read(t),) if n]
    speaker = reader.person("I")
    others = list(dict.fromkeys(n for n in nouns if speaker and n[1].surface != speaker.surface))
    if not others or speaker is None:
        return []
    roles: list[RoleFiller] = [("agent", speaker), *others]
    modality = "question" if sentence.is_question else "done"
    if not has_two_anchors(roles, speaker.surface):
        return []
    return [Frame(MENTION, tuple(roles), True, modality, False, (), (sentence.start, sentence.end))]


def _is_exclamation(sentence: Sentence) -> bool:
    """Whether it is one word that is called out: "Congrats!"."""
    words = [t for t in sentence.tokens if t.text[0].isalpha()]
    return len(words) < 2 and sentence.tokens[-1].text.endswith("!") and not any(t.entity == "GPE" for t in words)


def _mention_role(sentence: Sentence, token: Token, noun: Nominal) -> str:
    above = sentence.head(token)
    is_in = token.dep == "pobj" and above.lower in ("in", "at")
    return "place" if noun.type == "location" or (is_in and role_of(above.lower, noun, "") == "place") else "topic"


def _stands(token: Token) -> bool:
    return token.dep not in ("compound", "nmod", "amod", "npadvmod")
