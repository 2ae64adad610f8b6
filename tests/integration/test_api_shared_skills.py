"""A skill of an agent that users share: `show` answers whom a search answers, and nobody else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from served_home import THINGS, Caller, open_home, run_of

from hypermnesia.api.http import USER_HEADER
from hypermnesia.api.reads import Reads
from hypermnesia.app import App
from hypermnesia.engine.progress import Progress
from hypermnesia.stages.ingest import ArchiveInput

TASK = "put a kettle in trunk"
MEMBERS, OTHERS = ("ann", "bob"), ("eve", "kitchen")  # one user has the shared agent's name


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    root: Path = tmp_path_factory.mktemp("shared")
    rows = [run_of(n, thing, user) for user in (*MEMBERS, "eve") for n, thing in enumerate(THINGS)]
    rows += [run_of(0, "lamp", "kitchen")]
    archive = root / "runs.jsonl"
    archive.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    app = open_home(root / "home", one_agent={"kitchen": list(MEMBERS)})
    app.backfill([ArchiveInput(archive)], Progress())
    app.run("learn", app.skills.stages, Progress(), datetime.now(UTC))
    return app


@pytest.fixture(scope="module")
def reads(app: App) -> Reads:
    return Reads(app)


def caller(reads: Reads, user: str) -> Caller:
    return Caller(reads, reads.keys.add(user)[1])


def found_by(reads: Reads, user: str) -> str | None:
    skill = caller(reads, user).get(f"/v1/skills?task={TASK}").json()["skill"]
    return skill and str(skill["skill_id"])


def shared_id(reads: Reads) -> str:
    skill_id = found_by(reads, "ann")
    assert skill_id is not None
    return skill_id


def test_show_answers_exactly_whom_find_answers(app: App, reads: Reads) -> None:
    shared = shared_id(reads)
    skills = set(app.lake.read("skills")["skill_id"].to_pylist())
    assert len(skills) == 2, "the shared agent's, and eve's own"
    for user in (*MEMBERS, *OTHERS):
        for skill_id in skills:
            status = caller(reads, user).get(f"/v1/show/{skill_id}").status_code
            assert status == (200 if found_by(reads, user) == skill_id else 404), (user, skill_id)
    assert found_by(reads, "bob") == shared and found_by(reads, "eve") in skills - {shared}
    assert found_by(reads, "kitchen") is None
    edits = caller(reads, "bob").get(f"/v1/show/{shared}").json()["edits"]
    assert edits and all(caller(reads, "bob").get(f"/v1/show/{e['edit_id']}").status_code == 200 for e in edits)
    assert {caller(reads, user).get(f"/v1/show/{e['edit_id']}").status_code for e in edits for user in OTHERS} == {404}


@pytest.mark.parametrize("user", OTHERS)
def test_a_shared_skill_of_others_is_answered_like_one_that_nobody_has(reads: Reads, user: str) -> None:
    named = {USER_HEADER: quote(user)}
    for asking in (caller(reads, user), Caller(reads, reads.keys.add(None)[1])):
        responses = [asking.get(f"/v1/show/{i}", headers=named) for i in (shared_id(reads), "skl_" + "0" * 32)]
        assert [response.status_code for response in responses] == [404, 404]
        assert responses[0].content == responses[1].content
        assert dict(responses[0].headers) == dict(responses[1].headers)


def test_a_member_sees_what_a_skill_quotes_and_no_other_members_message(app: App, reads: Reads) -> None:
    users = {
        row["message_id"]: row["user_id"]
        for row in app.lake.read("messages", columns=["message_id", "user_id"]).to_pylist()
    }
    quoted: dict[str, list[tuple[str, Any]]] = {}
    for user in MEMBERS:
        shown = caller(reads, user).get(f"/v1/show/{shared_id(reads)}").json()
        newest = max(shown["rows"], key=lambda row: row["version"])
        ids = [step["citation"]["action"]["message_id"] for step in newest["steps"]]
        said = [step["says"] for step in shown["from"]]
        assert said and all(one["is_found"] and one["quote"] for one in said)
        quoted[user] = [(users[i], one["message"]) for i, one in zip(ids, said, strict=True)]
        assert all((message is not None) == (owner == user) for owner, message in quoted[user])
    assert any(message is None for said in quoted.values() for _, message in said)
    assert any(message is not None for said in quoted.values() for _, message in said)


def test_a_use_of_a_shared_skill_is_no_namesakes(app: App, reads: Reads) -> None:
    use_id = app.skills.use(shared_id(reads), "task 7 of bob", "success", None, lambda _: None)
    assert caller(reads, "kitchen").get(f"/v1/show/{use_id}").status_code == 404
    own = app.skills.use(str(found_by(reads, "eve")), "task 8", "success", None, lambda _: None)
    assert caller(reads, "eve").get(f"/v1/show/{own}").status_code == 200
