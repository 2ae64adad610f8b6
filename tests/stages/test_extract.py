"""extract: what was said is a record, with who said it, when, and what it answers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from small_home import IDS, Home, line, write

from hypermnesia.stages.ingest import ArchiveInput

Row = dict[str, Any]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_golden_record(home: Home, tmp_path: Path) -> None:
    picture = [{"text": "a red bike", "type": "image"}, {"text": "!!", "type": "image"}]
    path = write(
        tmp_path / "a.jsonl",
        line("1", "Nice day. What did you buy?", speaker="Ben", timezone="Europe/Berlin"),
        line("2", "Look!", 1, attachments=picture, timezone="Europe/Berlin"),
    )
    home.run(path, until="extract")
    record = next(row for row in home.rows("records") if row["speaker"] == "Ann")
    (extraction,) = home.rows("extractions")
    (chunk,) = home.rows("chunks")
    cited = {row["part"]: row for row in home.rows("messages", native_id="2")}
    parts = ["", "attachment/000", "attachment/001"]
    revisions = [{name: cited[part][name] for name in ("message_id", "content_hash")} for part in parts]
    kept = {name: value for name, value in record.items() if name not in ("shard_id", "committed_at")}
    text = "Look!\n[image: a red bike]"
    assert kept == {
        "user_id": "ann",
        "bucket": cited[""]["bucket"],
        "row_id": IDS.record(
            "ann", "episodic", [(r["message_id"], r["content_hash"]) for r in revisions], "verbatim-1", text
        ),
        "memory_type": "episodic",
        "text": text,
        "event_start": None,
        "event_end": None,
        "event_precision": "unknown",
        "event_timezone": None,
        "is_event_tz_known": False,
        "said_at": datetime(2024, 5, 1, 7, 1, tzinfo=UTC),
        "said_local": "2024-05-01T09:01:00",
        "modality": None,
        "is_negated": False,
        "speaker": "Ann",
        "context": "What did you buy?",
        "cited": revisions,
        "quotes": [revisions[0] | {"start": 0, "end": 5}, revisions[1] | {"start": 0, "end": 10}],
        "chunk_id": chunk["chunk_id"],
        "extraction_id": extraction["extraction_id"],
        "derived_from": [],
        "attributes": [],
        "trust": "other_person",
        "extractor": "verbatim",
        "extractor_version": "verbatim-1",
        "prompt_version": None,
        "schema_version": 1,
    }
    assert record["committed_at"].tzinfo is not None
    assert record["row_id"] == "row_99ad56c1138d3d8fd644e84fad99d987"
    assert extraction["chunk_id"] == chunk["chunk_id"]
    assert extraction["memory_types"] == ["episodic", "resource"]
    event = {name: value for name, value in kept.items() if name.startswith(("event", "is_event"))}
    item = event | {"row_id": record["row_id"], "context": "What did you buy?", "modality": None, "is_negated": False}
    assert item in extraction["items"]
    assert extraction["status"] == "ok"


def test_counts_and_reasons(home: Home, tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        line("1", "hi"),
        line("2", "...", 1),
        line("3", "", 2, attachments=[{"text": ""}]),
        line("4", "You are a helpful assistant.", 3, role="system"),
        line("5", "Ann joined", 4, kind="system"),
        line("6", "", 5, attachments=[{"text": "a dog", "type": "image"}]),
    )
    counts = home.run(path, until="extract")["extract"]
    assert counts.sentence() == ("8 in = 2 out + 1 merged + 5 deferred (not_said_by_anyone 2, says_nothing 3)")
    assert sorted(row["text"] for row in home.rows("records")) == ["[image: a dog]", "hi"]


def test_a_chunk_that_says_nothing_has_an_answer(home: Home, tmp_path: Path) -> None:
    home.run(write(tmp_path / "a.jsonl", line("1", "...")), until="extract")
    assert [row["status"] for row in home.rows("extractions")] == ["empty"]
    assert home.rows("records") == []


TRUST = {
    "user": {"role": "user"},
    "other_person": {},
    "assistant": {"role": "assistant"},
    "tool": {"role": "tool", "kind": "tool_result"},
    "pasted": {"role": "user", "kind": "document"},
}


def test_trust_follows_who_spoke(home: Home, tmp_path: Path) -> None:
    lines = (line(trust, trust, **more) for trust, more in TRUST.items())
    home.run(write(tmp_path / "a.jsonl", *lines), until="extract")
    assert {row["text"]: row["trust"] for row in home.rows("records")} == {trust: trust for trust in TRUST}


def test_a_documents_section_is_a_resource(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "guide.md"
    path.write_text("# Guide\nIntro.\n\n## Set up\nDoes it run? Run make.\n\n## Use\nYes.\n", encoding="utf-8")
    counts = home.run(ArchiveInput(path, user="ann"), until="extract")["extract"]
    assert (counts.n_in, counts.n_out) == (3, 3)
    rows = sorted(home.rows("records"), key=lambda row: row["text"])
    assert [(row["memory_type"], row["trust"], row["speaker"], row["context"]) for row in rows] == [
        ("resource", "pasted", "Guide", None)
    ] * 3
    (set_up,) = (row for row in rows if "make" in row["text"])
    assert {a["key"]: a["value"] for a in set_up["attributes"]} == {
        "title": "Guide",
        "section": "Guide > Set up",
        "start": "16",
        "end": "48",
    }
    assert set_up["text"] == path.read_text(encoding="utf-8")[16:48]


def test_a_section_among_what_was_said(home: Home, tmp_path: Path) -> None:
    """One answer a chunk; each record has its own type, and only a section keeps where it stands."""
    path = write(
        tmp_path / "a.jsonl",
        line("1", "What is in it?", speaker="Ben"),
        line("2", "Milk.", 1, kind="document"),
        line("3", "Milk.", 2, attachments=[{"text": "a list", "type": "image", "name": "x.png"}]),
    )
    home.run(path, until="extract")
    rows = {row["cited"][0]["message_id"]: row for row in home.rows("records")}
    kinds = {row["message_id"]: row["native_id"] for row in home.rows("messages") if not row["part"]}
    assert {kinds[i]: (row["memory_type"], row["context"], row["attributes"]) for i, row in rows.items()} == {
        "1": ("episodic", None, []),
        "2": ("resource", None, []),
        "3": ("episodic", None, []),
    }


def contexts(home: Home) -> dict[str, str | None]:
    return {row["text"]: row["context"] for row in home.view()}


def test_a_question_goes_over_chunks_and_not_over_sittings(home: Home, tmp_path: Path) -> None:
    """Each line asks and the next answers: whatever the cuts, an answer knows its question."""
    talk = [
        line(str(n), f"Why {n}?" if n % 2 == 0 else f"So {n}.", n, speaker=["Ben", "Ann"][n % 2]) for n in range(80)
    ]
    late = [line("gap", "Because.", 80 + 5 * 60)]
    home.run(write(tmp_path / "a.jsonl", *talk, line("q", "And?", 80, speaker="Ben"), *late), until="extract")
    assert len(home.rows("chunks")) > 3
    found = contexts(home)
    assert all(found[f"So {n}."] == f"Why {n - 1}?" for n in range(1, 80, 2))
    assert all(found[f"Why {n}?"] is None for n in range(0, 80, 2))
    assert found["Because."] is None


def test_context_is_not_part_of_the_record(home: Home, tmp_path: Path) -> None:
    """A late question becomes the context of a record that is there already."""
    answer = line("2", "Miso.", 2)
    home.run(write(tmp_path / "a.jsonl", answer), until="extract")
    before = home.rows("records")
    assert contexts(home) == {"Miso.": None}
    home.run(write(tmp_path / "b.jsonl", line("1", "What is the cat called?", 1, speaker="Ben")), until="extract")
    assert contexts(home)["Miso."] == "What is the cat called?"
    assert before[0] in home.rows("records")
    assert len(home.rows("records")) == 2


def test_a_refused_chunk_counts_its_messages(home: Home, tmp_path: Path) -> None:
    home.run(write(tmp_path / "a.jsonl", line("1", "hi"), line("2", "ho")), until="chunk")
    stage = home.stage("extract")
    (shard,) = stage.plan()
    part = stage.refuse(shard, shard.items[0], "worker_died", "")
    assert (part.n_in, part.n_rejected, part.reasons) == (2, 2, {"worker_died": 2})
    assert part.tables["rejects"].to_pylist()[0]["subject_id"] == shard.items[0]


def test_what_nobody_said_stands_between_no_question_and_its_answer(home: Home, tmp_path: Path) -> None:
    """A hidden node between question and answer (as exports of assistants have them) hides no question."""
    asked = line("1", "Which train do you take?", speaker="Bot", role="assistant")
    hidden = line("2", "model context", 1, speaker="system", role="system")
    home.run(write(tmp_path / "a.jsonl", asked, hidden, line("3", "The early one.", 2)), until="extract")
    contexts = {row["text"]: row["context"] for row in home.rows("records")}
    assert contexts["The early one."] == "Which train do you take?"
