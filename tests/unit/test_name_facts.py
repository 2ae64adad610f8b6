"""What facts change: conflicting identifiers part equal names, an equal one joins names that are unsure."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from hypermnesia.rules.name_keys import proposed_pairs
from hypermnesia.rules.names import Named, accepts_at_write, judge

FEBRL = Path(__file__).parents[3] / "shared/data/names/febrl/dataset1.csv"

TWO_DATES = frozenset(("1990-02-01", "1971-05-12"))


def person(name: str, **facts: str | frozenset[str]) -> Named:
    return Named(name, "person", facts)


@pytest.mark.parametrize(
    ("a", "b", "answer", "rule"),
    [
        # Equal names, other birth dates: other people.
        (person("Anna Kim", birth_date="1990-02-01"), person("Anna Kim", birth_date="1971-05-12"), "different", None),
        (person("Anna Kim", birth_date="1990-02-01"), person("Anna Kim", birth_date="19900201"), "same", "equal"),
        (person("Anna Kim", birth_date="1990"), person("Anna Kim", birth_date="1990-02-01"), "same", "equal"),
        (person("Anna Kim", phone="+1 555 010 9999"), person("Anna Kim", phone="555-010-9999"), "same", "equal"),
        (person("Anna Kim", phone="555-010-9999"), person("Anna Kim", phone="555-010-1111"), "different", None),
        # One identifier is enough for these ...
        (
            person("A. Kim", birth_date="1990-02-01"),
            person("Anna Kim", birth_date="1990-02-01"),
            "same",
            "fact:same_id",
        ),
        (person("Bill Fox", birth_date="1990-02-01"), person("William Fox", birth_date="1990-02-01"), "same", None),
        (person("Joan Hansen", birth_date="1990-02-01"), person("Joan Hanson", birth_date="1990-02-01"), "same", None),
        # ... twins need two, a shared phone alone is none, a bare name never.
        (person("Maria Fox", birth_date="1990-02-01"), person("Mario Fox", birth_date="1990-02-01"), "unsure", None),
        (
            person("Maria Fox", birth_date="1990-02-01", phone="5550101"),
            person("Marla Fox", birth_date="1990-02-01", phone="5550101"),
            "same",
            "fact:same_id",
        ),
        (person("A. Kim", phone="5550101"), person("Anna Kim", phone="5550101"), "unsure", None),
        (person("Anna", birth_date="1990-02-01"), person("Anna Kim", birth_date="1990-02-01"), "unsure", None),
        (person("A. Kim", birth_date="1990"), person("Anna Kim", birth_date="1990"), "unsure", None),
        # A married name: the date speaks against "another family name".
        (person("Ann Fox", birth_date="1990-02-01"), person("Ann Hill", birth_date="1990-02-01"), "unsure", None),
        (person("Tim Fox", birth_date="1990-02-01"), person("Ann Fox", birth_date="1990-02-01"), "different", None),
        # An anchor whose own dates conflict holds two people: it is to be split, not joined.
        (
            person("Anna Kim", birth_date=frozenset(("1990-02-01", "1971-05-12"))),
            person("Dr. Anna Kim"),
            "unsure",
            None,
        ),
    ],
)
def test_identifiers(a: Named, b: Named, answer: str, rule: str | None) -> None:
    verdict = judge(a, b)
    assert verdict.answer == answer
    assert rule in (None, verdict.rule)
    assert judge(b, a) == verdict


def test_year_parts_equal_titles() -> None:
    a, b = (Named("A survey of memory", "object", {"year": y}) for y in ("1998", "2004"))
    assert judge(a, b).answer == "different"


def test_two_participants_of_one_assertion_are_two() -> None:
    a, b = person("Bill Fox"), person("William Fox")
    assert judge(a, b, are_side_by_side=True).answer == "different"
    assert judge(a, a, are_side_by_side=True).answer == "same"


def test_a_stated_alias_counts_for_more_than_a_bare_name_and_without_a_rival() -> None:
    a, b = Named("Köln", "location"), Named("Cologne", "location")
    stated = judge(a, b, alias_stated=True)
    assert stated.rule == "fact:alias_stated" and not accepts_at_write(stated)
    assert judge(a, b, alias_stated=True, has_rival=True).answer == "unsure"
    assert judge(person("Bill"), person("William Fox"), alias_stated=True).answer == "unsure"
    assert judge(Named("C++", "object"), Named("C", "object"), alias_stated=True).answer == "different"


@pytest.mark.skipif(not FEBRL.exists(), reason="../shared/data/names/febrl is not present")
def test_febrl_with_and_without_birth_dates() -> None:
    with FEBRL.open(encoding="utf-8", newline="") as file:
        rows = [{k.strip(): v.strip() for k, v in row.items()} for row in csv.DictReader(file)]
    by_id = {r["rec_id"]: r for r in rows if r["given_name"] or r["surname"]}
    names = {i: f"{r['given_name']} {r['surname']}".strip().title() for i, r in by_id.items()}
    answers: Counter[tuple[bool, str, bool]] = Counter()
    for a, b in proposed_pairs({i: (name, "person") for i, name in names.items()}):
        is_one = a.split("-")[1] == b.split("-")[1]
        for with_facts in (False, True):
            born = [by_id[i]["date_of_birth"] if with_facts else "" for i in (a, b)]
            x, y = (person(names[i], **({"birth_date": d} if d else {})) for i, d in zip((a, b), born, strict=True))
            verdict = judge(x, y)
            answers[with_facts, verdict.answer, is_one] += 1
            if names[a] == names[b] and all(born) and born[0] != born[1]:
                assert verdict.answer == "different"
    assert answers[True, "same", False] == 0
    assert answers[True, "same", True] > answers[False, "same", True] > 200
