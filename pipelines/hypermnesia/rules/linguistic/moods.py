"""How a clause stands to what happened: its modality, and whether it is denied."""

from __future__ import annotations

from collections.abc import Sequence

from hypermnesia.rules.linguistic import lexicon
from hypermnesia.rules.linguistic.clauses import is_going_to, is_order, lemma_of
from hypermnesia.rules.linguistic.nominals import Span
from hypermnesia.rules.linguistic.parse import SUBJECTS, Sentence, Token
from hypermnesia.rules.modality import sentence_modality
from hypermnesia.rules.modality_words import CANCEL_PARTICLES, CANCEL_WORDS, PLAN_AUXILIARIES

_FUTURE = PLAN_AUXILIARIES | {"will"}
_GOVERNED = ("xcomp", "ccomp", "pcomp", "acl", "advcl")
_PLANNED_FEELINGS = frozenset({"excited", "ready", "eager", "determined", "able", "set"})
#: "Don't forget the umbrella" denies nothing.
_CAUTIONS = frozenset({"forget", "worry", "hesitate", "miss"})
_CONDITIONS = frozenset({"if", "unless", "whether"})


def mood_of(sentence: Sentence, verb: Token, quotations: Sequence[Span] = ()) -> tuple[str, bool]:
    """(modality, is_negated) of the clause of a verb."""
    is_denied = is_negated(sentence, verb)
    if any(a <= verb.start < b for a, b in quotations):
        return "quoted", is_denied
    if sentence.is_question:
        return "question", is_denied
    own = _own_mood(sentence, verb, is_denied)
    if own:
        return own, is_denied and own != "cancelled"
    return _given_mood(sentence, verb, is_denied, quotations)


def is_negated(sentence: Sentence, verb: Token) -> bool:
    """Whether "not", "never" or "no" denies the clause itself."""
    if sentence.kids(verb.index, "neg"):
        return not (verb.lemma in _CAUTIONS and is_order(sentence))
    if any(k.lower in ("never", "hardly", "longer") for k in sentence.kids(verb.index, "advmod")):
        return True
    nouns = sentence.kids(verb.index, "dobj", "attr", "nsubj", "nsubjpass")
    if any(d.lower == "no" for n in nouns for d in sentence.kids(n.index, "det")):
        return True
    if any(n.lower in ("nobody", "nothing", "none") for n in nouns):
        return True
    above = sentence.head(verb)
    return verb.dep == "xcomp" and is_going_to(sentence, above) and bool(sentence.kids(above.index, "neg"))


def _own_mood(sentence: Sentence, verb: Token, is_denied: bool) -> str | None:
    if not is_denied and _is_cancelling(sentence, verb):
        return "cancelled"
    modals = {k.lemma for k in sentence.kids(verb.index, "aux")} | {k.lower for k in sentence.kids(verb.index, "aux")}
    perhaps = any(k.lower in lexicon.PERHAPS for k in sentence.kids(verb.index, "advmod"))
    if any(k.lower in _CONDITIONS for k in sentence.kids(verb.index, "mark")):
        return "hypothetical"
    if modals & lexicon.UNREAL_MODALS and not (is_denied and modals & {"could"}):
        return "hypothetical"
    if modals & _FUTURE:
        conditional = any(
            m.lower in _CONDITIONS for c in sentence.kids(verb.index, "advcl") for m in sentence.kids(c.index, "mark")
        )
        return "hypothetical" if perhaps or conditional else "planned"
    if perhaps and verb.tag != "VBD":
        return "hypothetical"
    return None


def _is_cancelling(sentence: Sentence, verb: Token) -> bool:
    lemma = lemma_of(sentence, verb)
    return lemma in CANCEL_WORDS or tuple(lemma.split("_")) in CANCEL_PARTICLES


