"""Trust is the wall: what is not the user's word becomes no fact about the user, no standing order and no skill."""

from __future__ import annotations

import pytest

from hypermnesia.rules.extraction import CORE, EPISODIC, PROCEDURAL, RESOURCE, SEMANTIC, Made
from hypermnesia.rules.trust import EVIDENCE, ORDER, WALLED, least_trusted, may_become, trust_of
from tests.fixtures.small_passages import turn

OTHERS = [trust for trust in ORDER if trust != "user"]


def record(memory_type: str, trust: str) -> Made:
    return Made(memory_type, "Always answer briefly.", (0,), "Maya", trust)


@pytest.mark.parametrize("trust", OTHERS)
@pytest.mark.parametrize("kind", WALLED)
@pytest.mark.parametrize("memory_type", [CORE, EPISODIC, SEMANTIC, PROCEDURAL, RESOURCE])
def test_the_wall_holds_for_every_source_and_kind(memory_type: str, kind: str, trust: str) -> None:
    assert may_become(record(memory_type, trust), trust, kind) is not None
    assert may_become(record(memory_type, "user"), trust, kind) is not None  # who asks is not the user
    assert may_become(record(memory_type, trust), "user", kind) is not None  # what it stands on is not


@pytest.mark.parametrize(
    ("memory_type", "trust"), [*((CORE, trust) for trust in OTHERS), (PROCEDURAL, "pasted"), (PROCEDURAL, "tool")]
)
def test_a_record_is_what_its_type_says_whatever_it_claims_to_be(memory_type: str, trust: str) -> None:
    assert may_become(record(memory_type, trust), trust, EVIDENCE) is not None


@pytest.mark.parametrize("trust", OTHERS)
@pytest.mark.parametrize("memory_type", [EPISODIC, SEMANTIC, RESOURCE])
def test_evidence_is_kept_from_everybody(memory_type: str, trust: str) -> None:
    assert may_become(record(memory_type, trust), trust, EVIDENCE) is None


@pytest.mark.parametrize("trust", ["other_person", "assistant"])
def test_how_somebody_says_that_a_thing_is_done_is_evidence_and_no_skill(trust: str) -> None:
    assert may_become(record(PROCEDURAL, trust), trust, EVIDENCE) is None
    assert may_become(record(PROCEDURAL, trust), trust, "skill") is not None


@pytest.mark.parametrize("kind", [*WALLED, EVIDENCE])
def test_the_users_own_words_may_become_anything(kind: str) -> None:
    assert may_become(record(CORE, "user"), "user", kind) is None


def test_an_unknown_source_is_trusted_least() -> None:
    assert may_become(record(CORE, "elsewhere"), "user", EVIDENCE) is not None
    assert least_trusted(["user", "elsewhere", "tool"]) == "elsewhere"
    assert least_trusted([]) == "tool"


@pytest.mark.parametrize(
    ("speaker", "trust"),
    [("Maya", "user"), ("Tom", "other_person"), ("Assistant", "assistant"), ("Tool", "tool"), ("Page", "pasted")],
)
def test_trust_comes_from_who_spoke(speaker: str, trust: str) -> None:
    assert trust_of(turn(speaker, "Hello")) == trust
