"""LoCoMo's labels, repaired, and recall over distinct cited messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rows_in_memory import BagOfWords, EmptyGraph, MemoryIndex, make_rows

from hypermnesia.ports import IndexRow
from hypermnesia.retrieval.ask import Asker
from hypermnesia.retrieval.datasets import Labels, evidence_ids, read_locomo, read_longmemeval, read_questions
from hypermnesia.retrieval.evaluation import evaluate, first_cited, tracked_measures
from hypermnesia.retrieval.plot import BOTTOM, COLORS, HEIGHT, TOP, plot

DEV_FILE = Path(__file__).parents[3] / "shared/data/locomo-dev/locomo_dev.json"

TALK = [("Ann", "I adopted a puppy."), ("Ben", "I play the cello."), ("Ann", "We flew to Oslo."), ("Ben", "Great.")]


def run(labels: Labels, rows: list[IndexRow]) -> dict[str, Any]:
    asker = Asker(MemoryIndex(rows), EmptyGraph(), BagOfWords())  # type: ignore[arg-type]
    unmerged = asker.over(EmptyGraph())  # type: ignore[arg-type]
    return evaluate(labels, asker.ask, unmerged.ask, asker.histories.get, BagOfWords())


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    turns = [{"speaker": s, "dia_id": f"D1:{n}", "text": t} for n, (s, t) in enumerate(TALK)]
    qa = [
        {"question": "What did Ann adopt, a puppy?", "evidence": ["D1:0"], "category": 1},
        {"question": "Does Ben play the cello?", "evidence": ["D1:1; D1:2"], "category": 4},
        {"question": "Who flew to Oslo?", "evidence": ["D:1:02", "D9:9"], "category": 4},
        {"question": "Not to be found", "evidence": ["D9:9", "D"], "category": 2},
        {"question": "No evidence", "evidence": [], "category": 3},
        {"question": "Adversarial", "evidence": ["D1:0"], "category": 5, "adversarial_answer": "x"},
    ]
    path = tmp_path / "locomo.json"
    conversation = {"speaker_a": "Ann", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns}
    path.write_text(json.dumps([{"sample_id": "ann", "conversation": conversation, "qa": qa}]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["D:11:26"], ["D11:26"]),
        (["D30:05", "D01:1"], ["D30:5", "D1:1"]),
        (["D9:1 D4:4 D4:6"], ["D9:1", "D4:4", "D4:6"]),
        (["D", "", "none"], []),
    ],
)
def test_evidence_ids_are_repaired(written: list[str], expected: list[str]) -> None:
    assert evidence_ids(written) == expected


def test_labels_keep_category_5_apart_and_count_what_does_not_exist(locomo_file: Path) -> None:
    labels = read_locomo(locomo_file)
    assert [(q.category, sorted(q.evidence)) for q in labels.questions] == [
        ("multi-hop", ["D1:0"]),
        ("single-hop", ["D1:1", "D1:2"]),
        ("single-hop", ["D1:2"]),
    ]
    assert [q.question for q in labels.unanswerable] == ["Adversarial"]
    assert (labels.n_without_evidence, labels.n_unknown_ids) == (2, 2)


def test_a_file_that_is_not_locomo_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"messages": []}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.json: not a LoCoMo file"):
        read_locomo(path)


def test_cited_messages_are_distinct_and_in_the_rows_order() -> None:
    rows: list[list[str]] = [["D1:2"], ["D1:2", "D1:7"], [], ["D1:1"], ["D1:9"]]
    assert first_cited(rows, 3) == ["D1:2", "D1:7", "D1:1"]
    assert first_cited(rows, 2) == ["D1:2", "D1:7"]
    assert first_cited([], 5) == []


def test_recall_is_a_share_of_the_evidence_beside_both_baselines(locomo_file: Path) -> None:
    found = run(read_locomo(locomo_file), make_rows(TALK))
    assert found["n_questions"] == 3
    assert found["n_by_category"] == {"multi-hop": 1, "single-hop": 2}
    graphs = {"papers", "papers_unmerged", "default", "default_unmerged"}
    assert set(found["systems"]) == {"direct", "bm25", "dense"} | graphs
    for name in ("direct", "default", "bm25", "dense"):
        groups = found["systems"][name]
        assert set(groups) == {"all", "multi-hop", "single-hop"}
        assert groups["all"]["recall@10"] == 1.0
        assert groups["all"]["n_messages"] <= len(TALK)
    assert found["systems"]["bm25"]["all"]["reciprocal_rank"] == 1.0
    assert found["unanswerable"]["n"] == 1
    separation = found["unanswerable"]["separation"]
    assert {name: set(signs) for name, signs in separation.items()} == {
        name: {"best_score", "premise"} for name in ("direct", "default")
    }
    pairs = {(g["first"], g["second"]) for g in found["gains"]}
    assert pairs >= {("default", "direct"), ("default", "default_unmerged"), ("papers", "papers_unmerged")}
    assert found["systems"]["default"]["all"]["recall@default"] == found["systems"]["default"]["all"]["recall"]
    assert tracked_measures(found)["default_recall_at_10"] == 1.0


def test_a_system_is_also_measured_at_the_rows_that_default_gives(locomo_file: Path) -> None:
    rows = make_rows([*TALK, *((speaker, f"Something else, number {n}.") for n in range(30) for speaker in "AB")])
    systems = run(read_locomo(locomo_file), rows)["systems"]
    n_rows = systems["default"]["all"]["n_rows"]
    assert systems["bm25"]["all"]["n_rows"] == 10 != n_rows
    assert systems["bm25"]["all"]["recall@default"] <= systems["bm25"]["all"]["recall@20"]


def test_the_picture_shows_every_system_and_category(locomo_file: Path) -> None:
    found = run(read_locomo(locomo_file), make_rows(TALK))
    drawn = ElementTree.fromstring(plot(found))
    shapes = [shape.tag.rpartition("}")[2] for shape in drawn]
    n = len(found["systems"])
    assert shapes.count("polyline") == n
    assert shapes.count("rect") == 1 + n * (1 + len(found["n_by_category"])) + n
    words = {shape.text for shape in drawn}
    assert words >= {*found["systems"], "all", *found["n_by_category"]}
    full = [shape for shape in drawn if shape.get("fill") == COLORS[0] and shape.get("height") != "12"]
    assert {float(bar.get("height", 0)) for bar in full} == {HEIGHT - TOP - BOTTOM}  # direct finds all


def test_a_user_without_rows_counts_as_not_found(locomo_file: Path) -> None:
    found = run(read_locomo(locomo_file), make_rows(TALK, user="bob"))
    assert found["users_without_rows"] == ["ann"]
    assert all(groups["all"]["recall@20"] == 0 for groups in found["systems"].values())


def test_own_lines_name_messages_by_either_id_and_errors_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    lines = [
        {"user": "ann", "question": "What did Ann adopt?", "evidence": ["D1:0"], "category": "pets"},
        {"user": "ann", "question": "Where did we fly?", "evidence": ["m/ann/c1/s1/00002", "gone"]},
        {"user": "ann", "question": "Who is the king?", "evidence": []},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = run(read_questions(path), make_rows(TALK))
    assert (found["n_questions"], found["n_evidence_not_in_memory"], found["unanswerable"]["n"]) == (2, 1, 1)
    assert found["systems"]["default"]["pets"]["recall@10"] == 1.0
    assert found["systems"]["bm25"]["all"]["recall@10"] == 0.75
    path.write_text('{"user": "ann", "question": "What?", "evidnce": []}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"own\.jsonl line 1: evid"):
        read_questions(path)


def test_longmemeval_marks_answering_turns_and_abstentions(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "Hi"}, {"role": "user", "content": "I moved to Oslo.", "has_answer": True}]
    item = {"question_type": "single", "question": "Where?", "question_date": "2023/05/30 (Tue) 22:10"}
    sessions = {"haystack_sessions": [turns], "haystack_session_ids": ["answer_s1"]}
    path = tmp_path / "lme.json"
    path.write_text(json.dumps([{"question_id": q, **item, **sessions} for q in ("q1", "q2_abs")]), encoding="utf-8")
    labels = read_longmemeval(path)
    assert [(q.user, q.category, set(q.evidence), q.as_of) for q in labels.questions] == [
        ("q1", "single", {"s1_2"}, "2023-05-30")
    ]
    assert [q.user for q in labels.unanswerable] == ["q2_abs"]


@pytest.mark.skipif(not DEV_FILE.exists(), reason="the LoCoMo development file is not beside the repository")
def test_the_development_file_has_its_known_questions() -> None:
    labels = read_locomo(DEV_FILE)
    assert len(labels.questions) == 827
    assert labels.n_unknown_ids == 0
