"""`ask --answer` and `evaluate --answers` through an OpenAI-compatible endpoint on loopback: evidence, an answer, the
rows that it cites, and what a judge says of it.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from served_home import KEY, open_home

from hypermnesia.cli import main
from hypermnesia.engine.progress import Progress
from hypermnesia.stages.ingest import ArchiveInput

SAID = ["I live in Oslo.", "Maya showed me the fjord.", "The bus was late again."]


class Endpoint(BaseHTTPRequestHandler):
    """Answers with the place of the first row that says where somebody lives, else that it does not know.

    As a judge it takes an answer for right whose words are in the reference.
    """

    asked: list[dict[str, Any]] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self._send({"data": [{"id": "small"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        content = body["messages"][1]["content"]
        if judged := re.search("<reference>(.*)</reference>\n<answer>(.*)</answer>", content):
            self._give({"why": "so", "right": judged[2] in judged[1]})
            return
        row = re.search(r"\[(\d+)\].*: I live in (\w+)", content)
        answer = {"answer": row[2] if row else "", "cites": [int(row[1])] if row else [], "items": [], "count": 0,
                  "unsure": row is None, "search": ""}  # fmt: skip
        self._give(answer)

    def _give(self, answer: dict[str, Any]) -> None:
        choice = {"message": {"content": json.dumps(answer)}, "finish_reason": "stop"}
        self._send({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})

    def _send(self, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        return None


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("answered")
    lines = [
        {"user": "ann", "conversation": "c", "id": str(n), "speaker": "Ann", "text": t} for n, t in enumerate(SAID)
    ]
    (root / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    open_home(root / "home", extractor="verbatim").backfill([ArchiveInput(root / "a.jsonl")], Progress())
    return root / "home"


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    path = tmp_path_factory.mktemp("profile") / "model.yaml"
    url = f"http://127.0.0.1:{server.server_port}/v1"
    path.write_text(f"model: small\ngenerator: openai\nopenai:\n  urls: [{url}]\n")
    yield path
    server.shutdown()
    thread.join()
    server.server_close()


def ask(home: Path, *words: str | Path) -> Result:
    return run(home, "ask", *words)


def run(home: Path, *words: str | Path) -> Result:
    env = {"HYPERMNESIA_LAKE_KEY": KEY, "HYPERMNESIA_TRACKING": "off"}
    return CliRunner().invoke(main, [*map(str, words), "--home", str(home)], env=env)


def test_an_answer_cites_its_row(home: Path, profile: Path) -> None:
    result = ask(home, "ann", "Where does Ann live?", "--answer", "--json", "--config", profile)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    (cited,) = found["answer"]["citations"]
    assert [row["text"] for row in found["rows"] if row["row_id"] == cited] == ["I live in Oslo."]
    assert (found["answer"]["text"], found["answer"]["status"], found["answer"]["model"]) == (
        "Oslo",
        "answered",
        "small",
    )
    plain = json.loads(ask(home, "ann", "Where does Ann live?", "--json").stdout)
    assert {name: found[name] for name in plain if name != "ms"} == {n: v for n, v in plain.items() if n != "ms"}
    shown = ask(home, "ann", "Where does Ann live?", "--answer", "--votes", "2", "--config", profile).stdout
    assert f"answer: Oslo  [{cited}; 1 retrievals]" in shown


def test_a_file_of_questions(home: Path, profile: Path, tmp_path: Path) -> None:
    lines = [{"id": f"q{n}", "user": user, "question": "Where does Ann live?"} for n, user in enumerate(["ann", "ben"])]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = ask(home, "--questions", tmp_path / "q.jsonl", "--answer", "--config", profile)
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert (first["id"], first["answer"]["text"]) == ("q0", "Oslo")
    assert (second["id"], second["answer"]["status"], second["rows"]) == ("q1", "unanswered", [])
    assert "I live in Oslo" not in str([b for b in Endpoint.asked if "[1]" not in b["messages"][1]["content"]])


@pytest.fixture(scope="module")
def labelled(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    ann = {"user": "ann", "evidence": ["0"], "category": "place"}
    lines = [
        ann | {"question": "Where does Ann live?", "answer": "in Oslo, Norway"},
        ann | {"question": "Which town is Ann's home?", "answer": "Bergen"},
        {"user": "ann", "question": "What is the name of Zed's yacht?", "evidence": [], "category": "none"},
    ]
    path = tmp_path_factory.mktemp("labels") / "labelled.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_judged_answers_are_counted_and_kept(home: Path, profile: Path, labelled: Path) -> None:
    asked = ("evaluate", "questions", labelled, "--answers", "--votes", "2", "--config", profile)
    found = json.loads(run(home, *asked, "--json").stdout)["answers"]
    assert (found["n_questions"], found["n_unanswerable"], found["n_left_out"]) == (2, 1, 0)
    assert (
        found["systems"]["default"]["place"] | {"right": 0.5, "answered": 1.0, "agreed": 1.0, "failed": 0.0}
        == (found["systems"]["default"]["place"])
    )
    assert [(one["text"], one["right"], one["judged_by"]) for one in found["outcomes"]["default"]] == [
        ("Oslo", True, "model"),
        ("Oslo", False, "model"),
        ("Oslo", False, "status"),  # nothing of a yacht is known, and it answers all the same
    ]
    table = run(home, *asked, "--limit", "1").stdout
    assert "1 answers by small, 2 votes each; left out without a reference: 0; a sample, left out: 1" in table
    assert "judged by: model 1, status 1" in table
    assert run(home, "evaluate", "questions", labelled, "--limit", "1").exit_code == 2


def test_without_its_endpoint_the_evidence_is_measured_all_the_same(home: Path, labelled: Path, tmp_path: Path) -> None:
    profile = tmp_path / "away.yaml"
    profile.write_text("model: m\ngenerator: openai\nopenai:\n  urls: [http://127.0.0.1:9/v1]\n  open_s: 0.1\n")
    result = run(home, "evaluate", "questions", labelled, "--answers", "--config", profile)
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert "default over direct: recall" in result.stdout
    assert "answers were not measured: http://127.0.0.1:9/v1 does not answer" in result.stderr


def test_without_a_generator_it_says_how_to_name_one(home: Path) -> None:
    result = ask(home, "ann", "Where does Ann live?", "--answer")
    assert result.exit_code == 1 and "generator" in result.output and "Traceback" not in result.output
