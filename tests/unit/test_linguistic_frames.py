"""Frames of plain sentences: roles, negation, modality, attributes. Golden tables over the bundled parser's model."""

from __future__ import annotations

from datetime import datetime

import pytest

from hypermnesia.adapters.spacy import LinguisticExtractor
from hypermnesia.rules.extraction import Assertion, Made, Passage, Turn

SAID = datetime(2024, 3, 14, 10)
PEOPLE = ("Maya", "Tom")


def read(text: str, role: str = "person", speaker: str = "Maya", people: tuple[str, ...] = PEOPLE) -> list[Made]:
    ids = ("m", "h")
    turn = Turn(*ids, (ids,), (text,), speaker, role, "utterance", text, text, None, SAID)
    return LinguisticExtractor().read([Passage("owner", "chunk", "h", (), (turn,), people)])[0].made


def roles(made: Made, assertion: Assertion) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for role, mention in assertion.roles:
        found.setdefault(role, []).append(made.mentions[mention].surface)
    return found


def frames(text: str) -> list[tuple[str, dict[str, list[str]]]]:
    made = read(text)[0]
    return [(a.predicate, roles(made, a)) for a in made.assertions]


@pytest.mark.parametrize(
    ("text", "predicate", "expected"),
    [
        ("I baked bread with Anna.", "bake", {"agent": ["Maya"], "object": ["bread"], "companion": ["Anna"]}),
        ("I picked up my suit.", "pick_up", {"agent": ["Maya"], "object": ["suit"]}),
        ("The house was built by Omar.", "build", {"agent": ["Omar"], "object": ["house"]}),
        ("I gave Omar a book.", "give", {"agent": ["Maya"], "recipient": ["Omar"], "object": ["book"]}),
        ("I am nervous about the exam.", "be_nervous", {"agent": ["Maya"], "topic": ["exam"]}),
        ("My mother cooked soup.", "cook", {"agent": ["Maya's mother"], "object": ["soup"]}),
        ("My car hit a fence.", "hit", {"agent": ["car"], "object": ["fence"], "owner": ["Maya"]}),
        ("The song that Omar wrote is about rain.", "write", {"agent": ["Omar"], "object": ["song"]}),
        ("Omar taught me to swim in the sea.", "swim", {"agent": ["Maya"], "place": ["sea"]}),
        ("I ate apples and pears.", "eat", {"agent": ["Maya"], "object": ["apples", "pears"]}),
        ("We have a dog named Rex.", "have", {"agent": ["Maya"], "object": ["dog"], "name": ["Rex"]}),
        ("Met with the design team.", "meet", {"agent": ["Maya"], "companion": ["design team"]}),
        ("Gonna paint the fence.", "paint", {"agent": ["Maya"], "object": ["fence"]}),
        ("You sold the boat.", "sell", {"agent": ["Tom"], "object": ["boat"]}),
        ("I saw Omar feeding the ducks.", "feed", {"agent": ["Omar"], "object": ["ducks"]}),
        ("There is a bakery on Elm Street.", "be", {"agent": ["bakery"], "place": ["Elm Street"]}),
        ('Omar said, "I sold my boat."', "sell", {"agent": ["Omar"], "object": ["boat"]}),
    ],
)
def test_a_clause_is_a_frame(text: str, predicate: str, expected: dict[str, list[str]]) -> None:
    assert (predicate, expected) in frames(text)


@pytest.mark.parametrize(
    ("text", "modality", "is_negated"),
    [
        ("I painted the fence.", "done", False),
        ("I will paint the fence.", "planned", False),
        ("I'm going to paint the fence.", "planned", False),
        ("I hope to paint the fence.", "planned", False),
        ("I can't wait to paint the fence.", "planned", False),
        ("I might paint the fence.", "hypothetical", False),
        ("If it rains, I would paint the fence.", "hypothetical", False),
        ("Did you paint the fence?", "question", False),
        ("I never painted the fence.", "done", True),
        ("I'm not going to paint the fence.", "planned", True),
        ("I decided against painting the fence.", "done", True),
        ("I cancelled my trip to Rome.", "cancelled", False),
        ("The trip to Rome fell through.", "cancelled", False),
    ],
)
def test_a_turn_has_one_modality(text: str, modality: str, is_negated: bool) -> None:
    said = read(text)[0]
    assert (said.modality, said.is_negated) == (modality, is_negated)


def test_numbers_amounts_and_titles_are_attributes_never_mentions() -> None:
    said = read('I bought 3 tickets to "Emma" for $45 at 8pm yesterday.')[0]
    attributes = {pair for a in said.assertions for pair in a.attributes}
    assert {("count", "3 tickets"), ("amount", "$45"), ("title", "Emma")} <= attributes
    assert not any(c.isdigit() for m in said.mentions for c in m.surface)
    assert said.time is not None and said.time.start is not None and said.time.start.startswith("2024-03-13")


def test_a_light_verb_keeps_its_noun() -> None:
    said = read("I took a trip to Norway.")[0]
    assert ("second_predicate", "trip") in said.assertions[0].attributes


def test_who_is_called_has_no_role() -> None:
    assert not any("Tom" in names for _, found in frames("Wow, Tom, I painted the fence!") for names in found.values())


@pytest.mark.parametrize("text", ["Thanks!", "How are you?", "Hey Tom!", "You're welcome.", "👍", "..."])
def test_small_talk_gives_no_frame(text: str) -> None:
    assert not any(made.assertions for made in read(text))


@pytest.mark.parametrize("text", ["A lovely lake!", "In Lisbon.", "Because of the rain."])
def test_a_sentence_without_a_verb_names_its_things(text: str) -> None:
    assert [predicate for predicate, _ in frames(text)] == ["mention"]


def test_a_caption_is_shown_by_its_sender() -> None:
    ids = ("m", "h")
    text, caption = "Look!", "a photo of a dog on a beach"
    turn = Turn(
        *ids, (ids, ("m2", "h")), (text, caption), "Maya", "person", "utterance", text, f"{text}\n[image: {caption}]"
    )
    made = LinguisticExtractor().read([Passage("owner", "chunk", "h", (), (turn,), PEOPLE)])[0].made[0]
    assert ("show", {"agent": ["Maya"], "object": ["dog", "beach"]}) in [
        (a.predicate, roles(made, a)) for a in made.assertions
    ]
    assert all(m.start is None for m in made.mentions)


def test_of_several_people_you_is_the_one_who_is_called() -> None:
    people = ("Ana", "Maya", "Tom")
    unknown = read("You broke the vase.", people=people)[0]
    called = read("Ana, you broke the vase.", people=people)[0]
    assert not any(m.surface in people for m in unknown.mentions if m.surface != "Maya")
    assert ("break", {"agent": ["Ana"], "object": ["vase"]}) in [
        (a.predicate, roles(called, a)) for a in called.assertions
    ]


def test_other_languages_are_kept_without_frames() -> None:
    for text in (
        "Ich habe gestern mit Anna Brot gebacken.",
        "Ayer compré un coche en Madrid.",
        "昨天我和安娜一起烤面包。",
    ):
        made = read(text)
        assert [m.memory_type for m in made] == ["episodic"] and made[0].text == text and not made[0].assertions
