"""The model path as a user runs it: a backfill whose records a model writes, and all that may go wrong with it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from homes import make_app
from model_homes import SAMPLE, Scripted, backfill, known_passages, model_app, use

from hypermnesia.app import App
from hypermnesia.engine.counts import RejectBudgetError
from hypermnesia.engine.progress import Progress
from hypermnesia.ports import Completion, Request, VersionDriftError
from hypermnesia.rules import grounding, model_reading
from hypermnesia.stages.ingest import ArchiveInput
from hypermnesia.views import Bucket
from tests.fixtures.scripted_model import KnownPassages, ScriptedModel

MAYA = SAMPLE / "maya.jsonl"
_READ = ("view", "vectors", "graph")
TABLES = ("answers", "extractions", "records", "mentions", "assertions")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> KnownPassages:
    return known_passages(tmp_path_factory.mktemp("known"), MAYA)


@pytest.fixture(scope="module")
def right(known: KnownPassages, tmp_path_factory: pytest.TempPathFactory) -> App:
    """A home that a model without a fault has read."""
    app = use(model_app(tmp_path_factory.mktemp("right")), Scripted(known))
    backfill(app, MAYA)
    return app


def rows(app: App, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = app.lake.read(table).to_pylist()
    return found


def episodic_texts(app: App) -> set[str]:
    return {row["text"] for row in rows(app, "records") if row["memory_type"] == "episodic"}


def digests(app: App) -> dict[str, str]:
    tables = app.digest()["tables"]
    return {name: tables[name] for name in TABLES}


def test_a_model_writes_the_memory(right: App, tmp_path: Path) -> None:
    """Every completion is a row; what the perfect model says is what its answers were made of, and can be asked."""
    answers = rows(right, "answers")
    assert {row["status"] for row in answers} == {"ok"} and {row["model"] for row in answers} == {"scripted"}
    assert {row["prompt"] for row in answers} >= {"router", "episodic", "semantic", "frames"}
    assert all(row["n_tokens_in"] > 0 and row["prompt_version"] == "1" for row in answers)
    records = rows(right, "records")
    assert {row["extractor"] for row in records} == {"model"}
    assert Counter(row["memory_type"] for row in records)["episodic"] > 50
    assert rows(right, "assertions") and right.index.published()
    versions = {row["extractor_version"] for row in rows(right, "extractions")}
    assert versions == {right.extractor.version} and right.extractor.version.startswith("model-scripted-writers-p")
    (status,) = (s for n, s in right.status()["stages"].items() if n == "answer")
    assert status["n_in"] == status["n_out"] == len({row["chunk_id"] for row in answers})


def test_the_same_again_asks_nothing_and_changes_nothing(right: App, known: KnownPassages, tmp_path: Path) -> None:
    again = Scripted(known)
    before = digests(right)
    use(right, again)
    report = backfill(right, MAYA)
    assert digests(right) == before and not again.asked
    assert all(stage.n_skipped == stage.n_shards for stage in report.stages if stage.n_shards)
    elsewhere = use(model_app(tmp_path), Scripted(known))
    backfill(elsewhere, MAYA)
    assert digests(elsewhere) == before, "equal answers give equal tables"


@pytest.mark.parametrize(("mode", "prompts"), [("single", {"single", "frames"}), ("small", {"router", "episodic"})])
def test_other_ways_to_ask(mode: str, prompts: set[str], known: KnownPassages, tmp_path: Path) -> None:
    app = use(model_app(tmp_path, mode=mode), Scripted(known))
    backfill(app, MAYA)
    answers = rows(app, "answers")
    assert {row["prompt"] for row in answers} >= prompts
    assert max(row["n_turns"] for row in answers) > 2 if mode == "single" else {r["n_turns"] for r in answers} <= {1, 2}
    assert f"-{mode}-" in app.extractor.version
    assert Counter(row["memory_type"] for row in rows(app, "records"))["episodic"] > 50


class Fails:
    """One prompt fails over some passages: those whose first call's hash says so; only as a whole, or always."""

    def __init__(self, prompt: str, fault: Any, *, is_always: bool = False) -> None:
        self.prompt, self.fault, self.is_always = prompt, fault, is_always
        self.failed: set[str] = set()

    def __call__(self, prompt: str, shown: str, request: Request) -> Any:
        is_hit = prompt == self.prompt and (self.is_always or shown.count("\n[") > 2)
        if is_hit:
            self.failed.add(request.id)
        return self.fault if is_hit else None


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        ("empty", ("", "length")),
        ("truncated", ('{"records":[', "length")),
        ("whitespace_loop", ('{"records":[' + " " * 900, "length")),
        ("schema_echo", ('{"$defs":{},"properties":{"records":{}}}', "stop")),
        ("unparseable", ('"category": "correction",', "stop")),
        ("context_overflow", "context_overflow"),
    ],
)
def test_what_fails_as_a_whole_is_read_in_windows(
    status: str, fault: Any, known: KnownPassages, right: App, tmp_path: Path
) -> None:
    """Every failed call is a row with its status; the windows' answers give the same records (B01, B03)."""
    fails = Fails("episodic", fault)
    app = use(model_app(tmp_path), Scripted(known, fails))
    report = backfill(app, MAYA)
    answers = rows(app, "answers")
    assert {row["answer_id"] for row in answers if row["status"] == status} == fails.failed
    assert {row["status"] for row in answers} == {"ok", status}
    smaller = [row for row in answers if row["change"] == "smaller" and row["prompt"] == "episodic"]
    assert smaller and all(row["n_turns"] <= 2 and row["attempt"] == 2 for row in smaller)
    measures = next(stage.counts.measures for stage in report.stages if stage.stage == "answer")
    assert measures[f"status.{status}"] == len(fails.failed) and measures["calls"] == len(answers)
    texts = [
        {row["text"] for row in rows(home, "records") if row["memory_type"] == "episodic"} for home in (app, right)
    ]
    assert texts[0] == texts[1]
    assert not [row for row in rows(app, "rejects") if row["reason"] == status]


