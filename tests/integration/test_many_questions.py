"""A file of many questions is answered by several processes, as by one, in its order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from served_home import ANN, HOSTILE, KEY, build_home

from hypermnesia import home_questions
from hypermnesia.app import App
from hypermnesia.cli import main
from hypermnesia.cli.asking import has_many


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    return build_home(tmp_path_factory.mktemp("many"), extractor="verbatim")


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    users = [ANN, *HOSTILE, "nobody"]
    lines = [{"id": f"q{n}", "user": users[n * 7 % len(users)], "question": f"Who was in Rome {n}?"} for n in range(80)]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def ask(app: App, questions: Path, **env: str) -> list[dict[str, Any]]:
    arguments = ["ask", "--questions", str(questions), "--limit", "3", "--home", str(app.settings.home)]
    result = CliRunner().invoke(main, arguments, env={"HYPERMNESIA_LAKE_KEY": KEY} | env)
    assert result.exit_code == 0, result.output
    return [{**json.loads(line), "ms": 0} for line in result.stdout.splitlines()]


@pytest.mark.ray
def test_workers_answer_as_one_process_does(app: App, questions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home_questions, "FEW", 40)
    monkeypatch.setattr(home_questions, "WINDOW", 24)
    monkeypatch.setattr(home_questions, "PIECE", 5)
    alone = ask(app, questions, HYPERMNESIA_EXECUTOR="inline")
    assert [answer["id"] for answer in alone] == [f"q{n}" for n in range(80)]
    home_questions._opened.clear()
    assert ask(app, questions, HYPERMNESIA_EXECUTOR="ray", HYPERMNESIA_WORKERS="2") == alone
    assert not home_questions._opened  # nothing was asked in this process


@pytest.mark.ray
def test_what_cannot_be_asked_is_one_line_from_a_worker_too(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_questions, "FEW", 1)
    path = tmp_path / "questions.jsonl"
    path.write_text('{"user": "ann", "question": " "}\n' * 2)
    arguments = ["ask", "--questions", str(path), "--home", str(app.settings.home)]
    result = CliRunner().invoke(main, arguments, env={"HYPERMNESIA_LAKE_KEY": KEY, "HYPERMNESIA_WORKERS": "1"})
    assert (result.exit_code, result.stderr) == (1, "hypermnesia: the question is empty\n")


def test_few_questions_start_no_workers(questions: Path) -> None:
    assert not has_many(questions)
    questions.write_text("{}\n" * (home_questions.FEW + 1))
    assert has_many(questions)


def test_pieces_hold_one_users_questions_together_and_every_line_once() -> None:
    lines = [{"user": "ab"[n % 2], "question": str(n)} for n in range(3 * home_questions.PIECE)]
    pieces = list(home_questions._pieces(lines))
    assert sorted(place for piece in pieces for place, _ in piece) == list(range(len(lines)))
    assert [len({line["user"] for _, line in piece}) for piece in pieces] == [1, 2, 1]
