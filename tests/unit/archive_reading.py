"""What tests of archive readers share: entries and refusals apart, zips, peak memory, and the way through ingest."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypermnesia.adapters.secret_detectors import JoinedSecretDetector
from hypermnesia.adapters.vault import FileVault
from hypermnesia.archives import KnownArchives
from hypermnesia.ports import ArchiveReader, Entry, Refusal
from hypermnesia.rules.identity import Identity
from hypermnesia.stages.ingest import ArchiveInput, Ingest

IDS = Identity(b"k" * 32)

REAL = Path(__file__).parents[3] / "shared/data/archives"


def entries(found: Iterable[Entry | Refusal]) -> list[Entry]:
    return [e for e in found if isinstance(e, Entry)]


def refusals(found: Iterable[Entry | Refusal]) -> list[tuple[str, str]]:
    """(reason, locator) of each; a refusal always says what to do."""
    refused = [e for e in found if isinstance(e, Refusal)]
    assert all(r.reason and r.locator and r.remedy for r in refused)
    return [(r.reason, r.locator) for r in refused]


def format_of(path: Path) -> str | None:
    reader = KnownArchives().recognise(path)
    return reader.name if reader else None


def write_zip(path: Path, members: Mapping[str, Any]) -> Path:
    """A zip of files by name: bytes and text as they are, other content as JSON."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, bytes | str) else json.dumps(content))
    return path


def peak(reader: ArchiveReader, path: Path) -> tuple[int, int]:
    """(number of entries, peak bytes) of reading a file."""
    tracemalloc.start()
    try:
        n = sum(1 for _ in reader.read(path))
        return n, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def ingest(*inputs: Path | ArchiveInput, keys: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table that ingest makes of some archives, "ann" their owner; the counts add up."""
    given = [i if isinstance(i, ArchiveInput) else ArchiveInput(i, user="ann") for i in inputs]
    vault = FileVault(keys, b"v" * 32, IDS, 64)
    stage = Ingest(given, KnownArchives(), IDS, 64, datetime(2025, 1, 1, tzinfo=UTC), JoinedSecretDetector(), vault)
    rows: dict[str, list[dict[str, Any]]] = {"messages": [], "message_sources": [], "rejects": []}
    for shard in stage.plan():
        for part in stage.run(shard):
            assert part.n_in == part.n_out + part.n_rejected
            assert (part.n_out, part.n_rejected) == (part.tables["messages"].num_rows, part.tables["rejects"].num_rows)
            for name, found in rows.items():
                found += part.tables[name].to_pylist()
    return rows


def revisions(rows: Mapping[str, list[dict[str, Any]]]) -> set[tuple[str, str]]:
    """(message_id, content_hash) of each message."""
    return {(row["message_id"], row["content_hash"]) for row in rows["messages"]}