def test_a_refusal_is_a_reject_and_its_memory_type_stays_uncovered(known: KnownPassages, tmp_path: Path) -> None:
    """B06: no record, and no second call: an older version's episodic records may stay in force."""
    sorry = ("I'm sorry, I can't help with that.", "stop")
    app = use(model_app(tmp_path), Scripted(known, Fails("episodic", sorry, is_always=True)))
    backfill(app, MAYA)
    refused = [row for row in rows(app, "rejects") if row["reason"] == "refusal"]
    assert len(refused) == sum(row["status"] == "refusal" for row in rows(app, "answers")) > 0
    assert all("episodic" in row["detail"] and row["remedy"] for row in refused)
    read = [row for row in rows(app, "extractions") if row["extractor"] == "model"]
    assert all("episodic" not in row["memory_types"] and "semantic" in row["memory_types"] for row in read)


def test_an_engine_error_is_a_reject_until_it_is_replayed(known: KnownPassages, right: App, tmp_path: Path) -> None:
    """A chunk whose call nobody answered has no reading; `replay answer` asks only for what is missing."""
    failed: set[str] = set()

    def fails(prompt: str, shown: str, request: Request) -> str | None:
        if prompt != "frames" or int(request.id[-1], 16) % 2:
            return None
        failed.add(request.id)
        return "engine_error"

    app = use(model_app(tmp_path), Scripted(known, fails))
    backfill(app, MAYA)
    refused = app.rejects("answer")
    assert {row["reason"] for row in refused} == {"engine_error"} and refused[0]["detail"].startswith("frames")
    assert {row["reason"] for row in app.rejects("extract") if row["subject_id"].startswith("chk")} == {"no_answer"}
    unread = {row["subject_id"] for row in refused}
    assert not unread & {row["chunk_id"] for row in rows(app, "extractions")}
    healthy = Scripted(known)
    app = use(model_app(tmp_path), healthy)
    app.replay("answer", [], _silent())
    assert set(healthy.asked) == {"frames"} and healthy.asked["frames"] == len(failed)
    assert app.rejects("answer") == []
    assert not [row for row in app.rejects("extract") if row["reason"] == "no_answer"]
    kept = ("records", "mentions", "assertions")
    assert {t: digests(app)[t] for t in kept} == {t: digests(right)[t] for t in kept}
    assert {row["status"] for row in rows(app, "answers")} == {"ok", "engine_error"}


def test_b07_a_model_that_finds_nothing_fails_its_gate(known: KnownPassages, tmp_path: Path) -> None:
    def nothing(prompt: str, shown: str, request: Request) -> Any:
        return None if prompt == "router" else ('{"records":[]}', "stop")

    app = use(model_app(tmp_path, reject_budget=0.05), Scripted(known, nothing))
    with pytest.raises(RejectBudgetError, match="extract"):
        backfill(app, MAYA)
    assert {row["reason"] for row in rows(app, "rejects")} == {"suspicious_empty"}
    assert rows(app, "answers") and rows(app, "records") == []


