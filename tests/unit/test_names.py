"""The string judge: rule by rule, and what holds for any two names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.contracts.labelled import LabelledPair
from hypermnesia.rules.name_quality import evaluate_pairs, total_of
from hypermnesia.rules.name_verdicts import STRENGTHS
from hypermnesia.rules.names import Named, Verdict, accepts_at_write, blocks_at_write, is_compatible, judge

PAIRS = Path(__file__).parents[3] / "shared/data/names/pairs-dev.jsonl"
TYPES = {"p": "person", "o": "organization", "l": "location", "t": "object", "c": "concept"}

GOLDEN = [
    # type, a, b, answer, rule
    ("t", "C++", "C#", "different", "symbol"),
    ("t", "C++", "C", "different", "symbol"),
    ("t", ".NET", "NET", "different", "symbol"),
    ("c", "A+", "A-", "different", "symbol"),
    ("t", "iOS17", "iOS 17", "same", "punct"),
    ("t", "GPT-4", "GPT-4o", "different", "variant"),
    ("t", "11-11", "11", "different", "number"),
    ("t", "11-11", "1111", "different", "number"),
    ("t", "version 1.1", "version 11", "different", "number"),
    ("c", "-5 degrees", "5 degrees", "unsure", "number_form"),
    ("c", "9/11", "11/9", "different", "number"),
    ("t", "Sprint 05", "Sprint 5", "unsure", "number_form"),
    ("t", "Rocky II", "Rocky III", "different", "number"),
    ("t", "iPhone 12", "iPhone 12 Pro", "different", "variant"),
    ("t", "first bicycle", "second bicycle", "different", "ordinal"),
    ("c", "yoga class May 2026", "yoga class October 2026", "different", "calendar"),
    ("c", "standup", "Monday standup", "unsure", "more_words"),
    ("c", "plan A", "plan B", "different", "letter"),
    ("c", "vitamin C", "vitamin D", "different", "letter"),
    ("t", "left shoe", "right shoe", "different", "opposite"),
    ("t", "big dog", "small dog", "different", "opposite"),
    ("t", "big dog", "large dog", "unsure", "words_differ"),
    ("t", "grey car", "gray car", "same", "spelling"),
    ("t", "electric guitar", "guitar", "unsure", "more_words"),
    ("p", "Al Kim", "Aal Kim", "unsure", "near:given"),
    ("t", "Anna's house", "Tom's house", "different", "owner"),
    ("c", "Mercury (planet)", "Mercury (element)", "different", "qualifier"),
    ("c", "Mercury (planet)", "Mercury", "unsure", "qualifier_on_one_side"),
    ("t", "the leaf", "leaf", "same", "article"),
    ("t", "The Wall", "Wall", "unsure", "article_single"),
    ("c", "favourite colour", "favorite color", "same", "spelling"),
    ("t", "road trips", "road trip", "same", "plural"),
    ("t", "Hot Springs", "Hot Spring", "unsure", "plural_title"),
    ("t", "glasses", "glass", "unsure", "words_differ"),
    ("t", "potatoes", "potato", "unsure", "plural_single"),
    ("t", "milk chocolate", "chocolate milk", "unsure", "word_order"),
    ("c", "e-mail", "email", "unsure", "near:joined"),
    ("c", "real-time strategy", "real time strategy", "same", "punct"),
    ("t", "my sandwich", "sandwich", "unsure", "short:owner"),
    ("p", "Rice, Jim", "Jim Rice", "same", "person:comma"),
    ("p", "Dr. Anna Kim", "Anna Kim", "same", "person:title"),
    ("p", "Kim, Dr. Anna", "Anna Kim", "same", "person:title"),
    ("p", "Dr. Kim", "Kim", "unsure", "bare_title"),
    ("p", "Michele Moody (née Walsh)", "Michele Moody", "same", "person:nee"),
    ("p", "Noa Östman", "Noa Ostman", "same", "person:diacritics"),
    ("p", "Leo Döhn", "Leo Doehn", "same", "person:diacritics"),
    ("p", "Änne Müller", "Anne Müller", "unsure", "near:marks"),
    ("p", "Kyle A. Harper", "Kyle Andrew Harper", "same", "person:middle_initial"),
    ("p", "Kyle A. Harper", "Kyle M. Harper", "different", "person:middle_differs"),
    ("p", "Артем Тимченко", "Artem Timchenko", "same", "person:translit"),
    ("p", "Роксолана Баштан", "Roksolana Baštan", "same", "person:translit_loose"),
    ("p", "Сергей Зуков", "Sergei Zhukov", "unsure", "script"),
    ("p", "Anna Born Smith", "Anna", "unsure", "short:given_only"),
    ("p", "Jean-Luc Picard", "Jean Luc Picard", "same", "punct"),
    ("p", "Anna Kowalska", "Anna Kim", "different", "person:family_differs"),
    ("p", "Anna Kim", "Tom Kim", "different", "person:given_differs"),
    ("p", "Mr. Lee", "Mrs. Lee", "different", "person:title_sex"),
    ("p", "Sam Lee Jr.", "Sam Lee Sr.", "different", "person:generation"),
    ("p", "Sam Lee Jr.", "Sam Lee", "unsure", "generation_on_one_side"),
    ("p", "Anna's mother", "Anna", "different", "person:possessive"),
    ("p", "Anna's mother", "Anna's father", "different", "person:relation"),
    ("p", "Anna's mother", "Tom's mother", "different", "person:owner"),
    ("p", "my boss", "my uncle", "unsure", "relation"),
    ("p", "Anna", "Anna Kowalska", "unsure", "short:given_only"),
    ("p", "Renée", "Renee", "unsure", "near:marks"),
    ("p", "A. Kowalska", "Anna Kowalska", "unsure", "short:given_initial"),
    ("p", "Anna K.", "Anna Kowalska", "unsure", "short:family_initial"),
    ("p", "Bill Smith", "William Smith", "unsure", "short:nickname"),
    ("p", "B. Smith", "William Smith", "unsure", "given_shared"),
    ("p", "Sasha Petrov", "Alexander Petrov", "unsure", "short:nickname"),
    ("p", "Paul McCartney", "James Paul McCartney", "unsure", "middle_as_given"),
    ("p", "Joan Hansen", "Joan Hanson", "unsure", "near:family"),
    ("p", "Maria Rossi", "Mario Rossi", "unsure", "near:given"),
    ("p", "Thomas Glenn", "Glenn Thomas", "unsure", "swapped"),
    ("p", "Joann Baird", "Joann Baird-Cohen", "unsure", "double_name"),
    ("p", "吉博", "冀波", "unsure", "script"),
    ("l", "Springfield, IL", "Springfield, MA", "different", "place:qualifier"),
    ("l", "San Jose, Philippines", "San Jose, United States", "different", "place:qualifier"),
    ("l", "Ottawa, CA", "Ottawa, Canada", "unsure", "place:code_or_country"),
    ("l", "Clinton, Iowa", "Clinton, IA", "same", "place:region_abbrev"),
    ("l", "Murrieta CA", "Murrieta, California", "same", "place:region_abbrev"),
    ("l", "St. Louis", "Saint Louis", "same", "place:abbrev"),
    ("l", "Giles Ave", "Giles Avenue", "same", "place:abbrev"),
    ("l", "Giles Court", "Giles Square", "different", "place:street_type"),
    ("l", "West Orr Road", "East Orr Road", "different", "place:direction"),
    ("l", "Châteauroux", "Chateauroux", "same", "place:diacritics"),
    ("l", "Conway, AR", "El Cerrito, AR", "different", "place:name_differs"),
    ("l", "Köln", "Cologne", "unsure", "words_differ"),
    ("l", "Lincoln", "Lincoln, California", "unsure", "short:qualifier"),
    ("l", "U.S.", "United States", "same", "place:abbrev"),
    ("o", "Acme GmbH", "Acme AG", "different", "org:legal_conflict"),
    ("o", "Acme Foods GmbH", "Acme Foods", "same", "org:legal_suffix"),
    ("o", "Willow Capital Sp. z o.o.", "Willow Capital", "same", "org:legal_suffix"),
    ("o", "Acme Limited", "Acme", "same", "org:legal_suffix_single"),
    ("o", "Levine, Jacobs & Co", "Levine & Jacobs", "same", "org:legal_suffix"),
    ("o", "The Tanner Hotel", "Tanner Hotel", "same", "org:article"),
    ("o", "The Who", "WHO", "unsure", "article_single"),
    ("o", "Univ. of Ohio", "University of Ohio", "same", "org:abbrev"),
    ("o", "Pitts & Bullock", "Pitts and Bullock", "same", "punct"),
    ("o", "AMA", "American Marketing Association", "unsure", "short:acronym"),
    ("o", "University of Oregon", "Oregon University", "unsure", "more_words"),
]

PARTS = (
    "Anna",
    "Kim",
    "Dr.",
    "Jr.",
    "née",
    "'s",
    ",",
    "(",
    ")",
    "&",
    "12",
    "1.1",
    "GmbH",
    "St.",
    "-",
    "É",
    "Ж",
    "京",
    "#",
    "²",
)
NAME = st.one_of(
    st.text(max_size=30),
    st.sampled_from(sorted({name for row in GOLDEN for name in row[1:3]})),
    st.lists(st.sampled_from(PARTS)).map(" ".join),
)
TYPE = st.sampled_from(sorted(TYPES.values()))


@pytest.mark.parametrize(("kind", "a", "b", "answer", "rule"), GOLDEN)
def test_golden(kind: str, a: str, b: str, answer: str, rule: str) -> None:
    verdict = judge(Named(a, TYPES[kind]), Named(b, TYPES[kind]))  # type: ignore[arg-type]
    assert (verdict.answer, verdict.rule) == (answer, rule)


@given(NAME, NAME, TYPE, st.booleans(), st.booleans(), st.booleans())
def test_order_never_matters_and_every_text_has_a_verdict(
    a: str, b: str, type_: str, side: bool, alias: bool, rival: bool
) -> None:
    x, y = Named(a, type_, {"year": "2001"}), Named(b, type_, {"year": "2001"})  # type: ignore[arg-type]
    given_ = {"are_side_by_side": side, "alias_stated": alias, "has_rival": rival}
    verdict = judge(x, y, **given_)
    assert verdict == judge(y, x, **given_)
    assert (verdict.strength > 0) == (verdict.answer == "same")
    assert not (accepts_at_write(verdict) and blocks_at_write(verdict))


@given(NAME, TYPE)
def test_a_name_is_itself(name: str, type_: str) -> None:
    verdict = judge(Named(name, type_), Named(f" {name} ", type_))  # type: ignore[arg-type]
    assert verdict.answer != "different"
    assert verdict == Verdict("same", "equal", STRENGTHS["equal"]) or not any(c.isalnum() for c in name)


def test_types_that_differ_are_two_things() -> None:
    assert judge(Named("Jordan", "person"), Named("Jordan", "location")) == Verdict("different", "type")


def test_an_unknown_type_is_an_error() -> None:
    with pytest.raises(ValueError, match="animal"):
        judge(Named("Rex", "animal"), Named("Rex", "animal"))  # type: ignore[arg-type]


def test_what_a_person_or_a_model_said_comes_first() -> None:
    a, b = Named("C++", "object"), Named("C#", "object")
    assert judge(a, b, remembered=("same", "person")) == Verdict("same", "remembered:person", 100)
    assert judge(a, a, remembered=("different", "model")).answer == "different"


def test_the_weakest_rules_wait_for_the_night() -> None:
    plural = judge(Named("road trips", "object"), Named("road trip", "object"))
    assert plural.answer == "same" and not accepts_at_write(plural)
    assert accepts_at_write(judge(Named("Rice, Jim", "person"), Named("Jim Rice", "person")))
    assert blocks_at_write(judge(Named("C", "object"), Named("C#", "object")))


def test_short_and_near_forms_may_stand_in_one_cluster_others_not() -> None:
    def of(a: str, b: str) -> bool:
        return is_compatible(judge(Named(a, "person"), Named(b, "person")))

    assert of("A. Kowalska", "Anna Kowalska") and of("Joan Hansen", "Joan Hanson") and of("Rice, Jim", "Jim Rice")
    assert not of("Thomas Glenn", "Glenn Thomas") and not of("Anna Kim", "Anna Kowalska")


@pytest.mark.skipif(not PAIRS.exists(), reason="../shared/data/names is not present")
def test_labelled_pairs() -> None:
    rows = [LabelledPair.model_validate_json(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    total = total_of(evaluate_pairs(rows))
    assert total["n"] == 7304
    assert total["same_right"] >= 1650
    assert total["same_wrong"] <= 1
    assert total["different_wrong"] <= 5
