"""What was said is the record; the question that a short answer answers is its context."""

from __future__ import annotations

import pytest

from hypermnesia.archives.jsonl import KINDS, ROLES
from hypermnesia.rules.extraction import Turn
from hypermnesia.rules.utterances import last_question, sentences
from hypermnesia.rules.verbatim import TRUST, answered_question, says_something, turn_text


@pytest.mark.parametrize("text", ["hi", "7", "👍", "はい", "€", "... ok"])
def test_it_says_something(text: str) -> None:
    assert says_something(text)


@pytest.mark.parametrize("text", ["", "  \n", "...", "?!", "—", "\u200b"])
def test_it_says_nothing(text: str) -> None:
    assert not says_something(text)


def test_a_turn_is_what_was_said_then_what_came_with_it() -> None:
    assert turn_text("Look!", [("image", "a red bike"), ("file", "..."), ("file", "notes")]) == (
        "Look!\n[image: a red bike]\n[file: notes]"
    )
    assert turn_text("...", [("image", "a dog")]) == "[image: a dog]"
    assert turn_text("  ", [("image", "")]) == ""
    assert turn_text(" as said, with  its spaces ", []) == " as said, with  its spaces "


@pytest.mark.parametrize(
    ("text", "before", "context"),
    [
        ("Miso.", ("Ben", "We have a cat. What is it called? I forgot."), "What is it called?"),
        ("Miso.", ("Ben", "Cute! Whose? And its name?"), "And its name?"),
        ("Miso.", ("Ben", "何という名前ですか？"), "何という名前ですか？"),
        ("Miso.", ("Ben", "We have a cat."), None),
        ("Miso.", ("Ann", "What is it called?"), None),  # her own question
        ("Miso.", None, None),
        ("Whose cat?", ("Ben", "What is it called?"), None),
        ("谁的？", ("Ben", "What is it called?"), None),
        ("One two three four five six seven eight", ("Ben", "How many?"), "How many?"),
        ("One two three four five six seven eight nine", ("Ben", "How many?"), None),
        ("", ("Ben", "What did you see?"), "What did you see?"),  # answered with a picture
    ],
)
def test_the_question_that_a_short_answer_answers(
    text: str, before: tuple[str, str] | None, context: str | None
) -> None:
    assert answered_question(turn("Ann", text), before and turn(*before)) == context


def turn(speaker: str, text: str) -> Turn:
    return Turn("m", "h", (("m", "h"),), (text,), speaker, "person", "utterance", text, text)


def test_trust_is_known_for_everyone_who_speaks() -> None:
    assert {*ROLES, "document"} - {"system"} == set(TRUST)
    assert "document" in KINDS
    assert TRUST["user"] != TRUST["person"] != TRUST["assistant"]


def test_sentences_and_questions() -> None:
    assert sentences("Hi! How are you?? ... Fine.") == ["Hi!", "How are you??", "Fine."]
    assert last_question("Why? Because.") == "Why?"
    assert last_question("Because.") is None
