"""What the tests of the JSON readers share: read content through a reader, and what it gave."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from archive_reading import entries, peak

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


def texts(found: Iterable[Entry | Refusal]) -> list[str]:
    return [e.text for e in entries(found)]


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
