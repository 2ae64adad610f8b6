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
    "from": "come hometown origin born grew nation",
    "grew_up_in": "hometown origin grew rais childhood",
    "works_at": "work employ compani job workplac",
    "job": "job work profess occup career live role",
    "studies": "studi degre major school univers colleg class cours",
    "studies_at": "studi degre school univers colleg",
    "graduated_from": "graduat studi degre school univers colleg",
    "teaches": "teach teacher subject class job work",
    "speaks": "speak languag fluent",
    "allergic_to": "allerg allergi",
    "diet": "diet vegetarian vegan eat",
    "likes": "like love enjoy favorit favourit prefer fan",
    "dislikes": "dislik hate",
    "hobby": "hobbi free pastim interest leisur fun destress relax",
    "plays": "play instrument game sport music hobbi free",
    "has_pet": "pet dog cat anim",
    "named": "name call",
    "owns": "own have car",
    "birthday": "birthday born age old",
    "age": "old age",
    "married_to": "marri wife husband spous partner",
    "has_family": "famili sibl child children kid relat",
    "mother": "mother mom mum parent famili relat",
    "father": "father dad parent famili relat",
    "sister": "sister sibl famili relat",
    "brother": "brother sibl famili relat",
    "son": "son child children kid famili relat",
    "daughter": "daughter child children kid famili relat",
    "wife": "wife spous partner marri famili",
    "husband": "husband spous partner marri famili",
    "partner": "partner spous girlfriend boyfriend",
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
