"""Which extractor versions are in force: for each memory type the newest activated one first (DESIGN 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

#: memory type -> versions, the newest activated first.
Active = Mapping[str, tuple[str, ...]]


def active_versions(rows: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Of the rows of `activations`: a version that is activated again moves to the front."""
    newest: dict[str, dict[str, int]] = {}
    for row in rows:
        versions = newest.setdefault(row["memory_type"], {})
        versions[row["extractor_version"]] = max(row["ordinal"], versions.get(row["extractor_version"], -1))
    return {
        memory_type: tuple(sorted(versions, key=lambda version: -versions[version]))
        for memory_type, versions in sorted(newest.items())
    }