def test_a_status_over_its_limit_ends_the_run_and_keeps_the_answers(known: KnownPassages, tmp_path: Path) -> None:
    fails = Fails("router", ("", "length"), is_always=True)
    app = use(model_app(tmp_path, limits={"empty": 0.05}), Scripted(known, fails))
    with pytest.raises(RejectBudgetError, match=r"answer: \d+ of \d+ calls ended with empty, over the limit of 5%"):
        backfill(app, MAYA)
    assert {row["status"] for row in rows(app, "answers")} == {"ok", "empty"}
    assert rows(app, "commits")[-1] and rows(app, "records") == []
    report = backfill(use(model_app(tmp_path, limits={"empty": 0.9}), Scripted(known, fails)), MAYA)
    assert report.stages[2].n_skipped == report.stages[2].n_shards and rows(app, "records")


def test_a_spent_budget_stops_the_run_and_the_next_one_goes_on(
    known: KnownPassages, right: App, tmp_path: Path
) -> None:
    settings = {"shard_messages": 32}
    first = Scripted(known)
    app = use(model_app(tmp_path, token_budget=5_000, **settings), first)
    report = backfill(app, MAYA)
    assert report.stages[-1].stage == "answer" and "5000 tokens is spent" in report.stopped
    assert rows(app, "runs")[-1]["status"] == "stopped" and rows(app, "extractions") == []
    n_before = len(rows(app, "answers"))
    assert 0 < n_before < len(rows(right, "answers"))
    timed = backfill(use(model_app(tmp_path, time_budget_s=0.000001, **settings), Scripted(known)), MAYA)
    assert "s is spent" in timed.stopped and len(rows(app, "answers")) == n_before
    second = Scripted(known)
    report = backfill(use(model_app(tmp_path, **settings), second), MAYA)
    assert report.stopped == "" and digests(app) == digests(right)
    assert first.asked + second.asked == Counter(row["prompt"] for row in rows(right, "answers"))


