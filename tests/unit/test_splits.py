"""Facts that tell two of one name apart, and the mentions that go with each."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.splits import Apart, Place, divide
from hypermnesia.rules.stated_facts import Stated, fact_of


def place(number: int, message: str, conversation: str = "c") -> Place:
    return Place(f"men_{number}", message, conversation)


def born(value: str, *messages: str) -> Stated:
    return Stated("birth_date", value, frozenset(messages))


def test_two_birthdays_are_two_people_by_the_messages_that_state_them() -> None:
    places = [place(1, "m1"), place(2, "m1"), place(3, "m2"), place(4, "m3")]
    stated = [born("1990-05-01", "m1"), born("1984-12-24", "m2")]
    assert divide(places, stated) == [Apart("birth_date", "1984-12-24", ("men_3",))]


def test_a_conversation_that_states_one_value_goes_with_it() -> None:
    places = [place(1, "m1", "a"), place(2, "m2", "a"), place(3, "m3", "b"), place(4, "m4", "c"), place(5, "m5", "a")]
    stated = [born("1990-05-01", "m1"), born("1984-12-24", "m3")]
    assert divide(places, stated) == [Apart("birth_date", "1984-12-24", ("men_3",))]
    assert divide([place(9, "m9", "b"), *places], stated)[0].mention_ids == ("men_3", "men_9")


@pytest.mark.parametrize(
    "stated",
    [
        [],
        [born("1990-05-01", "m1")],
        [born("1990-05-01", "m1"), born("1990", "m2"), born("0501", "m2")],  # one says less
        [Stated("phone", "555 0100", frozenset(["m1"])), Stated("phone", "555 0199", frozenset(["m2"]))],
        [Stated("email", "a@x", frozenset(["m1"])), Stated("email", "b@x", frozenset(["m2"]))],
    ],
)
def test_what_one_thing_may_have_divides_nothing(stated: list[Stated]) -> None:
    assert divide([place(1, "m1"), place(2, "m2")], stated) == []


def test_a_value_that_fits_both_says_nothing() -> None:
    places = [place(1, "m1"), place(2, "m2"), place(3, "m3")]
    stated = [born("1990-05-01", "m1"), born("1990-12-24", "m2"), born("1990", "m3")]
    assert divide(places, stated) == [Apart("birth_date", "1990-12-24", ("men_2",))]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), max_size=12), st.integers(0, 99))
def test_no_mention_is_in_two_and_order_does_not_matter(found: list[tuple[int, int]], seed: int) -> None:
    places = [place(n, f"m{message}", f"c{message // 2}") for n, (message, _) in enumerate(found)]
    stated = [born(f"19{80 + value}-01-01", f"m{message}") for message, value in found]
    apart = divide(places, stated)
    moved = [mention for part in apart for mention in part.mention_ids]
    assert len(moved) == len(set(moved)) <= len(places)
    rng = random.Random(seed)
    assert divide(rng.sample(places, len(places)), rng.sample(stated, len(stated))) == apart


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("birthday", "May 1st, 1990", ("birth_date", "1990-05-01")),
        ("birthday", "24 December 1984", ("birth_date", "1984-12-24")),
        ("birthday", "1990-05-01", ("birth_date", "1990-05-01")),
        ("birthday", "March 3", ("birth_date", "0303")),
        ("birth_date", "1990", ("birth_date", "1990")),
        ("birthday", "tomorrow", None),
        ("phone", " 555 0100 ", ("phone", "555 0100")),
        ("lives_in", "Lisbon", None),
    ],
)
def test_facts_are_read_as_they_are_written(name: str, value: str, expected: tuple[str, str] | None) -> None:
    assert fact_of(name, value) == expected
