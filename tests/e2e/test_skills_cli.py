"""The commands of skills over a small home: learn by night, find, look, take back, and say how it went."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fastapi.testclient import TestClient

from hypermnesia.api.http import make_api
from hypermnesia.api.reads import Reads
from hypermnesia.app import App
from hypermnesia.cli import main
from hypermnesia.demo import TASKS
from hypermnesia.settings import load

ENV = {"HYPERMNESIA_EXECUTOR": "inline", "HYPERMNESIA_EXTRACTOR": "verbatim"}
TASK = "Your task is to: put a clean kettle in the locker."


def run(*arguments: str | Path, home: Path) -> Result:
    return CliRunner().invoke(main, ["--home", str(home), *map(str, arguments)], env=ENV)


def told(*arguments: str | Path, home: Path) -> Any:
    result = run(*arguments, "--json", home=home)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("skills") / "home"
    told("backfill", TASKS, home=folder)
    waiting = told("skills", "list", "robot", home=folder)
    assert waiting["skills"] == [] and waiting["waiting"][0]["n_sessions"] >= 5
    night = told("nightly", home=folder)["stages"]["distill_skills"]
    assert night["n_in"] == night["n_out"] + night["n_merged"] + night["n_deferred"] > 0
    return folder


def clean_skill(home: Path) -> str:
    found = told("skills", "list", "robot", home=home)["skills"]
    return next(one["skill_id"] for one in found if "clean" in one["name"])


def test_a_task_finds_its_skill_and_another_finds_none(home: Path) -> None:
    found = told("skills", "find", "robot", TASK, home=home)["skill"]
    assert found["how"] == "exact" and found["bindings"] == {"A": "kettle", "B": "locker"}
    assert found["markdown"].startswith("---\nname: ") and "`lay kettle in locker`" in found["markdown"]
    assert told("skills", "find", "robot", "sing a song", home=home)["skill"] is None
    assert told("skills", "find", "maya", TASK, home=home)["skill"] is None
    assert run("skills", "find", "robot", TASK, home=home).stdout == found["markdown"]


def test_the_api_gives_the_skill_that_the_command_gives(home: Path) -> None:
    reads = Reads(App(load(home=home, executor="inline", extractor="verbatim"), makes_home=False))
    client = TestClient(make_api(reads), headers={"Authorization": f"Bearer {reads.keys.add('robot')[1]}"})
    for task in (TASK, "sing a song"):
        assert client.get("/v1/skills", params={"task": task}).json() == told(
            "skills", "find", "robot", task, home=home
        )
    assert client.get("/v1/skills", params={"task": TASK, "agent": "nobody"}).json()["skill"] is None
    other = TestClient(make_api(reads), headers={"Authorization": f"Bearer {reads.keys.add('maya')[1]}"})
    assert other.get("/v1/skills", params={"task": TASK}).json()["skill"] is None


def test_show_walks_from_a_step_to_its_message(home: Path) -> None:
    skill_id = clean_skill(home)
    step = told("show", skill_id, home=home)["from"][0]
    assert step["says"]["is_found"] and step["says"]["message"]["kind"] == "tool_call"
    edit = told("show", step["edit_id"], home=home)
    assert step["step"] in [change["new"] for change in edit["changes"]]
    assert {change["verdict"] for change in edit["changes"] if change["part"] == "step"} == {"ok"}
    experience = told("show", step["experience_id"], home=home)
    assert step["edit_id"] in [one["edit_id"] for one in experience["edits"]]
    assert step["says"]["quote"] in [said["quote"] for said in experience["says"]]
    session = told("show", step["session_id"], home=home)
    assert step["experience_id"] in [one["experience_id"] for one in session["experiences"]]
    assert session["says"]["is_found"]
    assert told("show", step["says"]["message"]["message_id"], home=home)["table"] == "messages"


def test_uses_come_back_and_demote(home: Path) -> None:
    skill_id = clean_skill(home)
    for n in range(4):
        told("skills", "use", skill_id, "--session", f"s{n}", "--outcome", "failure", home=home)
    one = next(o for o in told("skills", "list", "robot", home=home)["skills"] if o["skill_id"] == skill_id)
    assert one["status"] == "demoted" and one["uses"] == {"success": 0, "failure": 4}
    found = told("skills", "find", "robot", TASK, home=home)["skill"]
    assert found is None or found["skill_id"] != skill_id
    for n in range(9):
        told("skills", "use", skill_id, "--session", f"good{n}", "--outcome", "success", home=home)
    assert told("skills", "find", "robot", TASK, home=home)["skill"]["skill_id"] == skill_id


def test_retire_undo_and_diff(home: Path) -> None:
    skill_id = clean_skill(home)
    assert told("skills", "retire", skill_id, "--reason", "not ours", home=home)["version"] == 2
    assert told("skills", "find", "robot", TASK, home=home)["skill"] is None
    diff = told("skills", "diff", skill_id, home=home)
    assert "-status: active" in diff["diff"] and "+status: withdrawn" in diff["diff"]
    assert told("skills", "undo", skill_id, "--reason", "it is", home=home)["version"] == 3
    assert told("skills", "find", "robot", TASK, home=home)["skill"]["version"] == 3
    shown = told("skills", "show", skill_id, home=home)
    assert [row["status"] for row in shown["versions"]] == ["active", "withdrawn", "active"]
    assert "not ours" in run("skills", "show", skill_id, home=home).stdout


def test_errors_are_one_line(home: Path) -> None:
    assert run("skills", "undo", "--reason", "x", home=home).exit_code == 2
    unknown = [("skills", "show", "skl_0"), ("skills", "undo", "skl_0", "--reason", "x"), ("show", "exp_0")]
    for words in [*unknown, ("skills", "undo", "--run", "no", "--reason", "x")]:
        result = run(*words, home=home)
        assert result.exit_code == 1 and len(result.stderr.splitlines()) == 1


def test_evaluate_skills(home: Path) -> None:
    found = told("evaluate", "skills", "--seeds", "4", home=home)
    success = {name: one["mean"] for name, one in found["success"].items()}
    assert success["none"] <= 0.2 and success["skills"] >= 0.9 and success["changed_after"] >= 0.85
    assert found["citations"]["resolved"] == found["citations"]["steps"] and found["citations"]["accepted"] == 0
    assert run("evaluate", "skills", "--seeds", "x", home=home).exit_code == 2


def put_run(name: str, thing: str, steps: int, outcome: str) -> dict[str, Any]:
    """A run that puts a thing into a box, or ends before it, and what its environment says of it."""
    said = [
        ("go to shelf 1", f"On the shelf 1, you see a {thing} 1."),
        (f"take {thing} 1 from shelf 1", f"You pick up the {thing} 1."),
        ("go to box 1", "On the box 1, you see nothing."),
        (f"put {thing} 1 in box 1", f"You put the {thing} 1 there."),
    ]
    shown = [{"action": action, "observation": observation} for action, observation in said[:steps]]
    task = f"Your task is to: put a {thing} in box."
    named = {"id": name, "user": "ann", "agent": "robot", "task": task, "opening": f"Room {name}."}
    return {**named, "steps": shown, "outcome": outcome}


def test_a_version_that_tells_held_out_sessions_worse_is_not_published(tmp_path: Path) -> None:
    """An environment that calls unfinished runs successes would cost the skill its last step; the failures say no."""
    things = ("cup", "plate", "spoon", "towel", "apple", "bottle", "brush", "pan")
    home, task = tmp_path / "home", "put a kettle in trunk"

    def night(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        told("backfill", tmp_path / name, home=home)
        return dict(told("nightly", home=home)["stages"]["distill_skills"])

    night("right.jsonl", [put_run(f"right-{n}", things[n % 8], 4, "success") for n in range(8)])
    before = told("skills", "find", "ann", task, home=home)
    assert "`put kettle in trunk`" in before["skill"]["markdown"]
    misled = [put_run(f"early-{n}", things[n % 8], 2, "success") for n in range(13)]
    failed = [put_run(f"failed-{n}", things[n % 8], 2, "failure") for n in range(40)]
    counts = night("misled.jsonl", [*misled, *failed])
    assert counts["n_deferred"] > 0
    after = told("skills", "find", "ann", task, home=home)
    assert after["skill"]["version"] == 1 and after == before
    versions = told("skills", "show", before["skill"]["skill_id"], home=home)["versions"]
    assert [row["status"] for row in versions] == ["active", "held"]
    assert "held-out sessions are told worse: put {A} in {B}: told rightly" in versions[1]["reason"]


def test_a_skill_that_fails_in_use_is_deleted_by_night_and_comes_back_by_undo(tmp_path: Path) -> None:
    home, task = tmp_path / "home", "put a kettle in trunk"
    rows = [
        put_run(f"right-{n}", thing, 4, "success") for n, thing in enumerate(("cup", "plate", "spoon", "egg", "jar"))
    ]
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    told("backfill", tmp_path / "runs.jsonl", home=home)
    told("nightly", home=home)
    skill_id = told("skills", "find", "ann", task, home=home)["skill"]["skill_id"]
    for n in range(3):
        told("skills", "use", skill_id, "--session", f"s{n}", "--outcome", "failure", home=home)
    told("nightly", home=home)
    shown = told("skills", "show", skill_id, home=home)
    assert [(row["version"], row["status"]) for row in shown["versions"]] == [(1, "active"), (2, "retired")]
    (deleted,) = (edit for edit in shown["edits"] if edit["decision"] == "delete")
    assert deleted["reason"] == "failed_in_use: 3 of 3 uses of version 1"
    assert told("nightly", home=home)["stages"]["distill_skills"]["n_in"] == 0
    assert told("skills", "undo", skill_id, "--reason", "the tests were wrong", home=home)["version"] == 3
    told("nightly", home=home)
    assert told("skills", "show", skill_id, home=home)["versions"][-1]["status"] == "active"
    for n in range(4):
        told("skills", "use", skill_id, "--session", f"t{n}", "--outcome", "success", home=home)
    assert told("skills", "find", "ann", task, home=home)["skill"]["version"] == 3
