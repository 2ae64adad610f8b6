"""How well an extractor reads: what it makes of a turn beside what people say is in it, by kind.

Facts are those of semantic records (predicate, subject, value); frames, roles, times, moods are those of episodic
ones. All are compared as they are named: another word for a predicate counts as wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypermnesia.rules.extraction import EPISODIC, PROCEDURAL, SEMANTIC, Made
from hypermnesia.rules.survival import survival

KINDS = ("fact", "procedure", "frame", "role", "time", "precision", "modality", "negation")


@dataclass
class ReadingScore:
    """Counts by kind: labels found, labels missed, and what was made without a label; words kept by survival.

    `n_unread` dialogues got no answer from the engine, and are in no other count.
    """

    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    n_unread: int = 0

    def count(self, text: str, label: Mapping[str, Any], made: Sequence[Made]) -> None:
        """Adds what was made of one turn; `label` has facts, frames, time, modality, is_negated, n_procedures."""
        gold, found = _labelled(label), _of(made)
        for kind in KINDS:
            if kind == "precision" and not (gold["time"] and found["time"]):
                continue
            if kind in ("modality", "negation") and not found["modality"]:
                continue
            self._count(kind, text, gold[kind], found[kind])
        for n, n_kept in survival(text, [m.text for m in made]).values():
            self.words.update(n=n, kept=n_kept)

    def of(self, kind: str) -> tuple[float, float]:
        """(precision, recall); 0 where nothing counts."""
        n = self.found[kind]
        return n / max(1, n + self.false[kind]), n / max(1, n + self.missed[kind])

    def table(self) -> dict[str, dict[str, float]]:
        """Precision, recall and counts by kind; `survival` is the share of distinctive words that records keep."""
        rows: dict[str, dict[str, float]] = {}
        for kind in KINDS:
            precision, recall = self.of(kind)
            counts = {"found": self.found[kind], "missed": self.missed[kind], "false": self.false[kind]}
            rows[kind] = {"precision": precision, "recall": recall} | counts
        return rows | {"survival": {"recall": self.words["kept"] / max(1, self.words["n"])} | self.words}

    def _count(self, kind: str, text: str, gold: Iterable[Hashable], made: Iterable[Hashable]) -> None:
        wanted, found = Counter(gold), Counter(made)
        both = wanted & found
        self.found[kind] += both.total()
        self.missed[kind] += (wanted - both).total()
        self.false[kind] += (found - both).total()
        if wanted != found:
            lost, wrong = list((wanted - both).elements()), list((found - both).elements())
            self.faults.append((kind, text, f"missed {lost}, made {wrong}"))


def _labelled(label: Mapping[str, Any]) -> dict[str, list[Hashable]]:
    frames, time = label["frames"], label["time"]
    return {
        "fact": [_low(fact) for fact in label["facts"]],
        "procedure": ["steps"] * label["n_procedures"],
        "frame": [frame["predicate"] for frame in frames],
        "role": [(f["predicate"], role, _head(w)) for f in frames for role, words in f["roles"].items() for w in words],
        "time": [tuple(time[:2])] if time else [],
        "precision": [time[2]] if time else [],
        "modality": [label["modality"]],
        "negation": ["not"] * label["is_negated"],
    }


def _of(made: Sequence[Made]) -> dict[str, list[Hashable]]:
    said = [m for m in made if m.memory_type == EPISODIC]
    times = [m.time for m in said if m.time]
    asserted = [(m, a) for m in said for a in m.assertions]
    return {
        "fact": [fact for m in made if m.memory_type == SEMANTIC for fact in _facts(m)],
        "procedure": ["steps" for m in made if m.memory_type == PROCEDURAL],
        "frame": [a.predicate for _, a in asserted],
        "role": [(a.predicate, role, _head(m.mentions[i].surface)) for m, a in asserted for role, i in a.roles],
        "time": list(dict.fromkeys((t.start, t.end) for t in times)),
        "precision": list(dict.fromkeys(t.precision for t in times)),
        "modality": list(dict.fromkeys(m.modality for m in said if m.modality is not None)),
        "negation": ["not"] * any(m.is_negated for m in said if m.modality is not None),
    }


def _facts(made: Made) -> Iterator[tuple[str, ...]]:
    """A semantic record's facts: as its attributes say, else each frame of two roles."""
    said = dict(made.attributes)
    if {"predicate", "subject", "value"} <= set(said):
        yield _low(said[name] for name in ("predicate", "subject", "value"))
        return
    for assertion in made.assertions:
        surfaces = [made.mentions[place].surface for _, place in assertion.roles]
        yield _low([assertion.predicate, *surfaces[:2]])


def _low(fact: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.casefold() for part in fact)


def _head(words: str) -> str:
    return words.casefold().split()[-1]
