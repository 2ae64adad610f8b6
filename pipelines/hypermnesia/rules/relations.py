"""Which predicates a question asks about: words of the question, and the words that ask for a kind of fact.

The inventory is data: predicate -> stems that ask for it. A question whose relation is in no table still works: its
own verbs and nouns are matched with the predicates that the user's memory has.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

#: Predicates of facts, and the words (stems) by which a question asks for them.
_ASKED_BY: Mapping[str, str] = {
    "lives_in": "live home resid hous apart citi address neighborhood town",
    "moved_to": "move reloc",
    "from": "from hometown origin born grew",
    "works_at": "work employ compani job workplac",
    "job": "job work profess occup career live role",
    "studies": "studi degre major school univers colleg class cours",
    "speaks": "speak languag fluent",
    "allergic_to": "allerg allergi",
    "diet": "diet vegetarian vegan eat",
    "likes": "like love enjoy favorit favourit prefer fan",
    "dislikes": "dislik hate",
    "hobby": "hobbi free pastim interest leisur fun destress relax",
    "has_pet": "pet dog cat anim",
    "named": "name call",
    "owns": "own have car",
    "birthday": "birthday born age old",
    "age": "old age",
    "married_to": "marri wife husband spous partner",
    "health": "health condit ill sick diagnos medic",
}


def asked_predicates(stems: Collection[str], predicates: Mapping[str, Collection[str]]) -> list[str]:
    """The predicates of a memory (each with the stems of its parts) that a question's stems ask about, sorted."""
    asked = set(stems)
    by_table = {predicate for predicate, words in _ASKED_BY.items() if asked & set(words.split())}
    return sorted(
        predicate
        for predicate, parts in predicates.items()
        if predicate in by_table or _base(predicate) in by_table or asked & set(parts)
    )


def _base(predicate: str) -> str:
    """ "favorite_color" is a kind of likes."""
    return "likes" if predicate.startswith("favo") else predicate
