"""Which role a noun behind a preposition has."""

from __future__ import annotations

from hypermnesia.rules.linguistic import lexicon
from hypermnesia.rules.linguistic.nominals import Nominal

#: Every role of the linguistic extractor.
ROLES = (
    "agent", "object", "owner", "topic", "place", "companion", "purpose", "recipient", "source", "name", "oblique",
)  # fmt: skip

_PLACE_PREPOSITIONS = lexicon.words(
    "in at on to into onto inside near around through across up down by along towards toward over outside behind "
    "beside under within"
)
_MOTION = lexicon.words(
    "go come get travel move fly drive walk run hike return head head_back get_back go_back ride sail swim relocate "
    "bring take invite drop_off"
)
_TIMES = frozenset({"after", "before", "since", "until", "till", "per", "without", "except", "despite"})
_COMPANIONS = frozenset({"with", "alongside"})


def role_of(preposition: str, noun: Nominal, verb: str, is_behind_adjective: bool = False) -> str | None:
    """The role of `noun` behind a preposition of `verb` ("pick_up"); None where it has none ("after work")."""
    if preposition in _TIMES:
        return None
    if preposition in ("about", "regarding", "concerning") or is_behind_adjective:
        return "topic"
    if preposition in _COMPANIONS:
        return "companion" if is_company(noun) else "oblique"
    if preposition == "from":
        return "source"
    if preposition == "for":
        return _role_of_for(noun, verb)
    if preposition == "to" and noun.type == "person":
        return "recipient"
    if preposition in _PLACE_PREPOSITIONS and _is_somewhere(preposition, noun, verb):
        return "place"
    if preposition == "of":
        return "topic"
    if preposition == "on" and noun.type in ("concept", "work"):
        return "topic"
    return "oblique"


def _is_somewhere(preposition: str, noun: Nominal, verb: str) -> bool:
    if preposition in ("to", "into") and noun.type != "location":
        return verb in _MOTION and noun.type != "person"
    is_named = preposition in ("in", "near") and noun.surface[:1].isupper()
    return is_place(noun) or is_named


def is_place(noun: Nominal) -> bool:
    """Whether it is somewhere: a place's name, an organization, an event or a noun of place."""
    return noun.type in ("location", "organization", "event") or noun.lemma in lexicon.PLACE_NOUNS


def is_company(noun: Nominal) -> bool:
    """Whether it is somebody one is with: a person, a pet, a team."""
    return (
        noun.type == "person" or noun.lemma in lexicon.PETS or noun.lemma in ("team", "group", "class", "club", "band")
    )


def _role_of_for(noun: Nominal, verb: str) -> str:
    if noun.type == "person" and noun.lemma not in lexicon.EVENT_NOUNS:
        return "recipient" if verb in lexicon.MAKING_FOR or verb in lexicon.GIVING else "purpose"
    return "place" if verb in ("work", "freelance") else "purpose"
