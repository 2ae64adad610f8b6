"""`plan`: what a backfill would read; writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hypermnesia.ports import Archives, Refusal

if TYPE_CHECKING:
    from hypermnesia.stages.ingest import ArchiveInput

CHARACTERS_PER_TOKEN = 4
MESSAGES_PER_CHUNK = 16


def estimate(archives: Archives, inputs: Sequence[ArchiveInput]) -> dict[str, Any]:
    """{"files": [...], "total": {...}}: files, users, messages, chunks and tokens (characters / 4), by reading all."""
    files: list[dict[str, Any]] = []
    users: set[str] = set()
    for given in inputs:
        for path, name in archives.find(given.path):
            reader = archives.named(given.format) if given.format else archives.recognise(path)
            found: dict[str, Any] = {
                "archive": name,
                "format": reader.name if reader else None,
                "messages": 0,
                "rejects": 0,
                "tokens": 0,
            }
            for entry in reader.read(path) if reader else [Refusal("unknown_format", "file", "")]:
                if isinstance(entry, Refusal):
                    found["rejects"] += 1
                    continue
                found["messages"] += 1
                found["tokens"] += len(entry.text) // CHARACTERS_PER_TOKEN
                if user := entry.user or given.user:
                    users.add(user)
            files.append(found)
    total: dict[str, int] = {name: sum(file[name] for file in files) for name in ("messages", "rejects", "tokens")}
    total |= {"files": len(files), "users": len(users), "chunks": -(-total["messages"] // MESSAGES_PER_CHUNK)}
    return {"files": files, "total": total}