def test_a_grounding_change_reads_the_answers_again_without_a_model(
    known: KnownPassages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer records are grounded: the stored answers about more records hold for them."""
    backfill(use(model_app(tmp_path), Scripted(known)), MAYA)
    old = model_app(tmp_path).extractor.version
    ground = grounding.ground

    def stricter(claim: Any, passage: Any) -> Any:
        if len(claim.text) % 3 == 0:
            return grounding.refused("says_nothing", "a rule of today")
        return ground(claim, passage)

    monkeypatch.setattr(grounding, "ground", stricter)
    monkeypatch.setattr(model_reading, "VERSION", "2")
    app = model_app(tmp_path, generator="none")
    backfill(app, MAYA)
    new = app.extractor.version
    assert new == old.replace("-r1", "-r2")
    by_version = {v: [r for r in rows(app, "records") if r["extractor_version"] == v] for v in (old, new)}
    assert 0 < len(by_version[new]) < len(by_version[old])
    assert not [row for row in rows(app, "rejects") if row["reason"] == "no_answer"]
    assert rows(app, "assertions") and len({row["extraction_id"] for row in rows(app, "assertions")}) > 1


def test_a_prompt_change_asks_only_that_prompt(known: KnownPassages, tmp_path: Path) -> None:
    backfill(use(model_app(tmp_path), Scripted(known)), MAYA)
    asked = Scripted(known)
    app = use(model_app(tmp_path), asked)
    text = app.model_path.model.prompts["semantic"].text
    _change(app, "semantic", version="2", text=f"{text}\nNothing else.")
    backfill(app, MAYA)
    assert set(asked.asked) == {"semantic"}
    assert len({row["extractor_version"] for row in rows(app, "extractions")}) == 2
    assert {row["prompt_version"] for row in rows(app, "answers") if row["prompt"] == "semantic"} == {"1", "2"}


def test_a_prompt_whose_text_changed_under_its_version_is_an_error(known: KnownPassages, tmp_path: Path) -> None:
    backfill(use(model_app(tmp_path), Scripted(known)), MAYA)
    app = use(model_app(tmp_path), Scripted(known))
    _change(app, "episodic", text="Write something else.")
    with pytest.raises(VersionDriftError, match="prompt episodic calls itself version 1, but its text"):
        backfill(app, MAYA)


def test_answers_of_another_model_are_not_read(known: KnownPassages, tmp_path: Path) -> None:
    backfill(use(model_app(tmp_path), Scripted(known)), MAYA)
    other = Scripted(known, model="other")
    backfill(use(model_app(tmp_path, model="other"), other), MAYA)
    assert sum(other.asked.values()) == sum(row["model"] == "other" for row in rows(model_app(tmp_path), "answers"))
    assert {row["extractor_version"].split("-")[1] for row in rows(model_app(tmp_path), "records")} == {
        "scripted",
        "other",
    }


def test_versions_side_by_side_are_compared_switched_and_never_doubled(known: KnownPassages, tmp_path: Path) -> None:
    """Linguistic and model records in one home: what is in force is one of them, in lake, vectors and graph."""
    words = make_app(tmp_path, shard_messages=2_000, shard_records=256)
    backfill(words, MAYA)
    before = words.digest()
    app = use(model_app(tmp_path), Scripted(known))
    backfill(app, MAYA)
    assert app.digest()["view"] == before["view"], "a new version is not in force by itself"
    version = app.extractor.version
    found = app.diff("linguistic-1", version)
    assert found["counts"]["episodic"]["same"] > 50
    app.activate(version, [], _silent())
    switched = model_app(tmp_path)
    rows_in_force = _in_force(switched)
    assert {row["extractor_version"] for row in rows_in_force if row["memory_type"] == "episodic"} == {version}
    assert len({row["row_id"] for row in rows_in_force}) == len(rows_in_force)
    loaded = {entry[0] for entry in switched.index.entries()}
    assert {row["row_id"] for row in rows_in_force} <= loaded
    stale = {row["row_id"] for row in rows(switched, "records")} - {row["row_id"] for row in rows_in_force}
    assert not stale & loaded
    app.activate("linguistic-1", [], _silent())
    after = model_app(tmp_path).digest()
    assert {name: after[name] for name in _READ} == {name: before[name] for name in _READ}, "as if it had not been"


def _in_force(app: App) -> list[dict[str, Any]]:
    buckets = (Bucket(app.lake, app.identity, n, app.active) for n in app.lake.buckets("messages"))
    return [row for bucket in buckets for row in bucket.records.to_dicts()]


def _change(app: App, name: str, **changes: Any) -> None:
    """Another text or version of one prompt."""
    model = app.model_path.model
    prompts = {**model.prompts, name: replace(model.prompts[name], **changes)}
    app.model_path.__dict__["model"] = replace(model, prompts=prompts)


def _silent() -> Progress:
    return Progress(StringIO())


class Judge(ScriptedModel):
    """Says of every pair of names that it can't tell."""

    async def generate(self, request: Request) -> Completion:
        self.asked["same_entity"] += 1
        return Completion(request.id, "ok", '{"verdict":"unsure","candidate":0}', self.model)


def test_a_night_asks_the_model_what_strings_leave_unsure(known: KnownPassages, tmp_path: Path) -> None:
    app, judge = model_app(tmp_path, extractor="linguistic"), Judge(known)
    backfill(app, MAYA)
    report = use(app, lambda: judge).nightly(_silent())
    (stage,) = (stage for stage in report.stages if stage.stage == "judge_entities")
    assert stage.counts.n_in == stage.counts.n_out == judge.asked["same_entity"]
    assert stage.counts.reasons == ({"unsure": stage.counts.n_in} if stage.counts.n_in else {})


def test_an_answer_can_be_shown(right: App) -> None:
    row = rows(right, "answers")[0]
    assert right.inspector().show(row["answer_id"])["rows"][0]["raw_text"] == row["raw_text"]


def test_plan_says_what_a_model_would_cost(right: App, tmp_path: Path) -> None:
    """By the prompts' sizes where nothing was read, else by what this home's answers took; nothing is written."""
    fresh = model_app(tmp_path / "none", tokens_per_gpu_second=1_000)
    guessed = fresh.plan([ArchiveInput(MAYA)])["model"]
    assert not (tmp_path / "none").exists()
    assert guessed["tokens_from"] == "prompts" and guessed["calls"] > 0
    assert guessed["tokens_in"] > guessed["tokens_cached"] > 0 and guessed["tokens_out"] > 0
    paid = guessed["tokens_in"] - guessed["tokens_cached"] + guessed["tokens_out"]
    assert guessed["gpu_hours"] == round(paid / 3_600_000, 2)
    measured = model_app(right.settings.home).plan([ArchiveInput(MAYA)])
    n_chunks, answers = len({row["chunk_id"] for row in rows(right, "answers")}), rows(right, "answers")
    cost = measured["model"]
    assert cost["tokens_from"] == "answers" and cost["tokens_per_gpu_second"] > 0
    per_chunk = sum(row["n_tokens_in"] for row in answers) / n_chunks
    assert cost["tokens_in"] == round(per_chunk * measured["total"]["chunks"])
    assert "model" not in make_app(tmp_path / "words").plan([ArchiveInput(MAYA)])


def test_a_run_reports_what_its_calls_took(right: App) -> None:
    runs = [json.loads(row["counts"])["answer"] for row in rows(right, "runs")]
    (counts,) = (run for run in runs if run["fresh"].get("calls"))
    answers = rows(right, "answers")
    assert counts["fresh"]["calls"] == counts["fresh"]["status.ok"] == len(answers)
    assert counts["fresh"]["tokens.in"] == sum(row["n_tokens_in"] for row in answers)
    assert counts["fresh"]["milliseconds.ok"] == 250 * len(answers) and counts["per_hour"] > 0
