"""The clauses of a sentence: which verbs say something, and who their subjects are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypermnesia.rules.linguistic import lexicon
from hypermnesia.rules.linguistic.parse import SUBJECTS, Sentence, Token

_CLAUSES = frozenset({"ROOT", "conj", "ccomp", "xcomp", "advcl", "relcl", "acl", "pcomp", "parataxis", "dep", "csubj"})
_VERB = re.compile(r"[a-z]+(?:-[a-z]+)*")
_AUXILIARIES = ("aux", "auxpass")
_RELATIVES = frozenset({"that", "which", "who", "whom"})


def predicates(sentence: Sentence) -> list[Token]:
    """The verbs that head a clause of their own, in order."""
    return [t for t in sentence.tokens if _is_predicate(sentence, t)]


def _is_predicate(sentence: Sentence, token: Token) -> bool:
    if token.pos not in ("VERB", "AUX") or token.dep not in _CLAUSES:
        return False
    if token.dep == "conj" and sentence.head(token).pos in ("NOUN", "PROPN") and token.tag == "VBG":
        return False
    if not _VERB.fullmatch(token.lemma) or (token.dep == "acl" and token.lemma in lexicon.NAMING):
        return False
    return not (is_going_to(sentence, token) or is_used_to(sentence, token) or _is_bare_gerund(sentence, token))


def is_going_to(sentence: Sentence, token: Token) -> bool:
    """Whether it is the "going" of "going to paint": a tense, no motion."""
    is_future = (token.lemma == "go" and token.tag == "VBG") or token.lower in ("gon", "gonna")
    return is_future and any(k.tag == "VB" for k in sentence.kids(token.index, "xcomp"))


def is_used_to(sentence: Sentence, token: Token) -> bool:
    """Whether it is the "used" of "used to smoke"."""
    return token.lemma == "use" and token.tag == "VBD" and bool(sentence.kids(token.index, "xcomp"))


def _is_bare_gerund(sentence: Sentence, token: Token) -> bool:
    """Whether it is a doing that is named, not told: "I love hiking"."""
    if token.tag != "VBG" or sentence.kids(token.index):
        joined = [k for k in sentence.kids(token.index) if k.dep not in ("cc", "conj", "punct")]
        if token.tag != "VBG" or joined:
            return False
    top = token
    while top.dep == "conj" and sentence.head(top).tag == "VBG":
        top = sentence.head(top)
    return top.dep in ("xcomp", "pcomp", "csubj")


def subjects(sentence: Sentence, verb: Token) -> tuple[list[Token], bool]:
    """The heads of a clause's subject, and whether it is the speaker left out ("Met with the team")."""
    own = sentence.kids(verb.index, *SUBJECTS)
    if own:
        relative = [k for k in own if k.lower in _RELATIVES]
        if relative and verb.dep == "relcl":
            return [sentence.head(verb)], False
        return [c for k in own if not _is_told_doing(sentence, k) for c in sentence.conjuncts(k)], False
    if verb.dep in ("ROOT", "parataxis") or (verb.dep == "ccomp" and verb.head == verb.index):
        return [], is_elliptical(sentence, verb)
    return _inherited(sentence, verb)


def _is_told_doing(sentence: Sentence, subject: Token) -> bool:
    """Whether a subject is a clause of its own ("seeing them keeps me going"), no doing that is named ("hiking")."""
    return subject.dep in ("csubj", "csubjpass") and not _is_bare_gerund(sentence, subject)


def _inherited(sentence: Sentence, verb: Token) -> tuple[list[Token], bool]:
    above = sentence.head(verb)
    if verb.dep == "acl":
        if verb.tag == "VBG":
            return [above], False
        if verb.tag == "VBN":
            return [], False
        return _of_nearest_verb(sentence, above)
    if verb.dep in ("relcl", "csubj"):
        return [], False
    if verb.dep in ("xcomp", "ccomp", "advcl") and above.lemma in lexicon.OBJECT_CONTROL and verb.dep != "advcl":
        persons = sentence.kids(above.index, "dobj", "dative")
        if persons and sentence.kids(above.index, *SUBJECTS):
            return sentence.conjuncts(persons[0]), False
    if verb.dep == "ccomp" and verb.tag in ("VBD", "VBZ"):
        return [], False
    if above.pos in ("VERB", "AUX"):
        return subjects(sentence, above)
    return _of_nearest_verb(sentence, above)


def _of_nearest_verb(sentence: Sentence, token: Token) -> tuple[list[Token], bool]:
    for t in (token, *sentence.above(token)):
        if t.pos in ("VERB", "AUX"):
            return subjects(sentence, t)
    return [], False


