"""A line that is no labelled line is named by file and number, and the message says what a line has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from hypermnesia.cli.evaluating import read_labelled
from hypermnesia.contracts.labelled import LabelledDialogue, LabelledNames, LabelledPair, LabelledText

PAIR = {"a": "Jim Rice", "b": "Rice, Jim", "type": "person", "label": 1}
NO_LABEL = {"a": "x", "b": "y", "type": "person"}
TEXT = {"text": "Hello", "trust": "user", "label": "harmless"}
TURN = {
    "speaker": "Maya", "text": "Hello.", "facts": [], "frames": [], "time": None, "modality": "done",
    "is_negated": False, "n_procedures": 0,
}  # fmt: skip
DIALOGUE = {"id": "d1", "said_local": "2024-03-14T10:00", "turns": [TURN]}


@pytest.mark.parametrize(
    ("kind", "good", "bad", "says"),
    [
        (LabelledPair, PAIR, NO_LABEL, "label: Field required; a line has a, b, label, type"),
        (LabelledPair, PAIR, PAIR | {"label": "yes"}, "label: Input should be 0 or 1"),
        (LabelledPair, PAIR, PAIR | {"type": "animal"}, "type: Input should be 'person', 'organization', 'location'"),
        (LabelledPair, PAIR, ["Jim Rice", "Rice, Jim"], "the line: .* a line has a, b, label, type"),
        (LabelledNames, PAIR, {"a": "x", "label": 1}, "b: Field required; a line has a, b, label"),
        (LabelledText, TEXT, TEXT | {"label": "odd"}, "label: Input should be 'attack' or 'harmless'"),
        (LabelledText, TEXT, {"text": "x", "label": "attack"}, "trust: Field required; a line has text, trust, label"),
        (LabelledDialogue, DIALOGUE, DIALOGUE | {"turns": []}, "turns: .* a line has id, said_local, turns"),
    ],
)
def test_file_line_and_remedy_are_named(
    tmp_path: Path, kind: type[BaseModel], good: dict[str, Any], bad: Any, says: str
) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text(f"{json.dumps(good)}\n\n{json.dumps(bad)}\n", encoding="utf-8")
    lines = read_labelled(path, kind)
    assert isinstance(next(lines), kind)
    with pytest.raises(ValueError, match=rf"^{path} line 3: {says}"):
        next(lines)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"^{path} line 1: "):
        list(read_labelled(path, LabelledPair))
