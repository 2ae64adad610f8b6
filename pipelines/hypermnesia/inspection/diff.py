"""`diff VERSION VERSION`: what two extractor versions make of the same passages (DESIGN 3 "One active extraction")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import polars as pl

from hypermnesia.ports import Lake
from hypermnesia.rules.identity import Identity
from hypermnesia.views import Bucket

MOST_EXAMPLES = 20


def diff(lake: Lake, identity: Identity, old: str, new: str) -> dict[str, Any]:
    """{"counts": {memory_type: {"same", "gained", "lost", "altered"}}, "examples": [...]} over passages in force.

    A record is the same where type, cited messages and text are; altered where both versions have others of the same
    messages. Raises `LookupError` for a version that has read nothing.
    """
    counts: dict[str, Counter[str]] = {}
    examples: list[dict[str, Any]] = []
    n_read: Counter[str] = Counter()
    for number in lake.buckets("messages"):
        sides = [_texts(lake, identity, number, version) for version in (old, new)]
        n_read.update({version: len(side) for version, side in zip((old, new), sides, strict=True)})
        for key in sorted({*sides[0], *sides[1]}):
            for kind, before, after in _pairs(sides[0].get(key, set()), sides[1].get(key, set())):
                counts.setdefault(key[0], Counter())[kind] += 1
                if kind != "same" and len(examples) < MOST_EXAMPLES:
                    examples.append(
                        {"memory_type": key[0], "change": kind, "messages": list(key[1:]), "old": before, "new": after}
                    )
    for version in (old, new):
        if not n_read[version]:
            raise LookupError(f"no record in force is by {version}: `status` names the versions")
    kinds = ("same", "gained", "lost", "altered")
    return {
        "old": old,
        "new": new,
        "counts": {memory_type: {kind: found[kind] for kind in kinds} for memory_type, found in sorted(counts.items())},
        "examples": examples,
    }


def _texts(lake: Lake, identity: Identity, number: int, version: str) -> dict[tuple[str, ...], set[str]]:
    """(memory type, cited messages) -> the texts that a version has of them."""
    types = lake.read("extractions", columns=["memory_types", "extractor_version"], buckets=[number])
    covered = {t for row in types.to_pylist() if row["extractor_version"] == version for t in row["memory_types"]}
    active = dict.fromkeys(sorted(covered), (version,))
    records = Bucket(lake, identity, number, active).records
    found: dict[tuple[str, ...], set[str]] = {}
    ids = records.select("memory_type", "text", pl.col("cited").list.eval(pl.element().struct.field("message_id")))
    for memory_type, text, messages in ids.iter_rows():
        found.setdefault((memory_type, *messages), set()).add(text)
    return found


def _pairs(old: set[str], new: set[str]) -> Iterator[tuple[str, str | None, str | None]]:
    yield from (("same", text, text) for text in sorted(old & new))
    before, after = sorted(old - new), sorted(new - old)
    n = min(len(before), len(after))
    yield from (("altered", b, a) for b, a in zip(before[:n], after[:n], strict=True))
    yield from (("lost", text, None) for text in before[n:])
    yield from (("gained", None, text) for text in after[n:])
