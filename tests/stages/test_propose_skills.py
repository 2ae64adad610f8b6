"""A model distils and curates: the rules' own answers give the rules' skills, and each fault its one row."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from skill_home import Row, SkillHome, household_rows, put_row, put_rows
from small_home import Silent

from hypermnesia.engine.commits import Committer, never_crash
from hypermnesia.engine.counts import Counts
from hypermnesia.engine.model_runs import InlineModelExecutor
from hypermnesia.engine.run import run_stage
from hypermnesia.engine.spool import FileSpool
from hypermnesia.ports import VersionDriftError
from hypermnesia.rules.skills.asking import SESSION, SKILL, SkillPrompts
from hypermnesia.rules.skills.markdown import render_skill
from hypermnesia.stages.distill_skills import DistillSkills
from hypermnesia.stages.propose_skills import ProposeSkills, SkillModel
from tests.fixtures.scripted_skills import (
    MODEL,
    PROMPTS,
    Answer,
    Fault,
    RulesAnswers,
    ScriptedSkills,
    edit_of,
    no_fault,
)

THINGS = ("cup", "plate", "spoon", "towel", "apple", "bottle", "brush", "pan", "jar", "egg")


class ModelHome(SkillHome):
    """A home whose nights ask a scripted model first."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.model = SkillModel(MODEL, PROMPTS)
        self.right = RulesAnswers()

    def distiller(self, **settings: int) -> DistillSkills:
        return DistillSkills(self.lake, self.identity, self._measure, model=self.model, **settings)

    def propose(
        self, fault: Fault = no_fault, crash: Any = never_crash, token_budget: int | None = None
    ) -> tuple[ScriptedSkills, Counts]:
        """Asks the model what a night asks."""
        distiller = self.distiller()
        for shard in distiller.plan_nights():
            self.right.add(distiller.open_night(shard).night)
        generator = ScriptedSkills(self.right, fault)
        night = (distiller.plan_nights, distiller.open_night, distiller.refuse)
        model = replace(self.model, token_budget=token_budget)
        stage = ProposeSkills(self.lake, self.identity, model, *night)
        self.n_runs += 1
        committer = Committer(self.lake, stage, f"run-{self.n_runs}", crash)
        executor = InlineModelExecutor(lambda: generator, lambda name: FileSpool(self.root / "spool" / name))
        try:
            report = run_stage(stage, committer, executor, Silent())
        finally:
            executor.close()
        report.counts.check(stage.name)
        return generator, report.counts

    def night(self, fault: Fault = no_fault) -> Counts:
        """The model's answers, then what is made of them."""
        self.propose(fault)
        return self.learn()

    def refused(self) -> Counter[str]:
        """How many rejects of each reason there are."""
        return Counter(row["reason"] for row in self.rows("rejects"))


@pytest.fixture
def home(tmp_path: Path) -> ModelHome:
    return ModelHome(tmp_path)


def learned(home: SkillHome) -> dict[str, list[Row]]:
    """All that skills are, without who judged, when, and how the replay of what was proposed went."""
    own = {"checked", "judge", "distiller_version", "run_id", "decided_at", "shard_id"}
    return {
        table: sorted(({k: v for k, v in row.items() if k not in own} for row in home.rows(table)), key=repr)
        for table in ("sessions", "experiences", "skills")
    }


def looked(name: str, thing: str) -> Row:
    """A run whose outcome no rule tells: it ends by looking."""
    row = put_row(name, thing, "box")
    row["steps"].append({"action": "look", "observation": f"The {thing} 1 is in the box 1 now."})
    return row


def looked_rows(n: int = 10) -> list[Row]:
    return [looked(f"looked-{i}", THINGS[i % len(THINGS)]) for i in range(n)]


def success(shown: str) -> Answer:
    """What a model should say of such a run."""
    line, quote = re.findall(r"^\[(\d+)\] answer: (.*)$", shown, re.M)[-1]
    patterns = ("go to [*]", "take {A} from [*]", "go to {B}", "put {A} in {B}")
    steps = [{"line": 3 + 2 * n, "pattern": pattern} for n, pattern in enumerate(patterns)]
    said = {"outcome": "success", "line": int(line), "quote": quote}
    return {**said, "steps": steps, "lessons": [], "features": []}


