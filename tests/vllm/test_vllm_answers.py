"""`ask --answer` and judged answers by a small real model behind a server, from the command to the printed object.

A model of 135M knows nothing: what is asserted is the protocol. Answers cite rows of their evidence, retrievals are
bounded, a prompt that is too long loses rows, and what fails is counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("vllm", reason="vLLM is in an environment of its own: `make test-vllm`")

from engines import NAME, needs_model, server

from hypermnesia.cli import main
from hypermnesia.contracts.asking import MOST_EVIDENCE
from hypermnesia.ports import STATUSES
from hypermnesia.retrieval.answering import LOOP, MOST_RETRIEVALS
from hypermnesia.retrieval.judging import GIVEN, SYSTEMS

pytestmark = [pytest.mark.vllm, needs_model]

CHATS = Path(__file__).parents[1] / "fixtures" / "labelled_chats"
CHECKS = {"uncertain", "missing_number", "foreign_month", "count_mismatch", "intersection"}
N_QUESTIONS = 12  # every eighth of the file: of both users, and of most categories
VOTES = 2


def told(home: Path, *arguments: str | Path) -> list[dict[str, Any]]:
    """The JSON objects that a command prints."""
    env = {"HYPERMNESIA_LAKE_KEY": "a key for tests, of 16 bytes or more", "HYPERMNESIA_TRACKING": "off"}
    ran = CliRunner().invoke(main, [*map(str, arguments), "--home", str(home), "--json"], env=env)
    assert ran.exit_code == 0, ran.stderr[-2_000:]
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The labelled chats, each message a record."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "profile.yaml").write_text("executor: inline\nextractor: verbatim\n")
    told(folder / "memory", "backfill", CHATS / "chats.jsonl", "--config", folder / "profile.yaml")
    return folder / "memory"


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("profile") / "model.yaml"
    with server(max_model_len=1_024) as url:
        path.write_text(
            f"executor: inline\nmodel: {NAME}\ngenerator: openai\nanswer_tokens: 96\n"
            f"openai:\n  urls: [{url}]\n  slots: 8\n  open_s: 300\n"
        )
        yield path


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = (CHATS / "questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path_factory.mktemp("labels") / "questions.jsonl"
    path.write_text("".join(lines[3::8][:N_QUESTIONS]), encoding="utf-8")
    return path


def check(found: dict[str, Any]) -> None:
    answer, ids = found["answer"], {row["row_id"] for row in found["rows"]}
    assert set(answer["citations"]) <= ids and len(found["rows"]) <= MOST_EVIDENCE
    assert 1 <= answer["retrievals"] <= MOST_RETRIEVALS and len(answer["searches"]) <= answer["retrievals"]
    assert answer["status"] in {*GIVEN, LOOP, *STATUSES} - {"engine_error"}
    assert (answer["text"] is not None) == (answer["status"] == "answered")
    assert answer["status"] != "answered" or (answer["citations"] and answer["agreed"] >= 1)
    assert set(answer["checks"]) <= CHECKS and answer["shown"] <= len(found["rows"]) and answer["agreed"] <= VOTES
    assert answer["n_tokens_out"] > 0 or answer["failed_calls"] > 0


def test_answers_cite_their_evidence_within_five_retrievals(home: Path, profile: Path, labels: Path) -> None:
    asked = ("ask", "--questions", labels, "--answer", "--votes", VOTES, "--config", profile)
    found = told(home, *map(str, asked))
    assert len(found) == N_QUESTIONS
    for one in found:
        check(one)
    statuses = Counter(one["answer"]["status"] for one in found)
    print(statuses, Counter(check for one in found for check in one["answer"]["checks"]))
    assert sum(statuses[status] for status in (*GIVEN, LOOP)) > 0, "some answer could be read"


def test_evidence_that_the_context_does_not_take_is_cut_and_nothing_fails(home: Path, profile: Path) -> None:
    asked = ("ask", "nadia", "Where does Theo work now?", "--limit", "60", "--answer", "--votes", str(VOTES))
    (found,) = told(home, *asked, "--config", profile)
    check(found)
    assert len(found["rows"]) == MOST_EVIDENCE and 1 <= found["answer"]["shown"] < MOST_EVIDENCE
    assert found["answer"]["failed_calls"] >= VOTES and found["answer"]["status"] != "context_overflow"


def test_judged_answers_count_every_question_once(home: Path, profile: Path, labels: Path) -> None:
    asked = ("evaluate", "questions", labels, "--answers", "--votes", VOTES, "--limit", 6, "--config", profile)
    (evaluation,) = told(home, *map(str, asked))
    found = evaluation["answers"]
    n = found["n_questions"] + found["n_unanswerable"]
    assert n + found["n_left_out"] == N_QUESTIONS and found["n_left_out"] > 0
    for system in SYSTEMS:
        assert sum(found["counts"][system]["status"].values()) == len(found["outcomes"][system]) == n
        assert sum(found["counts"][system]["judged_by"].values()) == n
        assert all(one["right"] in (True, False, None) for one in found["outcomes"][system])
        assert all(
            0 <= value <= 1
            for name, value in found["systems"][system]["all"].items()
            if name[0] != "n" and name != "retrievals"
        )
