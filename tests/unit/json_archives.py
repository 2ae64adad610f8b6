"""What the tests of the JSON readers share: read content through a reader, and what it gave."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hypermnesia.ports import ArchiveReader, Entry, Refusal

Found = list[Entry | Refusal]


def as_bytes(content: Any) -> bytes:
    return content if isinstance(content, bytes) else json.dumps(content).encode()


def lines(*rows: Any) -> bytes:
    """JSON lines; bytes stay as they are."""
    return b"\n".join(map(as_bytes, rows)) + b"\n"


def read(reader: ArchiveReader, path: Path, content: Any) -> Found:
    path.write_bytes(as_bytes(content))
    return list(reader.read(path))


def write_zip(path: Path, members: Mapping[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, as_bytes(content))
    return path


def entries(found: Iterable[Entry | Refusal]) -> list[Entry]:
    return [e for e in found if isinstance(e, Entry)]


def refusals(found: Iterable[Entry | Refusal]) -> list[tuple[str, str]]:
    """(reason, locator) of each; a refusal always says what to do."""
    refused = [e for e in found if isinstance(e, Refusal)]
    assert all(r.reason and r.locator and r.remedy for r in refused)
    return [(r.reason, r.locator) for r in refused]


def texts(found: Iterable[Entry | Refusal]) -> list[str]:
    return [e.text for e in entries(found)]


def peak(reader: ArchiveReader, path: Path) -> tuple[int, int]:
    """(number of entries, peak bytes) of reading a file."""
    tracemalloc.start()
    try:
        n = sum(1 for _ in reader.read(path))
        return n, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def assert_memory_is_bounded(
    reader: ArchiveReader, path: Path, rows: Mapping[int, Iterable[Any]], *, jsonl: bool
) -> None:
    """Reads files of so many rows each; the larger one may not need more memory."""
    peaks = []
    for count, made in rows.items():
        with path.open("w", encoding="utf-8") as file:
            for n, row in enumerate(made):
                file.write(("" if jsonl else "," if n else "[") + json.dumps(row) + ("\n" if jsonl else ""))
            file.write("" if jsonl else "]")
        n, most = peak(reader, path)
        assert n > count
        peaks.append(most)
    assert peaks[1] < 1.2 * peaks[0]
