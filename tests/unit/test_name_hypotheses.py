"""A bare first name is linked mention by mention, where exactly one full name of the session fits."""

from __future__ import annotations

import pytest

from hypermnesia.rules.name_hypotheses import Hypothesis, MentionContext, is_bare_name, link_bare_name

MEMORY = {"1": "Robin Moreau", "2": "Robin Okafor", "3": "William Fox", "4": "Anna's mother", "5": "Robin"}


def link(name: str, *session: str) -> Hypothesis | None:
    return link_bare_name(MentionContext(name, {i: MEMORY[i] for i in session}, MEMORY))


def test_one_fitting_full_name_in_the_session() -> None:
    found = link("Robin", "1", "3", "5")
    assert found is not None
    assert (found.anchor_id, found.candidates) == ("1", ("1", "2"))
    alone = link("William", "3")
    assert alone is not None and alone.anchor_id == "3"
    nickname = link("Bill", "3")
    assert nickname is not None and nickname.anchor_id == "3"
    assert 0 < nickname.confidence < found.confidence < alone.confidence < 1


@pytest.mark.parametrize("session", [(), ("3",), ("1", "2")])
def test_none_or_several_are_unresolved_with_their_candidates(session: tuple[str, ...]) -> None:
    assert link("Robin", *session) == Hypothesis(None, 0.0, ("1", "2"))


def test_an_exact_name_and_a_nickname_in_one_session_are_two_candidates() -> None:
    context = MentionContext("Bill", {"1": "Bill Moreau", "2": "William Fox"}, {})
    assert link_bare_name(context) == Hypothesis(None, 0.0, ("1", "2"))


@pytest.mark.parametrize("name", ["Robin Moreau", "Dr. Moreau", "R. Moreau", "Robin's mother", "my boss"])
def test_a_longer_name_is_no_bare_name(name: str) -> None:
    assert not is_bare_name(name)
    assert link(name, "1") is None
