"""The toxic memory filter: whether a text would instruct its reader's memory (DESIGN 5, notes/governance.md row 10).

Decoding comes first, then weighted cues with a threshold by trust. What is refused is quarantined as a reject;
its message stays as evidence. No rule sees a bland lie: `trust.py`'s wall holds whether the filter fires or not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hypermnesia.contracts.labelled import LabelledText
from hypermnesia.rules.injection_cues import WEIGHTS, cues_in, sentences
from hypermnesia.rules.injection_decoding import PLAIN, decode

#: Points from which a text is refused: a user may give orders about his own memory, nobody else may.
THRESHOLDS = {"user": 4}
THRESHOLD = 2
#: Cues of up to so many neighbouring sentences add up; a long text is no more suspicious than its worst part.
WINDOW = 3
#: What it adds that the words were hidden from a person's eyes.
HIDING = 1

REASON = "injection"
REMEDY = "the message is kept as evidence and gives no memory; see the cues in the detail, add it by `correct`"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the filter says of one text: `cues` of its worst part, `decoded` how those were hidden ("plain": not)."""

    is_refused: bool
    score: int
    cues: tuple[str, ...] = ()
    decoded: str = PLAIN

    @property
    def detail(self) -> str:
        """One line for a reject: score, cues and decoding, no text."""
        return f"score {self.score}: {', '.join(self.cues)} ({self.decoded})"


def judge_injection(text: str, trust: str) -> Verdict:
    """Judges a text said with a trust (DESIGN 3: user, other_person, assistant, pasted, tool); any other is no user."""
    threshold = THRESHOLDS.get(trust, THRESHOLD)
    plain, *hidden = decode(text)
    score, seen = _worst_part(plain.text)
    cues, decoded = seen, PLAIN
    for reading in hidden:
        points, found = _worst_part(reading.text)
        if found - seen or (found and reading.how == "hidden_markup"):
            points += HIDING
        if points > score:
            score, cues, decoded = points, found, reading.how
    return Verdict(score >= threshold, score, tuple(sorted(cues)), decoded)


def _worst_part(text: str) -> tuple[int, frozenset[str]]:
    """The most points of `WINDOW` neighbouring sentences, and their cues."""
    found = [cues_in(sentence) for sentence in sentences(text)]
    best, cues = 0, frozenset[str]()
    for at in range(len(found)):
        near = frozenset[str]().union(*found[at : at + WINDOW])
        points = sum(WEIGHTS[cue] for cue in near)
        if points > best:
            best, cues = points, near
    return best, cues


def evaluate_injection(rows: Iterable[LabelledText]) -> dict[str, int]:
    """Counts over labelled texts: attacks, caught, harmless, refused."""
    counts = {"attacks": 0, "caught": 0, "harmless": 0, "refused": 0}
    for row in rows:
        counts["attacks" if row.label == "attack" else "harmless"] += 1
        if judge_injection(row.text, row.trust).is_refused:
            counts["caught" if row.label == "attack" else "refused"] += 1
    return counts
