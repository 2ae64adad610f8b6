"""The whole way on real data: archive, lake, vectors, questions; again, in another order, rebuilt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hypermnesia.cli import main
from hypermnesia.demo import QUESTIONS, SAMPLE

LOCOMO = Path(__file__).parents[3] / "shared" / "data" / "locomo-dev" / "locomo_dev.json"
KEY = "a key for tests, of 16 bytes or more"
LEAST_RECALL = 0.84

needs_locomo = pytest.mark.skipif(not LOCOMO.exists(), reason="../shared/data/locomo-dev is not present")


def call(home: Path, *arguments: str, **settings: str) -> Any:
    """A command's JSON; by itself in this process, tracked as users have it."""
    variables = {"HYPERMNESIA_LAKE_KEY": KEY, "HYPERMNESIA_EXECUTOR": "inline"} | settings
    result: Result = CliRunner().invoke(main, [*arguments, "--home", str(home), "--json"], env=variables)
    assert result.exit_code == 0, result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return lines if len(lines) > 1 else lines[0]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("home")
    call(made, "backfill", str(SAMPLE))
    return made


def test_the_same_again_changes_nothing(home: Path) -> None:
    before, generation = call(home, "digest"), call(home, "status")["generation"]
    stages = call(home, "backfill", str(SAMPLE))["stages"]
    assert call(home, "digest") == before
    assert call(home, "status")["generation"] == generation
    assert all(stage["n_skipped"] == stage["n_shards"] for stage in stages.values())


def test_rebuilt_vectors_are_the_same(home: Path) -> None:
    before = call(home, "digest")
    asked = call(home, "ask", "--questions", str(QUESTIONS))
    generation = call(home, "status")["generation"]
    call(home, "rebuild")
    assert call(home, "status")["generation"] != generation
    assert call(home, "digest") == before
    again = call(home, "ask", "--questions", str(QUESTIONS))
    assert [a["rows"] for a in again] == [a["rows"] for a in asked]


@pytest.mark.ray
def test_other_files_order_shards_and_workers_give_the_same(home: Path, tmp_path: Path) -> None:
    files = sorted(SAMPLE.iterdir(), reverse=True)
    other = {"HYPERMNESIA_EXECUTOR": "ray", "HYPERMNESIA_SHARD_MESSAGES": "64", "HYPERMNESIA_SHARD_RECORDS": "32"}
    call(tmp_path, "backfill", *map(str, files), **other, HYPERMNESIA_WORKERS="1")
    assert call(tmp_path, "digest") == call(home, "digest")


def test_the_demo_s_questions_find_their_evidence(home: Path) -> None:
    """The sample's questions are no keyword copies; most evidence must still be among 20 rows."""
    wanted = {q["id"]: set(q["evidence"]) for q in map(json.loads, QUESTIONS.read_text().splitlines())}
    found = 0
    for answer in call(home, "ask", "--questions", str(QUESTIONS), "--limit", "20"):
        native = {source["native_id"] for row in answer["rows"] for source in row["sources"]}
        found += len(wanted[answer["id"]] & native)
    assert found / sum(map(len, wanted.values())) >= 0.7


def test_users_are_walls(home: Path) -> None:
    """Two of the sample's users hold one conversation: each is answered from his own rows alone."""
    question = "What did we plan for Lisbon?"
    rows = {user: call(home, "ask", user, question, "--limit", "50")["rows"] for user in ("maya", "sam")}
    texts = {user: {row["text"] for row in found} for user, found in rows.items()}
    ids = {user: {row["row_id"] for row in found} for user, found in rows.items()}
    assert texts["maya"] & texts["sam"], "they do share what was said"
    assert not ids["maya"] & ids["sam"]
    assert {s["archive"] for row in rows["maya"] for s in row["sources"]} == {"maya.jsonl"}


@pytest.mark.ray
def test_the_demo_command(tmp_path: Path) -> None:
    answers = call(tmp_path, "demo", HYPERMNESIA_EXECUTOR="ray")["answers"]
    assert len(answers) == 5
    assert all(row["sources"] for answer in answers for row in answer["rows"])


@needs_locomo
@pytest.mark.ray
def test_locomo_recall_and_a_quiet_second_run(tmp_path: Path) -> None:
    first = call(tmp_path, "backfill", str(LOCOMO), HYPERMNESIA_EXECUTOR="ray")["stages"]
    assert (first["extract"]["n_out"], first["ingest"]["n_rejected"]) == (3011, 0)
    digest = call(tmp_path, "digest")
    call(tmp_path, "backfill", str(LOCOMO))
    assert call(tmp_path, "digest") == digest
    systems = call(tmp_path, "evaluate", "locomo", str(LOCOMO))["systems"]
    recall = {name: found["all"]["recall@20"] for name, found in systems.items()}
    assert recall["default"] >= LEAST_RECALL
    for baseline in ("bm25", "dense"):
        assert recall["default"] > recall[baseline] + 0.1


@needs_locomo
def test_locomo_labels_never_enter_memory(tmp_path: Path) -> None:
    """Not in the lake's files, read back as text: questions, answers' evidence, summaries, search phrases."""
    from hypermnesia.app import STAGES, App
    from hypermnesia.settings import load
    from hypermnesia.stages.ingest import ArchiveInput

    samples = json.loads(LOCOMO.read_text())[:1]
    file = tmp_path / "one.json"
    file.write_text(json.dumps(samples))
    call(tmp_path / "home", "plan", str(file))
    app = App(load(home=tmp_path / "home", lake_key=KEY, executor="inline", tracking="off"))
    from datetime import UTC, datetime

    from hypermnesia.engine.progress import Progress

    now = datetime.now(UTC)
    app.run("test", [app.stage(n, [ArchiveInput(file)], now) for n in STAGES[:3]], Progress(), now)
    held = "\n".join(str(app.lake.read(t).to_pylist()) for t in ("messages", "message_sources", "records", "chunks"))
    (sample,) = samples
    turns = [turn for key, value in sample["conversation"].items() if isinstance(value, list) for turn in value]
    said = "\n".join(turn["text"] + turn.get("blip_caption", "") for turn in turns)
    labels = [q["question"] for q in sample["qa"]]
    labels += [fact for session in sample["observation"].values() for facts in session.values() for fact, _ in facts]
    labels += [*sample["session_summary"].values(), *(turn["query"] for turn in turns if "query" in turn)]
    assert len(labels) > 300
    assert not [label for label in labels if label in held and label not in said]
