"""What tests of archive readers share: entries and refusals apart, zips, and peak memory."""

from __future__ import annotations

import tracemalloc
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from hypermnesia.archives import KnownArchives
from hypermnesia.ports import ArchiveReader, Entry, Refusal

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


def write_zip(path: Path, members: Mapping[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def peak(reader: ArchiveReader, path: Path) -> tuple[int, int]:
    """(number of entries, peak bytes) of reading a file."""
    tracemalloc.start()
    try:
        n = sum(1 for _ in reader.read(path))
        return n, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