def all_succeed(prompt: str, shown: str, right: Answer) -> Answer:
    """The right answers about runs that end by looking."""
    if prompt == SESSION:
        return success(shown)
    patterns = ("go to [shelf]", "take {A} from [shelf]", "go to {B}", "put {A} in {B}")
    steps = [{"pattern": pattern, "cites": [1], "word": ""} for pattern in patterns]
    return {**edit_of("create"), "steps": steps}


def test_the_rules_own_answers_give_the_rules_skills_over_nights(tmp_path: Path) -> None:
    by_rules, by_model = SkillHome(tmp_path / "rules"), ModelHome(tmp_path / "model")
    for name, rows in (
        ("first", household_rows(60)),
        ("changed", household_rows(40, changed="put", day=2)),
        ("few", put_rows(6, day=3)),
    ):
        for home in (by_rules, by_model):
            home.add(rows, f"{name}.jsonl")
        by_rules.learn()
        counts = by_model.night()
        assert learned(by_model) == learned(by_rules)
        assert counts.measures["proposed.kept"] == counts.measures["proposed.all"] > 0
    assert by_model.rows("rejects") == []
    assert {row["judge"] for row in by_model.rows("skills")} == {"model"}
    assert any(row["version"] == 2 for row in by_model.rows("skills"))


def test_answers_are_kept_before_they_are_read_and_not_asked_for_again(home: ModelHome) -> None:
    home.add(household_rows(18))
    first, counts = home.propose()
    assert first.asked[SESSION] == 18 and first.asked[SKILL] > 0
    assert len(home.rows("answers")) == counts.n_out == sum(first.asked.values()) and not home.rows("sessions")
    again, _ = home.propose()
    assert not again.asked
    home.learn()
    done, _ = home.propose()
    assert not done.asked and home.learn().n_in == 0


@pytest.mark.parametrize("point", ["before answers", "after answers", "before commits"])
def test_a_kill_asks_nothing_twice(tmp_path: Path, point: str) -> None:
    whole, home = ModelHome(tmp_path / "whole"), ModelHome(tmp_path / "killed")
    for one in (whole, home):
        one.add(put_rows(6))
    whole.night()

    def crash(at: str) -> None:
        if at == point:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        home.propose(crash=crash)
    again, _ = home.propose()
    assert not again.asked
    home.learn()
    assert home.skill_digests() == whole.skill_digests()


def test_a_session_about_which_nobody_answered_waits_for_the_next_night(home: ModelHome) -> None:
    home.add(put_rows(8))
    down = iter(["engine_error"] * 2)
    counts = home.night(lambda prompt, shown, right: next(down, None) if prompt == SESSION else None)
    assert (counts.measures["sessions"], counts.measures["sessions_left"]) == (6, 2)
    home.add(
        put_rows(5, day=2, user="ann")[:0] + [put_row(f"more-{n}", "jar", "box", day=2) for n in range(3)], "b.jsonl"
    )
    asked, _ = home.propose()
    assert asked.asked[SESSION] == 5 and home.learn().measures["sessions"] == 5
    assert len({row["session_id"] for row in home.rows("sessions")}) == 11


def test_calls_that_nobody_answered_are_asked_again_every_night(home: ModelHome) -> None:
    home.add(put_rows(6))
    for _ in range(3):
        asked, counts = home.propose(lambda prompt, shown, right: "engine_error")
        assert asked.asked[SESSION] == counts.n_deferred == 6
        assert home.learn().n_in == 0 and home.rows("sessions") == []
    home.night()
    assert len(home.rows("sessions")) == 6 and list(home.versions()) == [("put {A} in {B}", 1, "active")]


def test_one_learner_holds_the_budget_and_the_next_nights_go_on(tmp_path: Path) -> None:
    whole, home = ModelHome(tmp_path / "whole"), ModelHome(tmp_path / "tight")
    for one in (whole, home):
        one.add(put_rows(30))
    n_tokens, n_calls = tokens_of(whole.propose()[1]), len(whole.rows("answers"))
    budget, n_nights = n_tokens // 4, 0
    while len(home.rows("sessions")) < 30:
        asked, counts = home.propose(token_budget=budget)
        used = tokens_of(counts)
        assert used <= budget + 2 * n_tokens // n_calls, "no more than one call beyond"
        assert sum(asked.asked.values()) == counts.n_out and counts.n_in == counts.n_out + counts.n_deferred
        if n_nights == 0:
            assert used >= budget * 3 // 4 and counts.reasons == {"token_budget": counts.n_deferred}
            assert counts.n_in == 31, "30 sessions, and the one kind of task"
        home.learn()
        n_nights += 1
        assert n_nights <= 10
    assert n_nights >= 4 and list(home.versions())[-1] == ("put {A} in {B}", 1, "active")


