"""Outcomes: which rule decides, on what basis, with which quote; and how right they are where labels are hidden."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from skill_making import TASKS, fetch, read_sessions, session

from hypermnesia.archives.openai_messages import OpenaiMessagesReader
from hypermnesia.archives.react_logs import ReactLogsReader
from hypermnesia.archives.task_sessions import TaskSessionsReader
from hypermnesia.archives.webshop_logs import WebshopLogsReader
from hypermnesia.rules.skills.abstraction import abstract, read_lexicon
from hypermnesia.rules.skills.outcomes import Outcome, budget_of, judge
from hypermnesia.rules.skills.sessions import TaskSession, resolve

TASK = "put a cup in box"
GO = ("go to box 1", "You see nothing.")
PAGE = (
    "[Back to Search] \n[< Prev] \ncolor [red][blue]\nsize [small][large]\nSoft cotton shirt for men \n"
    "Price: $9.98 \nRating: N.A. \n[Buy Now]"
)
SHOP = "i need a soft cotton shirt in red, size large, and price lower than 20.00 dollars"


def outcomes(sessions: list[TaskSession]) -> dict[str, Outcome]:
    lexicon, budget = read_lexicon(sessions), budget_of(sessions)
    found = {one.session_id: judge(one, abstract(one, lexicon), budget) for one in sessions}
    for one in sessions:
        outcome = found[one.session_id]
        assert (outcome.quote is None) == (outcome.verdict == "unclear")
        assert outcome.quote is None or resolve(one, outcome.quote) == outcome.quote.text
    return found


def only(one: TaskSession) -> tuple[str, str, str]:
    (outcome,) = outcomes([one]).values()
    return outcome.verdict, outcome.basis, outcome.quote.text if outcome.quote else ""


@pytest.mark.parametrize(
    ("answer", "verdict", "words"),
    [
        ("Episode finished, reward = 1", "success", "reward = 1"),
        ("Episode finished, reward = 0", "failure", "reward = 0"),
        ("Answer is INCORRECT", "failure", "Answer is INCORRECT"),
        ("Answer is CORRECT", "success", "Answer is CORRECT"),
        ("exit code: 0", "success", "exit code: 0"),
        ("exit code: 2", "failure", "exit code: 2"),
        ("=== 3 failed, 4 passed in 2s", "failure", "3 failed"),
        ("===== 4 passed in 2s", "success", "===== 4 passed"),
        ("outcome: failure", "failure", "outcome: failure"),
    ],
)
def test_the_environments_own_word_decides(answer: str, verdict: str, words: str) -> None:
    assert only(session("c", TASK, [GO, ("look", answer)])) == (verdict, "environment", words)


@pytest.mark.parametrize("outcome", ["success", "failure"])
def test_the_outcome_of_the_generic_form_is_the_environments_word(tmp_path: Path, outcome: str) -> None:
    step = {"action": "go to box 1", "observation": "You see a cup 1."}
    row = {"id": "r", "user": "ann", "task": TASK, "steps": [step], "outcome": outcome}
    (tmp_path / "runs.jsonl").write_text(json.dumps(row) + "\n")
    (one,) = read_sessions(TaskSessionsReader(), tmp_path / "runs.jsonl")
    assert only(one) == (outcome, "environment", f"outcome: {outcome}")


def test_what_the_assistant_says_of_itself_is_never_a_basis() -> None:
    claim = [("assistant", "I have successfully put the cup in the box. Task completed! It works now.")]
    assert only(session("c", TASK, [GO], after=claim)) == ("unclear", "none", "")
    assert only(session("c", TASK, [("finish[cup in box]", None)])) == ("unclear", "none", "")


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("That worked, great", "success"),
        ("it works now", "success"),
        ("No, that's wrong", "failure"),
        ("it still doesn't work", "failure"),
        ("Thanks a lot!", "unclear"),
        ("ok bye", "unclear"),
    ],
)
def test_a_persons_explicit_word_counts_and_thanks_do_not(words: str, verdict: str) -> None:
    assert only(session("c", TASK, [GO], after=[("assistant", "Done."), ("user", words)]))[0] == verdict


def test_a_run_that_the_environment_stops_after_an_act_on_the_tasks_things() -> None:
    assert only(fetch("c", "cup", "box")) == ("success", "environment", "You put the cup 1 there.")


def test_a_run_that_ends_in_a_loop_or_with_a_failure() -> None:
    assert only(session("c", TASK, [GO] * 3))[:2] == ("failure", "loop")
    assert only(session("c", TASK, [GO, ("take cup 1 from box 1", "Nothing happens.")]))[:2] == (
        "failure",
        "environment",
    )


def test_runs_as_long_as_the_longest_ones_are_out_of_budget() -> None:
    long = [session(f"l{n}", TASK, [(f"go to box {i}", "You see a cup 1.") for i in range(12)]) for n in range(3)]
    short = [fetch(f"s{n}", "cup", "box") for n in range(3)]
    found = outcomes(long + short)
    assert {found[one.session_id].basis for one in long} == {"budget"}
    assert {found[one.session_id].verdict for one in short} == {"success"}
    assert budget_of(long) is None and budget_of(short) is None


@pytest.mark.parametrize(
    ("clicks", "verdict"),
    [
        (["click[red]", "click[large]", "click[Buy Now]"], "success"),
        (["click[red]", "click[small]", "click[Buy Now]"], "failure"),  # large is named
        (["click[blue]", "click[large]", "click[Buy Now]"], "failure"),
        (["click[red]", "click[large]"], "failure"),  # nothing was bought
    ],
)
def test_a_purchase_is_checked_against_the_request(clicks: list[str], verdict: str) -> None:
    steps = [("click[B01]", PAGE), *((click, f"You have clicked {click[6:-1]}.") for click in clicks)]
    steps = [(action, "" if "Buy" in action else answer) for action, answer in steps]
    assert only(session("c", SHOP, steps))[:2] == (verdict, "goal_check")


def test_a_purchase_above_the_budget_has_failed() -> None:
    page = PAGE.replace("$9.98", "$29.98")
    steps = [("click[B01]", page), ("click[red]", "ok"), ("click[large]", "ok"), ("click[Buy Now]", "")]
    assert only(session("c", SHOP, steps)) == ("failure", "goal_check", "Price: $29.98")


@pytest.mark.skipif(not TASKS.exists(), reason="../shared/data/tasks is not present")
def test_webshop_runs_with_hidden_scores() -> None:
    path = TASKS / "webshop-runs/runs.jsonl"
    scores = {row["id"]: row["score"] == 1 for row in map(json.loads, path.open())}
    sessions = read_sessions(WebshopLogsReader(), path)
    found = outcomes(sessions)
    counts = Counter((found[s.session_id].verdict, scores[s.messages[0].conversation_id]) for s in sessions)
    failed, succeeded = (counts[v, True] + counts[v, False] for v in ("failure", "success"))
    assert counts["failure", False] >= 0.83 * failed and failed >= 60
    assert counts["success", True] >= 0.60 * succeeded and succeeded >= 40


@pytest.mark.skipif(not TASKS.exists(), reason="../shared/data/tasks is not present")
def test_tau_airline_is_never_a_success_by_the_assistants_claim() -> None:
    sessions = read_sessions(OpenaiMessagesReader(), TASKS / "tau-airline/runs.jsonl")
    assert len(sessions) > 50
    for one, outcome in zip(sessions, outcomes(sessions).values(), strict=True):
        said_by = {m.message_id: m.role for m in one.messages}
        assert outcome.quote is None or said_by[outcome.quote.message_id] != "assistant"
    assert {outcome.verdict for outcome in outcomes(sessions).values()} == {"unclear"}


@pytest.mark.skipif(not TASKS.exists(), reason="../shared/data/tasks is not present")
def test_the_react_demonstrations_in_a_text_world_are_successes() -> None:
    sessions = read_sessions(ReactLogsReader(), TASKS / "react/alfworld_3prompts.json")
    assert len(sessions) == 36
    assert {(o.verdict, o.basis) for o in outcomes(sessions).values()} == {("success", "environment")}