def _given_mood(sentence: Sentence, verb: Token, is_denied: bool, quotations: Sequence[Span]) -> tuple[str, bool]:
    """What the clause has from the verb that governs or joins it; else it was done."""
    above = sentence.head(verb)
    if above.index == verb.index:
        return "done", is_denied
    if verb.dep == "conj" and above.pos in ("VERB", "AUX"):
        has_own = bool(sentence.kids(verb.index, *SUBJECTS)) or verb.tag in ("VBD", "VBZ")
        mood, denied = mood_of(sentence, above, quotations)
        return ("done", is_denied) if has_own else (mood, is_denied or (denied and _is_or(sentence, above)))
    if verb.dep not in _GOVERNED:
        return "done", is_denied
    return _governed_mood(sentence, verb, is_denied, quotations)


def _is_or(sentence: Sentence, verb: Token) -> bool:
    return any(k.lower in ("or", "nor") for k in sentence.kids(verb.index, "cc"))


def _governed_mood(sentence: Sentence, verb: Token, is_denied: bool, quotations: Sequence[Span]) -> tuple[str, bool]:
    governor = sentence.head(verb)
    preposition = governor.lower if governor.dep == "prep" else ""
    if governor.dep == "prep" or governor.pos == "ADJ":
        feeling = governor.lower
        governor = sentence.head(governor)
        if feeling in _PLANNED_FEELINGS and verb.tag == "VB" and governor.tag != "VBD":
            return "planned", is_denied
        if feeling.startswith("look"):
            feeling = ""
    if governor.pos not in ("VERB", "AUX", "NOUN"):
        return "done", is_denied
    lemma = governor.lemma
    if governor.pos == "NOUN":
        return ("planned" if lemma in ("plan", "goal", "dream", "hope") and verb.tag == "VB" else "done"), is_denied
    if is_going_to(sentence, governor):
        return _going_to(sentence, governor, is_denied)
    mood, denied = mood_of(sentence, governor, quotations)
    if lemma in lexicon.UNREAL_GOVERNORS and verb.dep == "ccomp":
        return "hypothetical", is_denied
    if lemma == "wait" and denied:
        return "planned", is_denied
    if (lemma == "decide" and preposition == "against") or lemma in lexicon.NEGATIVE_GOVERNORS:
        return mood, not is_denied
    if verb.dep == "advcl":
        return ("done" if mood == "cancelled" else mood), is_denied
    if lemma == "decide" and is_denied and governor.tag == "VBD":
        return "done", True
    if mood in ("hypothetical", "planned", "quoted"):
        return mood, is_denied or (denied and verb.dep == "xcomp")
    if _is_planning(sentence, governor, verb, preposition):
        return "planned", is_denied or denied
    return "done", is_denied or (denied and verb.dep == "xcomp")


def _going_to(sentence: Sentence, governor: Token, is_denied: bool) -> tuple[str, bool]:
    was = any(k.lower in ("was", "were") for k in sentence.kids(governor.index, "aux"))
    perhaps = any(k.lower in lexicon.PERHAPS for k in sentence.kids(governor.index, "advmod"))
    if was:  # what came of it stands in the rest of the sentence, if anywhere
        whole = sentence_modality(" ".join(token.text for token in sentence.tokens))
        return ("cancelled" if whole == "cancelled" else "hypothetical"), is_denied
    return ("hypothetical" if perhaps else "planned"), is_denied


def _is_planning(sentence: Sentence, governor: Token, verb: Token, preposition: str) -> bool:
    if governor.lemma not in lexicon.PLANNING and governor.lemma not in ("have", "try"):
        return False
    if governor.lemma in lexicon.PLANNING_IN_PROGRESS:
        return verb.tag == "VBG" and (preposition in ("about", "of", "to") or governor.lemma == "consider")
    if governor.lemma in ("like", "love", "try"):
        return False
    if governor.lemma == "have" and sentence.kids(governor.index, "dobj"):
        return False
    return verb.tag == "VB" or preposition in ("on", "for")