def tokens_of(counts: Counts) -> int:
    return counts.measures["tokens.in"] + counts.measures["tokens.out"]


def test_a_model_decides_what_rules_leave_unclear_with_a_quote_near_the_end(home: ModelHome) -> None:
    home.add(looked_rows())
    counts = home.night(all_succeed)
    assert counts.measures["sessions.success"] == 10 and home.refused() == {}
    for row in home.rows("sessions"):
        assert (row["outcome"], row["basis"]) == ("success", "model") and "is in the box 1 now" in row["quote"]["text"]
    assert list(home.versions()) == [("put {A} in {B}", 1, "active")]
    match = home.finder.find("ann", "put a kettle in trunk")
    assert match and [" ".join(p) for p in match.skill.core][-1] == "put {A} in {B}"


def test_the_rules_stand_before_the_model(home: ModelHome) -> None:
    home.add(put_rows(6))

    def failed(prompt: str, shown: str, right: Answer) -> Answer | None:
        return {**right, "outcome": "failure"} if prompt == SESSION else None

    home.night(failed)
    assert {(row["outcome"], row["basis"]) for row in home.rows("sessions")} == {("success", "environment")}


CUT = ('{"outcome":"success","line":12,"quote":"The c', "length")
SESSION_FAULTS: dict[str, tuple[Any, str]] = {
    "made-up quote": (lambda one: {**one, "quote": "Well done, the task is complete."}, "quote_not_found"),
    "another session's quote": (lambda one: {**one, "quote": "The anvil 1 is in the box 1 now."}, "quote_not_found"),
    "success without quote": (lambda one: {**one, "quote": "", "line": 0}, "no_quote"),
    "quote of the beginning": (lambda one: {**one, "quote": "You see", "line": 1}, "quote_too_early"),
    "quote of an action": (lambda one: {**one, "quote": "look", "line": one["line"] - 1}, "own_claim"),
    "truncated answer": (lambda one: CUT, "truncated"),
    "refusal": (lambda one: ("I'm sorry, I can't help with that.", "stop"), "refusal"),
}


@pytest.mark.parametrize("name", sorted(SESSION_FAULTS))
def test_a_faulty_answer_leaves_its_session_unclear_with_one_reject(home: ModelHome, name: str) -> None:
    spoil, reason = SESSION_FAULTS[name]
    home.add([*looked_rows(), looked("other", "anvil")])

    def fault(prompt: str, shown: str, right: Answer) -> Any:
        is_spoilt = prompt == SESSION and "put a cup in box" in shown
        return spoil(success(shown)) if is_spoilt else all_succeed(prompt, shown, right)

    counts = home.night(fault)
    (spoilt,) = (row for row in home.rows("sessions") if "cup" in row["task_text"])
    assert (spoilt["outcome"], spoilt["basis"], spoilt["quote"]) == ("unclear", "none", None)
    (row,) = home.rows("rejects")
    assert (row["reason"], row["subject_id"], row["user_id"]) == (reason, spoilt["session_id"], "ann")
    assert spoilt["session_id"] not in {one["session_id"] for one in home.rows("experiences")}
    assert counts.measures[f"refused.{reason}"] == 1 and counts.measures["sessions.success"] == 10


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ({"line": 5, "pattern": "clean {A} with [sink]"}, "other_step"),  # the line is another action
        ({"line": 4, "pattern": "take {A} from [shelf]"}, "no_such_action"),  # the line is an answer
        ({"line": 1999, "pattern": "take {A} from [shelf]"}, "no_such_action"),
    ],
)
def test_a_step_that_its_line_does_not_have_is_refused_alone(home: ModelHome, step: Answer, reason: str) -> None:
    home.add(looked_rows())

    def fault(prompt: str, shown: str, right: Answer) -> Answer:
        said = all_succeed(prompt, shown, right)
        if prompt == SESSION and "put a cup in box" in shown:
            said["steps"][1] = step
        return said

    home.night(fault)
    assert home.refused() == {reason: 1}
    (repeat,) = (one for one in home.rows("experiences") if "cup" in one["steps"][-1]["action"]["text"])
    assert [" ".join(s["pattern"]) for s in repeat["steps"]] == ["go to [*]", "go to {B}", "put {A} in {B}"]


