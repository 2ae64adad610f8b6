"""Reading: the exact template first, then the nearest above a floor with the same number words, else none."""

from __future__ import annotations

import pytest
import yaml
from skill_making import fetch, learn, make

from hypermnesia.inspection.skill_evaluation import new_learner, train
from hypermnesia.rules.skills.markdown import render_skill
from hypermnesia.rules.skills.matching import find_skill
from hypermnesia.rules.skills.versions import newest, retire

LEARNER = new_learner(make)
LEARNER.night(train(3, 60, make)[0])
SKILLS = newest(LEARNER.skills)


def found(task: str) -> tuple[str, str, dict[str, str]] | None:
    match = find_skill(task, SKILLS)
    return None if match is None else (match.how, match.skill.steps[-1].pattern[0], dict(match.bindings))


@pytest.mark.parametrize("task", ["put a clean ladle in the rack.", "wash some ladle and put it in the rack"])
def test_an_exact_template_binds_nouns_that_were_never_seen(task: str) -> None:
    assert found(task) == ("exact", "lay", {"A": "ladle", "B": "rack"})
    match = find_skill(task, SKILLS)
    assert match is not None and any(step.pattern[0] == "wash" for step in match.skill.steps)


def test_number_words_must_be_the_same() -> None:
    two = find_skill("find two ladle and put them in the rack", SKILLS)
    assert two is not None and any("{A2}" in step.pattern for step in two.skill.steps)
    assert find_skill("put three ladle in the rack", SKILLS) is None
    one = find_skill("find a ladle and put it in the rack", SKILLS)
    assert one is not None and one.how == "near" and not any("{A2}" in step.pattern for step in one.skill.steps)


@pytest.mark.parametrize("task", ["put a sliced ladle in the rack", "polish the ladle", "book a flight", "", "put"])
def test_no_skill_is_better_than_a_wrong_one(task: str) -> None:
    assert find_skill(task, SKILLS) is None


def test_retired_and_demoted_skills_are_not_shown() -> None:
    match = find_skill("put a cup in the box", SKILLS)
    assert match is not None
    others = [skill for skill in SKILLS if skill is not match.skill]
    assert find_skill("put a cup in the box", [*others, retire(match.skill)]) is None
    assert find_skill("put a cup in the box", SKILLS, demoted={match.skill.skill_id}) is None


def test_markdown_has_front_matter_steps_conditions_and_citations() -> None:
    _, result = learn([fetch("a", "cup", "box"), fetch("b", "pen", "tray", source="stool 1")])
    text = render_skill(result.skills[0], {"A": "jar", "B": "chest"})
    _, front, body = text.split("---\n")
    fields = yaml.safe_load(front)
    assert fields["version"] == 1 and fields["triggers"] == ["put {A} in {B}"] and fields["status"] == "active"
    assert "`take jar from [*]`" in body and "`put jar in chest`" in body
    for n, step in enumerate(result.skills[0].steps, start=1):
        assert f"[^{n}]: `{step.citation.action.text}` ({step.citation.action.message_id} 0-" in body


def test_markdown_says_what_to_do_wherever_a_word_says_so() -> None:
    text = "".join(render_skill(skill) for skill in SKILLS)
    assert '- If the answer to `walk to _` says "shut": `open [*]`' in text
