"""Allergies, diets and conditions."""

from __future__ import annotations

from collections.abc import Iterator

from hypermnesia.rules.linguistic import fact_words
from hypermnesia.rules.linguistic.claims import Claim, each, holds, shown, undergoer_as_agent, verb_of
from hypermnesia.rules.linguistic.clauses import is_past
from hypermnesia.rules.linguistic.frames import Frame
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader
from hypermnesia.rules.linguistic.parse import Sentence


def body(frame: Frame, sentence: Sentence, _: NominalReader) -> Iterator[Claim]:
    """Allergies, diets and conditions."""
    verb = verb_of(frame)
    if frame.predicate == "be_allergic" and holds(frame, sentence):
        yield from each("allergic_to", frame, frame.fillers("topic"))
    if verb.lemma in ("be", "become", "go") and not frame.is_negated and (verb.lemma != "be" or holds(frame, sentence)):
        yield from _states(frame, sentence)
    if verb.lemma in ("eat", "drink") and frame.is_negated and not is_past(sentence, verb):
        for claim in each("diet", frame, frame.fillers("object")):
            value = f"doesn't {verb.lemma} {claim.value}"
            yield Claim("diet", claim.subject, value, text=f"{shown(claim.subject)} {value}.")
    if verb.lemma in ("have", "get") and holds(frame, sentence):
        yield from _conditions(frame)
    if verb.lemma == "diagnose" and not frame.is_negated:
        yield from each("health", undergoer_as_agent(frame), frame.fillers("oblique"))


def _conditions(frame: Frame) -> Iterator[Claim]:
    for claim in each("health", frame, [n for n in frame.fillers("object") if _is_condition(n)]):
        trigger, _, head = claim.value.rpartition(" ")
        if head == "allergy" and trigger:
            yield Claim("allergic_to", claim.subject, trigger, claim.values)
        else:
            yield claim


def _states(frame: Frame, sentence: Sentence) -> Iterator[Claim]:
    verb = verb_of(frame)
    for token in sentence.kids(verb.index, "acomp", "attr"):
        low = token.lower.rstrip("s") if token.lemma in fact_words.DIETS else token.lower
        for subject in frame.fillers("agent"):
            if low in fact_words.DIETS:
                values = tuple(n for n in frame.fillers("object") if n.lemma == token.lemma)
                yield Claim("diet", subject, low, values)
            elif low in fact_words.HEALTH_ADJECTIVES:
                beside = [k for k in sentence.kids(token.index) if k.index == token.index - 1]
                before = [k.text for k in beside if k.pos in ("NOUN", "ADJ")]
                value = " ".join([*before, token.text])
                if low != "intolerant" or before:
                    yield Claim("health", subject, value, text=f"{shown(subject)} is {value}.")


def _is_condition(noun: Nominal) -> bool:
    if noun.lemma in fact_words.CONDITIONS or noun.surface.lower() in fact_words.CONDITIONS:
        return True
    return noun.lemma in fact_words.CONDITION_HEADS or bool(fact_words.CONDITION_ENDING.search(noun.lemma))