@pytest.mark.parametrize(
    ("lesson", "reason"),
    [
        ({"kind": "avoid", "steps": [{"line": 9, "pattern": "put {A} in {B}"}], "word": ""}, "not_in_the_log"),
        ({"kind": "condition", "steps": [{"line": 3, "pattern": "go to [*]"}], "word": "closed"}, "not_in_the_log"),
        ({"kind": "avoid", "steps": [{"line": 2, "pattern": "put"}], "word": ""}, "no_such_action"),
        (
            {"kind": "remedy", "steps": [{"line": 3, "pattern": "go to [shelf]"}] * 2, "word": ""},
            "not_in_the_log",
        ),
    ],
)
def test_a_lesson_that_the_log_does_not_show_is_refused(home: ModelHome, lesson: Answer, reason: str) -> None:
    home.add(looked_rows())

    def fault(prompt: str, shown: str, right: Answer) -> Answer:
        said = all_succeed(prompt, shown, right)
        return {**said, "lessons": [lesson]} if prompt == SESSION and "put a cup" in shown else said

    home.night(fault)
    assert home.refused() == {reason: 1} and {e["kind"] for e in home.rows("experiences")} == {"repeat"}


def ends(name: str, thing: str, good: bool) -> Row:
    """A run that wipes the shelf or does not, and whose environment says how it ended."""
    row = put_row(name, thing, "box")
    row["steps"][3:3] = [
        {"action": "look", "observation": "The shelf is wiped." if "wiped" in name else "It is dusty."}
    ]
    return {**row, "outcome": "success" if good else "failure"}


@pytest.mark.parametrize(("n_bad", "is_check"), [(12, True), (3, False)])
def test_a_feature_counts_where_it_tells_successes_from_failures(home: ModelHome, n_bad: int, is_check: bool) -> None:
    rows = [ends(f"wiped-{n}", THINGS[n % 10], good=True) for n in range(12)]
    rows += [ends(f"dusty-{n}", THINGS[n % 10], good=n >= n_bad) for n in range(14)]

    def fault(prompt: str, shown: str, right: Answer) -> Answer | None:
        if prompt == SESSION and "The shelf is wiped." in shown:
            (line,) = re.findall(r"^\[(\d+)\] answer: The shelf is wiped", shown, re.MULTILINE)
            feature = {"name": "Wiped shelf ", "line": int(line), "quote": "shelf is wiped"}
            lie = {"name": "sang a song", "line": 2, "quote": "la la la"}
            return {**right, "features": [feature, feature, lie] if "cup" in shown else [feature]}
        return None

    home.add(rows)
    counts = home.night(fault)
    assert home.refused() == {"quote_not_found": 2}
    features = [one for one in home.rows("experiences") if one["kind"] == "feature"]
    assert len(features) == 12 and {one["quote"]["text"] for one in features} == {"shelf is wiped"}
    (row,) = home.rows("skills")
    found = home.finder.find("ann", "put a kettle in trunk")
    assert found is not None
    if not is_check:  # 12 of 12 and 11 of 14: no difference that luck would not make
        assert row["checks"] == [] and counts.reasons["defer.no_contrast_yet"] == 12
        return
    (check,) = row["checks"]
    figures = ("name", "is_good", "n_good_with", "n_with", "n_good_without", "n_without")
    assert [check[name] for name in figures] == ["wiped shelf", True, 12, 12, 2, 14]
    said = render_skill(found.skill)
    assert "- Make sure of: wiped shelf (with it 12 of 12 succeeded, without it 2 of 14)" in said
    (edit,) = (e for e in home.rows("skill_edits") if e["decision"] == "create")
    assert [c["new"] for c in edit["changes"] if c["part"] == "check"] == ["wiped shelf"]


def spoil_skill(change: Any) -> Fault:
    """Right answers about sessions, and a changed one about skills."""

    def fault(prompt: str, shown: str, right: Answer) -> Any:
        said = all_succeed(prompt, shown, right)
        return change(said) if prompt == SKILL else said

    return fault


