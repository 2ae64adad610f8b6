"""The toy household: a fair world, made from a seed, and what skills are worth in it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skill_making import make

from hypermnesia.inspection.household import (
    BUDGET,
    CHANGED,
    OBJECTS,
    TASK_TYPES,
    UNSEEN_OBJECTS,
    UNSEEN_PLACES,
    TaskType,
    make_household,
)
from hypermnesia.inspection.household_agents import run_actor, run_novice
from hypermnesia.inspection.skill_evaluation import evaluate_skills, train
from hypermnesia.rules.skills.answers import has_failed

TYPES = st.sampled_from(TASK_TYPES)


@settings(max_examples=30)
@given(st.integers(0, 10_000), TYPES, st.booleans(), st.sampled_from(["", *sorted(CHANGED)]))
def test_the_same_seed_is_the_same_run(seed: int, kind: TaskType, is_unseen: bool, changed: str) -> None:
    def run() -> list[tuple[str, str]]:
        rng = random.Random(seed)
        house = make_household(rng, kind, is_unseen=is_unseen, is_changed=changed)
        return run_actor(house, rng)

    steps = run()
    assert steps == run() and 0 < len(steps) <= BUDGET


@settings(max_examples=30)
@given(st.integers(0, 10_000), TYPES)
def test_no_task_is_done_before_it_begins_and_things_are_never_lost(seed: int, kind: TaskType) -> None:
    house = make_household(random.Random(seed), kind, is_unseen=True)
    n_things = len(house.where)
    house.act("wait")
    assert not house.is_done
    run_novice(house, random.Random(seed), lambda _: None)
    assert len(house.where) + bool(house.held) == n_things


def test_unseen_tasks_have_things_and_places_that_training_never_has() -> None:
    trained = {session.task for session in train(0, 60, make)[0]}
    assert not any(thing in task.split() for thing in UNSEEN_OBJECTS for task in trained)
    goals = [make_household(random.Random(n), "put", is_unseen=True).task for n in range(60)]
    assert all(task.thing in UNSEEN_OBJECTS and task.thing not in OBJECTS for task in goals)
    assert 15 < sum(task.place in UNSEEN_PLACES for task in goals) < 45


def test_what_can_not_be_done_says_so() -> None:
    house = make_household(random.Random(4), "put")
    shut = next(place for place, is_shut in house.shut.items() if is_shut)
    away = next(place for place in house.rooms if place != shut)
    house.act(f"walk to {shut}")
    for action in ("fly", f"open {away}", f"lay cup 1 in {shut}", f"pick cup 9 from {shut}", f"close {shut}"):
        answer = house.act(action)
        assert answer.startswith("Nothing happens: ") and has_failed(answer)
    assert "is shut" in house.act(f"walk to {shut}") and not has_failed(house.act(f"open {shut}"))


def test_a_changed_word_is_not_known_any_more() -> None:
    house = make_household(random.Random(4), "put", is_changed="put")
    assert "nobody here knows" in house.act("lay cup 1 in shelf 1")
    assert "nobody here knows" not in house.act("stow cup 1 inside shelf 1")


@pytest.fixture(scope="module")
def figures() -> dict[str, dict[str, dict[str, float]]]:
    return evaluate_skills(make, seeds=(3,), n_tasks=60)


def test_skills_help_with_unseen_tasks_and_follow_a_changed_word(
    figures: dict[str, dict[str, dict[str, float]]],
) -> None:
    success = {variant: of_one["mean"] for variant, of_one in figures["success"].items()}
    assert success["none"] <= 0.20 and success["shortest_trace"] < 0.5
    assert success["skills"] >= 0.90 and success["changed_after"] >= 0.85
    assert success["changed_before"] < success["changed_after"]


def test_outcomes_citations_and_interference_are_reported(figures: dict[str, dict[str, float]]) -> None:
    assert figures["outcome"]["success_precision"] >= 0.95 and figures["outcome"]["failure_recall"] >= 0.9
    citations = figures["citations"]
    assert citations["resolved"] == citations["steps"] > 0 and citations["planted"] == 2000
    assert citations["accepted"] == 0
    assert set(figures["interference"]) == set(TASK_TYPES) and min(figures["interference"].values()) >= 0
