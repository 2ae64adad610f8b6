"""answer: what is asked about a chunk, under which name, and what becomes of a completion."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_home import IDS, Home, line, write

from hypermnesia.ports import Completion, OpenShard, Part, Request, Shard, VersionDriftError
from hypermnesia.prompts import load_prompts
from hypermnesia.rules.extraction import MEMORY_TYPES
from hypermnesia.rules.prompting import compact
from hypermnesia.stages.answer import Answer
from hypermnesia.stages.stored_answers import ModelExtractor, ModelPrompts

PROMPTS = load_prompts()
MODEL = ModelPrompts("scripted", "writers", PROMPTS)
ITEM = {"cites": [1], "modality": "done", "negated": False, "when": ""}
SAID = "I moved to Porto in March."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.run(write(tmp_path / "a.jsonl", line("1", SAID, role="user")), until="chunk")
    return home


class Model:
    """Answers that Ann moved; keeps the requests. `failing` prompts get an engine's error."""

    def __init__(self, failing: Sequence[str] = ()) -> None:
        self.requests: list[Request] = []
        self._failing = failing

    async def __call__(self, request: Request) -> Completion:
        self.requests.append(request)
        title = (request.schema or {})["title"]
        if title in self._failing:
            return Completion(request.id, "engine_error", "", "scripted", detail="HTTP 500")
        episodic = {"records": [ITEM | {"text": "Ann moved to Porto in March.", "quote": "moved to Porto in March"}]}
        said: Any = {
            "RouterAnswer": {kind: kind == "episodic" for kind in MEMORY_TYPES},
            "EpisodicAnswer": episodic,
            "FramesAnswer": {"entities": [], "frames": []},
        }[title]
        return Completion(request.id, "ok", compact(said), "scripted", 100, 40, 20, 0.5)


def stage_of(home: Home, model: ModelPrompts = MODEL) -> Answer:
    return Answer(home.lake, IDS, model, 2_000)


def run(home: Home, model: Model, stage: Answer | None = None) -> tuple[Shard, Part]:
    stage = stage or stage_of(home)
    (shard,) = stage.plan()
    opened: OpenShard = stage.open(shard)
    return shard, asyncio.run(opened.run_item(shard.items[0], model))


def test_golden_row(home: Home) -> None:
    shard, part = run(home, Model())
    assert (part.n_in, part.n_out, part.reasons) == (1, 1, {})
    rows = {row["prompt"]: row for row in part.tables["answers"].to_pylist()}
    assert set(rows) == {"router", "episodic", "frames"}
    (chunk,) = home.rows("chunks")
    row = rows["episodic"]
    assert row["answer_id"].startswith("ans_") and row["passage_hash"]
    kept = {name: row[name] for name in ("chunk_id", "user_id", "bucket", "shard_id", "model", "prompt_version")}
    assert kept == {
        "chunk_id": chunk["chunk_id"],
        "user_id": "ann",
        "bucket": shard.bucket,
        "shard_id": shard.id,
        "model": "scripted",
        "prompt_version": PROMPTS["episodic"].version,
    }
    measured = ("first_turn", "n_turns", "attempt", "change", "status", "n_tokens_in", "n_tokens_cached", "seconds")
    assert [row[name] for name in measured] == [0, 1, 1, "", "ok", 100, 40, 0.5]
    assert rows["frames"]["about"] == ["Ann moved to Porto in March."] and row["about"] == []
    assert part.measures == {
        "calls": 3,
        "status.ok": 3,
        "milliseconds.ok": 1_500,
        "tokens.in": 300,
        "tokens.cached": 120,
        "tokens.out": 60,
    }


def test_a_request_is_named_by_all_that_it_shows(home: Home, tmp_path: Path) -> None:
    """Another model, prompt version, speaker or owner is another request; the same one has the same name."""

    def ids(at: Home, model: ModelPrompts = MODEL) -> set[str]:
        asked = Model()
        run(at, asked, stage_of(at, model))
        return {request.id for request in asked.requests}

    assert ids(home) == ids(home) and len(ids(home)) == 3
    assert not ids(home) & ids(home, replace(MODEL, model="other"))
    newer = replace(PROMPTS["episodic"], version="2")
    assert len(ids(home) & ids(home, replace(MODEL, prompts={**PROMPTS, "episodic": newer}))) == 2
    for number, change in enumerate(({"speaker": "Zoe"}, {"user": "zoe"}, {"time": "2024-06-01T09:00:00Z"})):
        other = Home(tmp_path / str(number))
        other.run(write(tmp_path / f"{number}.jsonl", line("1", SAID, role="user", **change)), until="chunk")
        assert not ids(home) & ids(other), change


def test_an_engines_error_is_a_row_and_a_reject(home: Home) -> None:
    _, part = run(home, Model(failing=["FramesAnswer"]))
    assert (part.n_in, part.n_out, part.n_rejected, part.reasons) == (1, 0, 1, {"engine_error": 1})
    (reject,) = part.tables["rejects"].to_pylist()
    assert reject["detail"] == "frames: HTTP 500" and "replay answer" in reject["remedy"]
    assert sorted(row["status"] for row in part.tables["answers"].to_pylist()) == ["engine_error", "ok", "ok"]


def test_nobody_is_asked_about_a_chunk_that_says_nothing(tmp_path: Path) -> None:
    home, model = Home(tmp_path), Model()
    home.run(write(tmp_path / "a.jsonl", line("1", "...")), until="chunk")
    _, part = run(home, model)
    assert model.requests == [] and (part.n_deferred, part.reasons) == (1, {"says_nothing": 1})


def test_what_is_stored_is_read_and_not_asked_for_again(home: Home) -> None:
    _, part = run(home, Model())
    home.lake.open("answers").append(part.tables["answers"], ["t"])
    (shard,) = stage_of(home).plan()
    assert len(stage_of(home).open(shard).answers) == 3
    extractor = ModelExtractor(home.lake, IDS, MODEL)
    home.extractor = extractor
    home.run(until="extract")
    assert [row["text"] for row in home.rows("records")] == ["Ann moved to Porto in March."]
    (extraction,) = home.rows("extractions")
    assert extraction["extractor_version"] == extractor.version == stage_of(home).version


def test_a_chunk_without_its_answers_is_a_reject(home: Home) -> None:
    home.extractor = ModelExtractor(home.lake, IDS, MODEL)
    counts = home.run(until="extract")["extract"]
    assert (counts.n_in, counts.n_rejected, counts.reasons) == (1, 1, {"no_answer": 1})
    assert home.rows("extractions") == []
    (reject,) = home.rows("rejects")
    assert reject["detail"].startswith("router") and reject["subject_id"].startswith("chk_")


def test_a_worker_of_another_version_is_an_error_that_names_both(home: Home) -> None:
    (shard,) = stage_of(home).plan()
    other = stage_of(home, replace(MODEL, mode="single"))
    with pytest.raises(VersionDriftError, match=r"planned with model-scripted-writers-\S+, here is model-scripted-sin"):
        other.open(shard)


def test_a_prompts_text_belongs_to_its_version(home: Home) -> None:
    _, part = run(home, Model())
    home.lake.open("answers").append(part.tables["answers"], ["t"])
    changed = replace(MODEL, prompts={**PROMPTS, "episodic": replace(PROMPTS["episodic"], text="Another.")})
    with pytest.raises(VersionDriftError, match="prompt episodic calls itself version 1"):
        list(stage_of(home, changed).plan())
