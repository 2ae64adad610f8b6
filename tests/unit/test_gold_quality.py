"""How well the linguistic extractor reads: precision and recall by kind over hand-labelled dialogues.

`tests/fixtures/gold_sentences.jsonl` has a dialogue a line: `said_local`, `addressee` (who is spoken to where only
one speaks) and `turns`, each with its speaker, text and labels: `facts` (predicate, subject, value), `frames`
(predicate, roles), `time` (start, end, precision), `modality`, `is_negated`, `n_procedures`. Rules are tuned on split
"view"; "apart" was labelled before the extractor was run on anything, and is only measured.
`python tests/unit/test_gold_quality.py` prints the tables.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.adapters.spacy import LinguisticExtractor
from hypermnesia.rules.extraction import EPISODIC, PROCEDURAL, SEMANTIC, Made, Passage, Turn

LINES = Path(__file__).parents[1] / "fixtures" / "gold_sentences.jsonl"
KINDS = ("fact", "procedure", "frame", "role", "time", "precision", "modality", "negation")
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


@dataclass
class Score:
    """Counts by kind: labels found, labels missed, and what was made without a label."""

    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str, str]] = field(default_factory=list)

    def count(self, kind: str, text: str, gold: Iterable[Hashable], made: Iterable[Hashable]) -> None:
        gold_set, made_set = Counter(gold), Counter(made)
        both = gold_set & made_set
        self.found[kind] += both.total()
        self.missed[kind] += (gold_set - both).total()
        self.false[kind] += (made_set - both).total()
        if gold_set != made_set:
            lost, wrong = list((gold_set - both).elements()), list((made_set - both).elements())
            self.faults.append((kind, text, f"missed {lost}, made {wrong}"))

    def of(self, kind: str) -> tuple[float, float]:
        """(precision, recall)."""
        n = self.found[kind]
        return n / max(1, n + self.false[kind]), n / max(1, n + self.missed[kind])


def dialogues(split: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["split"] == split]


def passage(dialogue: dict[str, Any]) -> Passage:
    said = datetime.fromisoformat(dialogue["said_local"])
    turns = []
    for n, turn in enumerate(dialogue["turns"]):
        ids, text = (f"{dialogue['id']}-{n}", "hash"), turn["text"]
        turns.append(Turn(*ids, (ids,), (text,), turn["speaker"], "person", "utterance", text, text, None, said))
    people = {turn["speaker"] for turn in dialogue["turns"]}
    return Passage(
        "owner",
        dialogue["id"],
        "hash",
        (),
        tuple(turns),
        tuple(sorted(people | {dialogue.get("addressee", "")} - {""})),
    )


@cache
def measure(split: str) -> Score:
    gold, score = dialogues(split), Score()
    readings = LinguisticExtractor().read([passage(d) for d in gold])
    for dialogue, reading in zip(gold, readings, strict=True):
        for place, turn in enumerate(dialogue["turns"]):
            made = [m for m in reading.made if m.turns == (place,)]
            _count(score, turn, made)
    return score


def _count(score: Score, turn: dict[str, Any], made: list[Made]) -> None:
    text = turn["text"]
    said = next(m for m in made if m.memory_type == EPISODIC)
    facts = [
        tuple(dict(m.attributes)[k] for k in ("predicate", "subject", "value"))
        for m in made
        if m.memory_type == SEMANTIC
    ]
    score.count("fact", text, [_low(f) for f in turn["facts"]], [_low(f) for f in facts])
    score.count(
        "procedure", text, ["steps"] * turn["n_procedures"], ["steps" for m in made if m.memory_type == PROCEDURAL]
    )
    score.count("frame", text, [f["predicate"] for f in turn["frames"]], [a.predicate for a in said.assertions])
    gold_roles = [
        (f["predicate"], role, _head(filler))
        for f in turn["frames"]
        for role, fillers in f["roles"].items()
        for filler in fillers
    ]
    roles = [(a.predicate, role, _head(said.mentions[i].surface)) for a in said.assertions for role, i in a.roles]
    score.count("role", text, gold_roles, roles)
    time = said.time
    score.count(
        "time", text, [tuple(turn["time"][:2])] if turn["time"] else [], [(time.start, time.end)] if time else []
    )
    if time and turn["time"]:
        score.count("precision", text, [turn["time"][2]], [time.precision])
    if said.modality is not None:
        score.count("modality", text, [turn["modality"]], [said.modality])
        score.count("negation", text, ["not"] * turn["is_negated"], ["not"] * said.is_negated)


def _low(fact: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.casefold() for part in fact)


def _head(words: str) -> str:
    return words.casefold().split()[-1]


@pytest.mark.parametrize("split", ["view", "apart"])
def test_precision_and_recall_hold(split: str) -> None:
    score = measure(split)
    weak = {
        kind: score.of(kind)
        for kind, least in FLOORS[split].items()
        if any(value < floor for value, floor in zip(score.of(kind), least, strict=True))
    }
    assert not weak


def test_the_set_is_large_enough() -> None:
    assert sum(len(d["turns"]) for split in FLOORS for d in dialogues(split)) >= 200


if __name__ == "__main__":
    for name in sys.argv[1:] or FLOORS:
        print(f"\n{name:10} precision recall  (found, missed, false)")
        table = measure(name)
        for kind in KINDS:
            p, r = table.of(kind)
            print(f"{kind:10} {p:9.3f} {r:6.3f}  ({table.found[kind]}, {table.missed[kind]}, {table.false[kind]})")
        if name == "view":
            for fault in table.faults:
                print(*fault, sep=" | ")
