"""The curator: every experience in one decision, in any order, and versions that never change."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skill_making import TASKS, fetch, learn, make, read_sessions, session

from hypermnesia.archives.react_logs import ReactLogsReader
from hypermnesia.inspection.skill_evaluation import Learned, audit_citations, new_learner, train
from hypermnesia.rules.skills.curation import Curation
from hypermnesia.rules.skills.markdown import render_skill
from hypermnesia.rules.skills.sessions import TaskSession
from hypermnesia.rules.skills.versions import SkillUse, newest, roll_back, standing_of

THINGS = ("cup", "pen", "key", "jar", "fork")
RUNS, _, _ = train(11, 36, make)
DRIFTED, _, _ = train(11, 18, make, is_changed="put", night=1)


def decisions(result: Curation) -> list[tuple[str, int]]:
    return [(edit.decision, len(edit.experience_ids)) for edit in result.edits]


@settings(max_examples=15)
@given(st.lists(st.sampled_from(range(36)), unique=True, max_size=24), st.randoms())
def test_the_order_of_sessions_does_not_matter_and_nothing_disappears(chosen: list[int], rng: Random) -> None:
    sessions = [RUNS[n] for n in chosen]
    distilled, result = learn(sessions)
    rng.shuffle(sessions)
    assert learn(sessions)[1] == result
    placed = [i for edit in result.edits for i in edit.experience_ids]
    assert sorted(placed) == sorted(one.experience_id for one in distilled.experiences)
    assert len({edit.edit_id for edit in result.edits}) == len(result.edits)


@settings(max_examples=8)
@given(st.permutations(range(5)), st.integers(2, 9))
def test_a_version_never_changes_and_nights_add_up(order: list[int], size: int) -> None:
    learner = new_learner(make)
    frozen: dict[tuple[str, int], object] = {}
    for n in order:
        result = learner.night(RUNS[n * size % 36 : n * size % 36 + size])
        for skill in learner.skills:
            assert frozen.setdefault((skill.skill_id, skill.version), skill) == skill
        for skill in result.skills:
            assert skill.version == 1 or (skill.previous == skill.version - 1)
    assert len(frozen) == len(learner.skills)


def test_the_same_sessions_again_are_covered() -> None:
    learner = new_learner(make)
    learner.night(RUNS)
    before = list(learner.skills)
    result = learner.night(RUNS)
    assert learner.skills == before and {e.decision for e in result.edits} <= {"covered", "not_worth", "defer"}


def test_evidence_of_deferred_sessions_adds_up_over_nights() -> None:
    learner = new_learner(make)
    first = learner.night([fetch("a", "cup", "box")])
    assert decisions(first) == [("defer", 1)] and not learner.skills
    second = learner.night([fetch("b", "pen", "tray", source="stool 1")])
    assert decisions(second) == [("create", 2)]
    assert newest(learner.skills)[0].triggers == ("put {A} in {B}",)


def test_sessions_of_one_task_are_one_task() -> None:
    same = [session(name, "put a cup in box", _steps("cup", "box")) for name in "abc"]
    assert decisions(learn(same)[1]) == [("defer", 3)]


def _steps(thing: str, place: str) -> list[tuple[str, str | None]]:
    return [(step.action.text, step.answer) for step in fetch("x", thing, place).steps]


def _drifted() -> Learned:
    learner = new_learner(make)
    learner.night([fetch(f"a{n}", thing, "box", source=f"shelf {n}") for n, thing in enumerate(THINGS)])
    learner.night([fetch(f"b{n}", thing, "box", word="move") for n, thing in enumerate(THINGS[:2])])
    return learner


def test_a_dead_step_is_replaced_by_its_remedy_with_a_quote_and_stays_so() -> None:
    learner = _drifted()
    (skill,) = newest(learner.skills)
    assert skill.version == 2 and skill.steps[-1].pattern == ("move", "{A}", "to", "{B}")
    assert skill.steps[-1].citation.action.text.startswith("move ")
    assert ("put", "_", "in", "_") not in skill.signature
    learner.night([fetch("c", "jar", "box", word="move", source="stool 1")])
    assert newest(learner.skills)[0].steps[-1].pattern == ("move", "{A}", "to", "{B}")


def test_a_dead_step_without_a_remedy_retires_the_skill_and_old_successes_do_not_bring_it_back() -> None:
    learner = new_learner(make)
    learner.night([fetch(f"a{n}", thing, "box", source=f"shelf {n}") for n, thing in enumerate(THINGS)])
    failing = [[*_steps(thing, "box")[:-1], (f"put {thing} 1 in box 1", "Nothing happens.")] for thing in THINGS]
    result = learner.night([session(f"b{n}", f"put a {t} in box", failing[n]) for n, t in enumerate(THINGS)])
    assert [e.decision for e in result.edits if e.skill_id] == ["delete"]
    assert [skill.status for skill in newest(learner.skills)] == ["retired"] and learner.find(
        "put a cup in box"
    ) is None
    learner.night([])
    assert [skill.status for skill in newest(learner.skills)] == ["retired"]


def test_skills_follow_a_changed_word_of_the_household() -> None:
    learner = new_learner(make)
    learner.night(RUNS)
    learner.night(DRIFTED)
    steps = {step.pattern[0] for skill in newest(learner.skills) if skill.status == "active" for step in skill.steps}
    assert "stow" in steps and "lay" not in steps
    audit = audit_citations(learner, Random(1), 500)
    assert audit["resolved"] == audit["steps"] > 20 and audit["accepted"] == 0


def test_of_2000_planted_citations_none_is_accepted_and_every_true_one() -> None:
    learner = new_learner(make)
    learner.night(RUNS)
    audit = audit_citations(learner, Random(0), 2000)
    assert audit["planted"] == 2000 and audit["accepted"] == 0 and audit["resolved"] == audit["steps"] > 20


def test_k02_a_step_copies_its_command_and_names_its_message() -> None:
    def archive(name: str, folder: str, file: str) -> TaskSession:
        steps = [(f"tar -czf {file} {folder}", ""), (f"tar -tzf {file}", f"{folder}/\noutcome: success")]
        said = [("assistant", f"Summary: archived the {folder} folder with zip -r {file}")]
        return session(name, f"archive {folder} into {file}", steps, opening=name, after=said)

    one, two = archive("a", "data", "out.tgz"), archive("b", "logs", "old.tgz")
    _, result = learn([one, two])
    (skill,) = result.skills
    assert [step.pattern for step in skill.steps] == [("tar", "-czf", "{B}", "{A}"), ("tar", "-tzf", "{B}")]
    commands = {step.action.text: step.action.message_id for s in (one, two) for step in s.steps}
    for step in skill.steps:
        assert commands[step.citation.action.text] == step.citation.action.message_id
        assert step.citation.action.text in render_skill(skill)
    assert "zip -r" not in render_skill(skill)


def test_k03_a_failure_that_passes_is_no_rule() -> None:
    failed, works = ("ffprobe clip.mp4", "ffprobe: command not found"), ("ffprobe clip.mp4", "duration: 3 s")
    learner = new_learner(make)
    first = learner.night([session("a", "probe clip.mp4", [failed], at="2024-03-01T09:00:00")])
    assert [edit.decision for edit in first.edits] == ["defer"]  # one session is no negative rule
    second = learner.night([session("b", "probe clip.mp4", [works], at="2024-03-02T09:00:00")])
    assert ("not_worth", "works_elsewhere") in [(edit.decision, edit.reason) for edit in second.edits]
    assert {one.kind for one in learner.deferred.values()} == {"repeat"} and not learner.skills


def test_k03_what_to_avoid_takes_two_sessions_and_expires() -> None:
    def clumsy(name: str, thing: str) -> TaskSession:
        steps = _steps(thing, "box")
        steps.insert(3, (f"throw {thing} 1 at box 1", "Nothing happens."))
        return session(name, f"put a {thing} in box", steps, opening=name, at="2024-03-01T09:00:00")

    _, result = learn([clumsy("a", "cup"), fetch("b", "pen", "box")])
    assert [skill.avoid for skill in result.skills] == [()]

    # A failure with a success on the same things behind it is a remedy, so the avoided one stands alone.
    def drop(name: str, thing: str) -> TaskSession:
        return session(
            name,
            f"put a {thing} in box",
            [(f"drop {thing} 1 beside box 2", "Nothing happens."), *_steps(thing, "box")],
            opening=name,
            at="2024-03-01T09:00:00",
        )

    _, result = learn([drop("a", "cup"), drop("b", "pen")])
    (skill,) = result.skills
    (avoided,) = skill.avoid
    assert avoided.n_sessions == 2 and avoided.pattern[:2] == ("drop", "{A}")
    assert "drop {A}" in render_skill(skill, as_of="2024-04-01T00:00:00")
    assert "drop {A}" not in render_skill(skill, as_of="2024-09-01T00:00:00")


def test_k05_a_failing_skill_is_demoted_and_a_new_version_keeps_its_history() -> None:
    learner = new_learner(make)
    learner.night([fetch("a", "cup", "box"), fetch("b", "pen", "tray", source="stool 1")])
    (old,) = newest(learner.skills)
    uses = [SkillUse(old.skill_id, 1, f"s{n}", n < 2) for n in range(7)]
    assert standing_of(old, uses).is_demoted
    learner.night([session("c", "put two cup in box", _steps("cup", "box"), opening="c"), fetch("d", "key", "chest")])
    new = roll_back(learner.skills, old.skill_id, 1)
    standing = standing_of(new, uses)
    assert (standing.n_successes, standing.n_failures, standing.is_demoted) == (2, 5, True)
    assert new.previous == new.version - 1 and new.content == old.content
    again = [SkillUse(old.skill_id, new.version, f"t{n}", True) for n in range(3)]
    assert not standing_of(new, [*uses, *again]).is_demoted
    with pytest.raises(ValueError, match="no version 9"):
        roll_back(learner.skills, old.skill_id, 9)


def test_k06_a_one_off_task_is_no_skill_and_no_personal_value_is_copied() -> None:
    def rename(name: str, who: str) -> TaskSession:
        folder = f"/home/{who.lower()}/tax"
        steps = [
            (f"ls {folder}", "a.pdf"),
            (f"mv a.pdf {folder}", "moved"),
            (f"zip {folder} a.pdf", "outcome: success"),
        ]
        return session(name, f"Rename {who}'s 3 invoices in {folder}", steps, opening=name)

    assert not learn([rename("a", "Priya")])[1].skills
    _, result = learn([rename("a", "Priya"), rename("b", "Omar")])
    for skill in result.skills:
        told = " ".join([skill.name, *skill.triggers, *(step.text for step in skill.steps)]).lower()
        assert "priya" not in told and "omar" not in told and "/home" not in told
    assert [skill.triggers for skill in result.skills] == [("rename {A} 3 invoices in {B}",)]


def test_clicks_on_anything_are_no_skill_and_do_not_make_tasks_one() -> None:
    def buy(name: str, thing: str) -> TaskSession:
        steps = [(f"search[{thing} x]", "B1"), (f"click[{name}]", "page"), ("click[Buy Now]", "outcome: success")]
        return session(name, f"i need a {thing} now", steps, opening=name)

    _, result = learn([buy("a", "sofa"), buy("b", "lamp"), buy("c", "lamp")])
    assert not result.skills
    assert {edit.decision for edit in result.edits} == {"defer", "not_worth"}


def test_versions_are_frozen() -> None:
    _, result = learn([fetch("a", "cup", "box"), fetch("b", "pen", "tray", source="stool 1")])
    with pytest.raises(FrozenInstanceError):
        result.skills[0].version = 2  # type: ignore[misc]


@pytest.mark.skipif(not TASKS.exists(), reason="../shared/data/tasks is not present")
def test_skills_of_the_react_demonstrations() -> None:
    sessions = read_sessions(ReactLogsReader(), TASKS / "react/alfworld_3prompts.json")
    _, result = learn({(one.task, one.opening): one for one in sessions}.values())
    steps = {skill.triggers: [" ".join(step.pattern) for step in skill.steps] for skill in result.skills}
    assert steps["examine {A} with {B}", "look at {A} under {B}"] == [
        "go to [*]",
        "take {A} from [*]",
        "go to [*]",
        "use {B}",
    ]
    assert steps["heat {A} and put it in {B}", "put hot {A} in {B}"] == [
        "go to [*]",
        "take {A} from [*]",
        "go to [microwave]",
        "heat {A} with [microwave]",
        "go to {B}",
        "put {A} in/on {B}",
    ]
    assert ("put two {A} in {B}",) in steps and len(steps) == 6
    assert all(reaction.word == "closed" for skill in result.skills for reaction in skill.reactions)
