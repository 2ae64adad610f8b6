"""Name keys propose the pairs that are worth judging."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.name_keys import DICE_PROPOSES, dice, is_readable, name_keys, proposed_pairs
from hypermnesia.rules.names import Named, judge

PAIRS = Path(__file__).parents[3] / "shared/data/names/pairs-dev.jsonl"
TYPES = ("person", "organization", "location", "object", "concept")


@pytest.mark.parametrize(
    ("type_", "a", "b"),
    [
        ("person", "Bill Smith", "William Smith"),
        ("person", "A. Kowalska", "Anna Kowalska"),
        ("person", "Anna K.", "Anna Kowalska"),
        ("person", "Anna", "Anna Kowalska"),
        ("person", "Bill", "William Smith"),
        ("person", "Rice, Jim", "Jim Rice"),
        ("person", "Joann Baird", "Joann Baird-Cohen"),
        ("person", "Артем Тимченко", "Artem Timchenko"),
        ("person", "Renée", "Renee"),
        ("organization", "Acme Foods GmbH", "The Acme Foods"),
        ("organization", "AMA", "American Marketing Association"),
        ("organization", "하늘 서점", "하늘서점"),
        ("location", "Lincoln, California", "Lincoln"),
        ("location", "St. Louis", "Saint Louis"),
        ("object", "road trips", "road trip"),
        ("object", "note book", "notebook"),
        ("concept", "milk chocolate", "chocolate milk"),
    ],
)
def test_proposed(type_: str, a: str, b: str) -> None:
    assert name_keys(a, type_) & name_keys(b, type_)  # type: ignore[arg-type]


@pytest.mark.parametrize(("a", "b"), [("茶壶", "雨伞"), ("!!!", "???"), ("Anna Kim", "Tom Berg")])
def test_not_proposed(a: str, b: str) -> None:
    assert not name_keys(a, "person") & name_keys(b, "person")


@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(TYPES))
def test_any_text_has_keys_with_something_in_them(a: str, b: str, type_: str) -> None:
    assert all(key.partition(":")[2].strip("|") for key in name_keys(a, type_))  # type: ignore[arg-type]
    assert dice(a, b) == dice(b, a)
    assert 0 <= dice(a, b) <= 1


def test_pairs_of_one_type_by_key_or_by_letters() -> None:
    named = {
        "1": ("Anna Kowalska", "person"),
        "2": ("A. Kowalska", "person"),
        "3": ("Ledger Importer", "object"),
        "4": ("Ledger Importr", "object"),
        "5": ("Anna Kowalska", "organization"),
    }
    assert proposed_pairs(named) == {("1", "2"), ("3", "4")}  # type: ignore[arg-type]


@given(st.lists(st.text("abc de", min_size=1, max_size=8), max_size=12))
def test_no_pair_of_like_letters_is_missed(names: list[str]) -> None:
    named = {str(i): (name, "object") for i, name in enumerate(names)}
    found = proposed_pairs(named)  # type: ignore[arg-type]
    alike = {(a, b) for a, b in combinations(sorted(named), 2) if dice(named[a][0], named[b][0]) >= DICE_PROPOSES}
    assert alike <= found
    assert all(a < b for a, b in found)


@pytest.mark.parametrize(
    ("name", "readable"), [("Zoë Łukasz", True), ("Anna", True), ("茶壶", False), ("Анна", False), ("12", False)]
)
def test_only_latin_names_are_for_the_embedding_model(name: str, readable: bool) -> None:
    assert is_readable(name) is readable


@pytest.mark.skipif(not PAIRS.exists(), reason="../shared/data/names is not present")
def test_labelled_pairs_are_proposed() -> None:
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    true = [r for r in rows if r["label"]]
    found = [
        bool(name_keys(r["a"], r["type"]) & name_keys(r["b"], r["type"])) or dice(r["a"], r["b"]) >= DICE_PROPOSES
        for r in true
    ]
    assert sum(found) / len(true) >= 0.95
    accepted = [judge(Named(r["a"], r["type"]), Named(r["b"], r["type"])).answer == "same" for r in true]
    assert all(f for f, a in zip(found, accepted, strict=True) if a)
