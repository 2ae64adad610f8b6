"""The publish rule: what tells held-out sessions worse than before, by more than noise, is held."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from skill_making import fetch, learn, make, session

from hypermnesia.rules.skills.publishing import Told, is_worse, tell, worse_templates
from hypermnesia.rules.skills.sessions import TaskSession
from hypermnesia.rules.skills.verifying import Night, verify
from hypermnesia.rules.skills.versions import Skill

THINGS = ("cup", "plate", "spoon", "towel", "apple", "bottle", "brush", "pan", "egg", "jar")


def puts(prefix: str, n: int = 10) -> list[TaskSession]:
    return [fetch(f"{prefix}{i}", THINGS[i % 10], "box") for i in range(n)]


def failures(prefix: str, n: int = 10) -> list[TaskSession]:
    """Runs that take the thing and then loop."""
    found = []
    for i in range(n):
        thing = THINGS[i % 10]
        steps = [
            ("go to shelf 1", f"On the shelf 1, you see a {thing} 1."),
            (f"take {thing} 1 from shelf 1", f"You pick up the {thing} 1."),
            *[("look around", "You see nothing new.")] * 3,
        ]
        found.append(session(f"{prefix}{i}", f"Your task is to: put a {thing} in box.", steps))
    return found


def night(sessions: list[TaskSession], skills: list[Skill], held: tuple[Skill, ...] = ()) -> Night:
    return Night(sessions, [], skills, held, {}, {}, make, "agent")


def told(skills: list[Skill], sessions: list[TaskSession]) -> Told:
    distilled, _ = learn(sessions)
    return sum(tell(skills, sessions, distilled.outcomes, distilled.abstractions).values(), Told())


def test_a_right_skill_tells_failures_from_successes() -> None:
    _, curation = learn(puts("a"))
    right = told(list(curation.skills), [*puts("b"), *failures("c")])
    assert (right.n, right.n_told, right.n_failed, right.n_right) == (20, 10, 10, 20)
    assert told([], [*puts("b"), *failures("c")]).n_right == 10  # without a skill all are told to fail


def test_a_version_with_a_step_that_nobody_needs_is_worse_and_one_without_a_step_too() -> None:
    _, curation = learn(puts("a"))
    (skill,) = curation.skills
    sessions = [*puts("b"), *failures("c")]
    distilled, _ = learn(sessions)
    bogus = replace(skill, steps=(*skill.steps, replace(skill.steps[0], pattern=("dance", "{A}"))))
    lacking = replace(skill, steps=skill.steps[:2])
    tellings = [tell([one], sessions, distilled.outcomes, distilled.abstractions) for one in (skill, bogus, lacking)]
    triggers = list(skill.triggers)
    assert worse_templates(tellings[0], tellings[0], triggers) == []
    assert any("precision" in line for line in worse_templates(tellings[0], tellings[1], triggers))
    assert any("told rightly" in line for line in worse_templates(tellings[0], tellings[2], triggers))


def test_a_night_whose_version_tells_held_out_sessions_worse_holds_it() -> None:
    """A skill that is right is to lose its last step, by runs that were taken for successes without it."""
    _, curation = learn(puts("a"))
    (skill,) = curation.skills
    wrong = replace(skill, steps=(*skill.steps[:2], replace(skill.steps[2], pattern=("go", "to", "[sofa]"))), version=2)
    one = night([*puts("b"), *failures("c")], [skill])
    distilled, new = one.learn(one.sessions)
    assert all(status == "active" for _, status, *_ in verify(one, distilled, new).versions)
    fooled = night([*puts("b"), *failures("c")], [wrong])
    distilled, new = fooled.learn(fooled.sessions)
    published = verify(fooled, distilled, new)
    assert [status for _, status, *_ in published.versions] == ["active"]  # what is better is published
    held = verify(one, *one.learn(one.sessions), world="put 9/10 -> 1/10")
    assert all(edit.decision in ("defer", "covered", "not_worth") for edit in held.edits)


def test_a_held_version_has_had_its_number_and_the_same_is_not_held_twice() -> None:
    one = night(puts("a"), [])
    distilled, curation = one.learn(one.sessions)
    first = verify(one, distilled, curation, world="worse")
    (version,) = [skill for skill, *_ in first.versions]
    again = night(puts("a"), [], held=(version,))
    assert verify(again, *again.learn(again.sessions), world="worse").versions == ()
    ((published, status, *_),) = verify(again, *again.learn(again.sessions)).versions
    assert (published.version, status) == (2, "active")


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 40))
def test_worse_is_a_fall_and_never_a_rise(n_before: int, n_after: int, of: int) -> None:
    before, after = min(n_before, of), min(n_after, of)
    assert not (is_worse(before, of, after, of) and after >= before)
    assert not is_worse(before, of, after, 0) and not is_worse(before, 0, after, of)
    assert is_worse(of, of, 0, of) == (of >= 3)
