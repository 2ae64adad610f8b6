"""How well an extractor reads labelled dialogues (`contracts/labelled.py`), by split."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hypermnesia.contracts.labelled import LabelledDialogue
from hypermnesia.ports import Extractor
from hypermnesia.rules.extraction import Passage, Turn
from hypermnesia.rules.extraction_quality import ReadingScore


def evaluate_extraction(dialogues: Sequence[LabelledDialogue], extractor: Extractor) -> dict[str, ReadingScore]:
    """Split -> score."""
    scores: dict[str, ReadingScore] = {}
    for dialogue, reading in zip(dialogues, extractor.read([passage_of(d) for d in dialogues]), strict=True):
        score = scores.setdefault(dialogue.split, ReadingScore())
        if reading.unread is not None:
            score.n_unread += 1
            continue
        for place, turn in enumerate(dialogue.turns):
            made = [m for m in reading.made if m.turns == (place,)]
            score.count(turn.text, turn.model_dump(exclude={"speaker", "text"}), made)
    return scores


def passage_of(dialogue: LabelledDialogue) -> Passage:
    """The dialogue as an extractor reads it: people talk, one turn a message."""
    said = datetime.fromisoformat(dialogue.said_local)
    turns = []
    for n, turn in enumerate(dialogue.turns):
        cited, text = (f"{dialogue.id}-{n}", "hash"), turn.text
        turns.append(Turn(*cited, (cited,), (text,), turn.speaker, "person", "utterance", text, text, None, said))
    people = {turn.speaker for turn in dialogue.turns} | {dialogue.addressee} - {""}
    return Passage("owner", dialogue.id, "hash", (), tuple(turns), tuple(sorted(people)))
