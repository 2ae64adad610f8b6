"""Stable facts and procedures of plain sentences, and what must not become one."""

from __future__ import annotations

from datetime import datetime

import pytest

from hypermnesia.adapters.spacy import LinguisticExtractor
from hypermnesia.rules.extraction import PROCEDURAL, SEMANTIC, Made, Passage, Turn
from hypermnesia.rules.linguistic import inventory
from hypermnesia.rules.linguistic.procedures import procedure_in

SAID = datetime(2024, 3, 14, 10)


def turn(text: str, role: str = "person", speaker: str = "Maya", n: int = 0) -> Turn:
    ids = (f"m{n}", "h")
    return Turn(*ids, (ids,), (text,), speaker, role, "utterance", text, text, None, SAID)


def read(*turns: Turn) -> list[Made]:
    people = tuple(sorted({t.speaker for t in turns} | {"Tom"}))
    return LinguisticExtractor().read([Passage("owner", "chunk", "h", (), turns, people)])[0].made


def facts(text: str, role: str = "person", speaker: str = "Maya") -> list[str]:
    return [m.text for m in read(turn(text, role, speaker)) if m.memory_type == SEMANTIC]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm allergic to peanuts.", ["Maya is allergic to peanuts."]),
        ("My sister Anna is here.", ["Maya's sister is Anna."]),
        ("I live in Lisbon.", ["Maya lives in Lisbon."]),
        ("We named the dog Max.", ["Maya named the dog Max."]),
        ("My favorite color is blue.", ["Maya's favourite color is blue."]),
        ("I have two kids and a brother.", ["Maya has two kids.", "Maya has a brother."]),
        ("I don't eat pork.", ["Maya doesn't eat pork."]),
        ("I don't live in Paris anymore.", ["Maya does not live in Paris."]),
        ("I'm an engineer at Siemens.", ["Maya is an engineer.", "Maya works at Siemens."]),
        ("My brother works as a chef.", ["Maya's brother is a chef."]),
        ("I love hiking and the sea.", ["Maya likes hiking.", "Maya likes the sea."]),
        ("My cat's name is Luna.", ["Maya's cat is named Luna."]),
        ("My name is Ana.", ["Maya's name is Ana."]),
        ("I'm 34 years old.", ["Maya is 34 years old."]),
        ("I was diagnosed with asthma.", ["Maya has asthma."]),
        ("My kids speak Greek.", ["Maya's kids speak Greek."]),
        ("I moved to Berlin in 2021.", ["Maya moved to Berlin.", "Maya lives in Berlin."]),
    ],
)
def test_a_stable_fact_is_one_plain_sentence(text: str, expected: list[str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Do you live in Lisbon?",
        "I wish I lived in Lisbon.",
        "If I live in Lisbon, I will be happy.",
        "Imagine I live in Lisbon.",
        "In the novel, I live in Lisbon.",
        "I think I'm allergic to nuts.",
        "I might be allergic to nuts.",
        "I'm going to live in Lisbon.",
        "I used to live in Lisbon.",
        "You live in Lisbon.",
        "Tom lives in Lisbon.",
        "He is allergic to nuts.",
        '"I live in Lisbon and I love cats."',
        "I love this song.",
        "I loved the soup.",
        "Relevant memories:\n- I own a boat.\n- I live in Lisbon.",
        "> I live in Lisbon.",
        "```\nI live in Lisbon.\n```",
    ],
)
def test_what_is_not_asserted_of_oneself_is_no_fact(text: str) -> None:
    assert facts(text) == []


def test_b12_an_assistants_text_is_no_fact_about_the_user() -> None:
    said = read(
        turn("How do people store herbs?", "user", "user"),
        turn(
            "Many people dry them.\n\nI prefer freezing them in oil. You live in Lisbon.", "assistant", "assistant", 1
        ),
    )
    assert not [m for m in said if m.memory_type == SEMANTIC]
    assert not any(mention.surface == "user" for m in said if m.trust == "assistant" for mention in m.mentions)


def test_b13_a_correction_is_no_evidence_for_what_it_denies() -> None:
    said = read(turn("No, I don't own a boat.", "user", "user"))
    assert [(m.text, m.is_negated) for m in said if m.memory_type == SEMANTIC] == [
        ("The user does not own boat.", True)
    ]


def test_a_fact_keeps_its_parts_its_quote_and_since_when() -> None:
    text = "Hi! I've worked at Siemens since 2019."
    fact = next(m for m in read(turn(text)) if m.memory_type == SEMANTIC)
    assert fact.attributes == (("predicate", "works_at"), ("subject", "Maya"), ("value", "Siemens"))
    assert [text[a:b] for _, a, b in fact.quotes] == ["I've worked at Siemens since 2019."]
    assert fact.time is not None and (fact.time.start, fact.time.precision) == ("2019-01-01", "year")
    assert [a.predicate for a in fact.assertions] == ["works_at"] and not fact.assertions[0].is_event


def test_every_predicate_has_its_sentence() -> None:
    assert (
        set(inventory.PREDICATES) >= inventory.CORE_PREDICATES and set(inventory.PREDICATES) >= inventory.SINGLE_VALUED
    )
    assert inventory.is_core("favourite_book") and inventory.is_single_valued("favourite_book")
    assert inventory.predicate_of("favourite_book").says[0] == "has the favourite book"
    assert inventory.predicate_of("lives_in").denies == ("does not live in", "do not live in")


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("1. Boil the water.\n2. Add the pasta.\n3. Drain it.", ("Boil the water.", "Add the pasta.", "Drain it.")),
        (
            "How to reset it: 1. Unplug the router. 2. Wait a minute. 3. Plug it in.",
            ("Unplug the router.", "Wait a minute.", "Plug it in."),
        ),
        (
            "First, preheat the oven. Then mix the eggs. Finally, bake it.",
            ("preheat the oven.", "mix the eggs.", "bake it."),
        ),
    ],
)
def test_steps_are_a_procedure(text: str, steps: tuple[str, ...]) -> None:
    made = next(m for m in read(turn(text)) if m.memory_type == PROCEDURAL)
    assert made.attributes == tuple(("step", s) for s in steps)
    assert [text[a:b] for _, a, b in made.quotes] == [made.text]


@pytest.mark.parametrize(
    "text",
    [
        "First we ate, then we danced.",
        "1. Lisbon 2. Porto 3. Faro",
        "I like 2. things",
        "Then open it.",
        "1. Open the door.",
    ],
)
def test_a_tale_or_a_list_of_things_is_no_procedure(text: str) -> None:
    assert procedure_in(text) is None
