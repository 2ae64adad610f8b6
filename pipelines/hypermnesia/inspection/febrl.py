"""FEBRL's files of people with typing errors, as pairs of names: what facts change (Christen 2008)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hypermnesia.contracts.labelled import LabelledPair
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.name_keys import proposed_pairs
from hypermnesia.rules.name_quality import evaluate_pairs, rates

COLUMNS = ("rec_id", "given_name", "surname", "date_of_birth")
_PERSON = re.compile(r"rec-(\d+)-")


def evaluate_febrl(path: Path) -> dict[str, Any]:
    """{"kinds": {"equal names" and "other names", "with facts" and "without"}, "n_records", "n_pairs"}.

    Pairs are those that share a name key, and all of one person; the fact is the date of birth.
    Raises `ValueError` naming file and row for a file that is no FEBRL data set.
    """
    people = {row["rec_id"]: row for row in _people(path)}
    names = {i: (f"{row['given_name']} {row['surname']}".strip(), "person") for i, row in people.items()}
    pairs = sorted(proposed_pairs(names) | _true_pairs(people))  # type: ignore[arg-type]
    rows = [row for pair in pairs for row in _rows(pair, people, names)]
    counts = evaluate_pairs(rows)
    kinds = {kind: dict(row) | rates(row) for kind, row in counts.items()}
    return {"n_records": len(people), "n_pairs": len(pairs), "kinds": kinds}


def _people(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, skipinitialspace=True)
        if missing := [c for c in COLUMNS if c not in (reader.fieldnames or ())]:
            raise ValueError(f"{path}: no column {', '.join(missing)}; a FEBRL data set has {', '.join(COLUMNS)}")
        for number, row in enumerate(reader, start=2):
            if not _PERSON.match(row["rec_id"] or ""):
                raise ValueError(f"{path} row {number}: rec_id is {row['rec_id']!r}, not such as rec-12-org")
            found = {column: (row[column] or "").strip() for column in COLUMNS}
            if anchor_key(f"{found['given_name']} {found['surname']}"):
                yield found


def _true_pairs(people: Mapping[str, Mapping[str, str]]) -> set[tuple[str, str]]:
    by_person: dict[str, list[str]] = {}
    for rec_id in sorted(people):
        by_person.setdefault(_number(rec_id), []).append(rec_id)
    return {(a, b) for ids in by_person.values() for n, a in enumerate(ids) for b in ids[n + 1 :]}


def _number(rec_id: str) -> str:
    match = _PERSON.match(rec_id)
    assert match is not None
    return match[1]


def _rows(
    pair: tuple[str, str], people: Mapping[str, Mapping[str, str]], names: Mapping[str, tuple[str, str]]
) -> Iterator[LabelledPair]:
    """One pair judged by names alone, and with the dates of birth."""
    a, b = (names[i][0] for i in pair)
    kind = "equal names" if anchor_key(a) == anchor_key(b) else "other names"
    bare = LabelledPair(a=a, b=b, type="person", label=1 if _number(pair[0]) == _number(pair[1]) else 0)
    facts = [{"birth_date": day} if (day := people[i]["date_of_birth"]) else {} for i in pair]
    yield bare.model_copy(update={"kind": f"{kind}, without facts"})
    yield bare.model_copy(update={"kind": f"{kind}, with facts", "facts_a": facts[0], "facts_b": facts[1]})