def is_elliptical(sentence: Sentence, verb: Token) -> bool:
    """Whether a root without subject leaves out the speaker: not an order ("keep going"), not "is" alone."""
    first = next((t for t in sentence.tokens if t.text.isalnum()), verb)
    if sentence.kids(verb.index, "expl") or verb.tag == "VBZ":
        return False
    if verb.tag in ("VBD", "VBN"):
        return True
    if verb.tag == "VBG":
        return first.index >= verb.index or first.pos in ("ADV", "INTJ", "CCONJ") or first.lower in ("gon", "just")
    helpers = sentence.kids(verb.index, "aux")
    if any(k.lemma in ("let", "do") for k in sentence.kids(verb.index)):
        return False
    if not helpers and sentence.kids(verb.index, "neg"):
        return False
    if any(k.tag == "MD" or k.lower in ("will", "'ll", "can") for k in helpers):
        return True
    return verb.lower in ("love", "like", "hope", "miss", "wish", "guess", "hate", "enjoy", "loving", "gonna")


def is_order(sentence: Sentence) -> bool:
    """Whether the root is an imperative: a base form without a subject, or a known first word of orders."""
    root = next((t for t in sentence.tokens if t.dep == "ROOT"), None)
    if root is None or sentence.kids(root.index, *SUBJECTS):
        return False
    return root.tag in ("VB", "VBP") and root.pos == "VERB" and not is_elliptical(sentence, root)


def relative_object(sentence: Sentence, verb: Token) -> Token | None:
    """The noun that a relative clause is about, as its object: "the book (that) Tom recommended"."""
    if verb.dep != "relcl":
        return None
    subject = sentence.kids(verb.index, *SUBJECTS)
    if not subject or all(k.lower in _RELATIVES for k in subject):
        return None
    objects = sentence.kids(verb.index, "dobj")
    if objects and objects[0].lower not in _RELATIVES:
        return None
    stranded = any(not sentence.kids(p.index) for p in sentence.kids(verb.index, "prep"))
    has_place = any(k.lower in ("where", "when", "why") for k in sentence.subtree(verb.index))
    return None if stranded or has_place else sentence.head(verb)


def lemma_of(sentence: Sentence, verb: Token) -> str:
    """A verb with its particle: "pick_up"."""
    particles = [k.lower for k in sentence.kids(verb.index, "prt")]
    if not particles:
        adverbs = sentence.kids(verb.index, "advmod")
        adverbs += [k for k in sentence.kids(verb.index, "prep") if not sentence.kids(k.index)]
        particles = [k.lower for k in adverbs if _is_particle(verb, k)]
    return "_".join([verb.lemma, *particles[:1]])


_WITH_BACK = frozenset({"get", "go", "come", "give", "head", "bring", "take", "be"})


def _is_particle(verb: Token, adverb: Token) -> bool:
    if adverb.index < verb.index or adverb.index > verb.index + 3:
        return False
    if adverb.lower == "back":
        return verb.lemma in _WITH_BACK
    pairs = {
        ("look", "forward"),
        ("move", "in"),
        ("come", "over"),
        ("go", "out"),
        ("hang", "out"),
        ("sign", "up"),
        ("fall", "through"),
    }
    return (verb.lemma, adverb.lower) in pairs


def is_passive(sentence: Sentence, verb: Token) -> bool:
    """Whether its subject undergoes it."""
    if sentence.kids(verb.index, "auxpass", "nsubjpass"):
        return True
    if verb.dep == "acl" and verb.tag == "VBN":
        return True
    above = sentence.head(verb)
    joined = verb.dep == "conj" and verb.tag == "VBN" and not sentence.kids(verb.index, *SUBJECTS, *_AUXILIARIES)
    return joined and above.tag == "VBN" and bool(sentence.kids(above.index, "auxpass"))


def is_past(sentence: Sentence, verb: Token) -> bool:
    """Whether it tells of what is over: a past form, or "used to"; not a perfect ("have lived")."""
    helpers = sentence.kids(verb.index, *_AUXILIARIES)
    if any(h.lower in ("has", "have", "'ve", "is", "are", "am", "'m", "'re", "will", "'ll") for h in helpers):
        return False
    if any(h.tag == "VBD" for h in helpers) or verb.tag == "VBD":
        return True
    above = sentence.head(verb)
    if verb.dep in ("xcomp", "conj") and above.index != verb.index and above.pos == "VERB":
        return verb.tag in ("VB", "VBG", "VBN") and is_past(sentence, above)
    return False


def own_tokens(sentence: Sentence, verb: Token) -> Iterator[Token]:
    """The tokens of a clause without those of clauses below it."""
    stack = [verb.index]
    while stack:
        i = stack.pop()
        yield sentence.tokens[i]
        stack.extend(k.index for k in sentence.kids(i) if not _is_predicate(sentence, k))
