"""How well the linguistic extractor reads: precision and recall by kind over hand-labelled dialogues.

`tests/fixtures/gold_sentences.jsonl` is of the form of `contracts/labelled.py`. Rules are tuned on split "view";
"apart" was labelled before the extractor was run on anything, and is only measured.
`hypermnesia evaluate extraction tests/fixtures/gold_sentences.jsonl` prints the tables.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.adapters.spacy import LinguisticExtractor
from hypermnesia.contracts.labelled import LabelledDialogue
from hypermnesia.inspection.extraction_evaluation import evaluate_extraction
from hypermnesia.rules.extraction_quality import ReadingScore

LINES = Path(__file__).parents[1] / "fixtures" / "gold_sentences.jsonl"
#: The least (precision, recall) of each kind, a little below what was measured.
FLOORS = {
    "view": {
        "fact": (0.95, 0.95),
        "procedure": (1.0, 1.0),
        "frame": (0.91, 0.95),
        "role": (0.91, 0.95),
        "time": (0.95, 0.95),
        "precision": (0.9, 0.9),
        "modality": (0.97, 0.97),
        "negation": (0.9, 0.9),
    },
    "apart": {
        "fact": (0.9, 0.78),
        "procedure": (1.0, 1.0),
        "frame": (0.78, 0.86),
        "role": (0.75, 0.84),
        "time": (0.88, 0.9),
        "precision": (0.95, 0.95),
        "modality": (0.97, 0.97),
        "negation": (0.9, 0.9),
    },
}


def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]


@cache
def measure() -> dict[str, ReadingScore]:
    return evaluate_extraction(list(map(LabelledDialogue.model_validate, lines())), LinguisticExtractor())


@pytest.mark.parametrize("split", ["view", "apart"])
def test_precision_and_recall_hold(split: str) -> None:
    score = measure()[split]
    weak = {
        kind: score.of(kind)
        for kind, least in FLOORS[split].items()
        if any(value < floor for value, floor in zip(score.of(kind), least, strict=True))
    }
    assert not weak


def test_the_set_is_large_enough() -> None:
    n_turns = Counter(line["split"] for line in lines() for _ in line["turns"])
    assert set(n_turns) == set(FLOORS) and n_turns.total() >= 200


def test_what_is_made_without_a_label_and_what_is_missed_are_counted() -> None:
    line = lines()[0]
    turn = line["turns"][0] | {"facts": [["owns", "Maya", "a boat"]], "modality": "planned"}
    dialogue = LabelledDialogue.model_validate(line | {"turns": [turn]})
    (score,) = evaluate_extraction([dialogue], LinguisticExtractor()).values()
    assert (score.found["fact"], score.missed["fact"], score.false["fact"]) == (0, 1, 1)
    assert score.of("modality") == (0, 0) and score.of("frame") == (1, 1)
    assert score.table()["fact"] == {"precision": 0, "recall": 0, "found": 0, "missed": 1, "false": 1}
