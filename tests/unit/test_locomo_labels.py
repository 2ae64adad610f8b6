"""LoCoMo's labels, repaired, and recall over distinct cited messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rows_in_memory import BagOfWords, MemoryIndex, make_rows

from hypermnesia.retrieval.ask import Asker
from hypermnesia.retrieval.evaluation import evaluate_locomo, evidence_ids, first_cited, read_labels

DEV_FILE = Path(__file__).parents[3] / "shared/data/locomo-dev/locomo_dev.json"

TALK = [("Ann", "I adopted a puppy."), ("Ben", "I play the cello."), ("Ann", "We flew to Oslo."), ("Ben", "Great.")]


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


def test_labels_leave_out_category_5_and_count_what_does_not_exist(locomo_file: Path) -> None:
    labels = read_labels(locomo_file)
    assert [(q.category, sorted(q.evidence)) for q in labels.questions] == [
        (1, ["D1:0"]),
        (4, ["D1:1", "D1:2"]),
        (4, ["D1:2"]),
    ]
    assert (labels.n_without_evidence, labels.n_unknown_ids) == (2, 2)


def test_a_file_that_is_not_locomo_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"messages": []}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.json: not a LoCoMo file"):
        read_labels(path)


def test_cited_messages_are_distinct_and_in_the_rows_order() -> None:
    rows = [["D1:2"], ["D1:2", "D1:7"], [None], ["D1:1"], ["D1:9"]]
    assert first_cited(rows, 3) == ["D1:2", "D1:7", "D1:1"]
    assert first_cited(rows, 2) == ["D1:2", "D1:7"]
    assert first_cited([], 5) == []


def test_recall_is_a_share_of_the_evidence_beside_both_baselines(locomo_file: Path) -> None:
    asker = Asker(MemoryIndex(make_rows(TALK)), BagOfWords())
    result = evaluate_locomo(locomo_file, asker.ask, asker.histories.get, BagOfWords(), depths=(1, 4))
    assert result["n_questions"] == 3
    assert result["n_by_category"] == {"multi-hop": 1, "temporal": 0, "open domain": 0, "single-hop": 2}
    assert set(result["recall"]) == {"hypermnesia", "bm25", "dense"}
    for recall in result["recall"].values():
        assert recall["@4"] == {"all": 1.0, "multi-hop": 1.0, "single-hop": 1.0}
    assert result["recall"]["bm25"]["@1"] == {"all": 0.8333, "multi-hop": 1.0, "single-hop": 0.75}


def test_a_user_without_rows_counts_as_not_found(locomo_file: Path) -> None:
    asker = Asker(MemoryIndex(make_rows(TALK, user="bob")), BagOfWords())
    result = evaluate_locomo(locomo_file, asker.ask, asker.histories.get, BagOfWords())
    assert result["users_without_rows"] == ["ann"]
    recalls: list[dict[str, Any]] = [r["@20"] for r in result["recall"].values()]
    assert all(recall["all"] == 0 for recall in recalls)


@pytest.mark.skipif(not DEV_FILE.exists(), reason="the LoCoMo development file is not beside the repository")
def test_the_development_file_has_its_known_questions() -> None:
    labels = read_labels(DEV_FILE)
    assert len(labels.questions) == 827
    assert labels.n_unknown_ids == 0