def test_a_step_that_cites_a_foreign_experience_is_refused_and_the_rest_stands(home: ModelHome) -> None:
    home.add(looked_rows())

    def foreign(said: Answer) -> Answer:
        said["steps"][2]["cites"] = [17]
        return said

    home.night(spoil_skill(foreign))
    assert home.refused() == {"foreign_citation": 1}
    (row,) = home.rows("skills")
    said = [" ".join(step["pattern"]) for step in row["steps"]]
    assert said == ["go to [shelf]", "take {A} from [shelf]", "put {A} in {B}"] and row["status"] == "active"


def test_an_invented_step_and_a_word_that_separates_nothing_are_refused(home: ModelHome) -> None:
    home.add(looked_rows())

    def invented(said: Answer) -> Answer:
        said["steps"].insert(1, {"pattern": "open {B}", "cites": [1], "word": ""})
        said["steps"][0]["word"] = "closed"
        return said

    home.night(spoil_skill(invented))
    assert home.refused() == {"foreign_citation": 1, "no_contrast": 1}
    (row,) = home.rows("skills")
    assert len(row["steps"]) == 4 and not any(step["condition"] for step in row["steps"])


@pytest.mark.parametrize(
    ("said", "decision", "reason"),
    [
        (edit_of("modify", 7), "defer", "unknown_skill"),
        (edit_of("delete", 1), "defer", "unknown_skill"),
        (edit_of("covered", 1), "defer", "unknown_skill"),
        (CUT, "defer", "truncated"),
        (edit_of("defer"), "defer", None),
        (edit_of("not_worth"), "not_worth", None),
    ],
)
def test_an_edit_of_a_skill_that_there_is_not(home: ModelHome, said: Any, decision: str, reason: str | None) -> None:
    home.add(looked_rows())
    home.night(spoil_skill(lambda _: said))
    assert home.rows("skills") == [] and home.refused() == ({reason: 1} if reason else {})
    (edit,) = home.rows("skill_edits")
    assert edit["decision"] == decision and len(edit["experience_ids"]) == 10


def test_a_duplicate_create_is_covered(home: ModelHome) -> None:
    home.add(looked_rows())
    home.night(all_succeed)
    home.add([looked(f"again-{n}", thing) for n, thing in enumerate(THINGS)], "again.jsonl")
    counts = home.night(all_succeed)
    assert counts.reasons == {"covered": 10} and counts.n_merged == 10 and home.refused() == {}
    assert list(home.versions()) == [("put {A} in {B}", 1, "active")]


def test_a_skill_that_works_is_not_deleted_by_a_word(home: ModelHome) -> None:
    home.add(looked_rows())
    home.night(all_succeed)
    home.add([looked(f"again-{n}", thing) for n, thing in enumerate(THINGS)], "again.jsonl")
    home.night(spoil_skill(lambda _: edit_of("delete", 1)))
    assert home.refused() == {"still_works": 1} and list(home.versions()) == [("put {A} in {B}", 1, "active")]


def test_faults_at_a_fixed_rate_cost_themselves(home: ModelHome) -> None:
    home.add(looked_rows(40))
    names = sorted(SESSION_FAULTS)
    seen: Counter[str] = Counter()

    def fault(prompt: str, shown: str, right: Answer) -> Any:
        said = all_succeed(prompt, shown, right)
        number = int(re.findall(r"looked-(\d+)", shown)[0]) if prompt == SESSION else 1
        if number % 4:
            return said
        name = names[number // 4 % len(names)]
        seen[name] += 1
        return SESSION_FAULTS[name][0](said)

    counts = home.night(fault)
    wanted = Counter(SESSION_FAULTS[names[n // 4 % len(names)]][1] for n in range(0, 40, 4))
    assert home.refused() == wanted and set(seen) == set(names)
    assert (counts.measures["sessions.success"], counts.measures["sessions.unclear"]) == (30, 10)
    (row,) = home.rows("skills")
    assert row["status"] == "active" and row["n_successes"] == 30 and len(row["steps"]) == 4


def test_a_prompt_that_keeps_its_version_but_not_its_text_is_an_error(home: ModelHome) -> None:
    home.add(put_rows(6))
    home.propose()
    home.model = SkillModel(MODEL, SkillPrompts(replace(PROMPTS.session, text="Something else."), PROMPTS.skill))
    with pytest.raises(VersionDriftError, match="distill_skills calls itself version"):
        home.learn()
