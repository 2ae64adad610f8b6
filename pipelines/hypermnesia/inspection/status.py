"""`status` and `rejects`: what was done, and what was refused and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypermnesia.contracts.tables import TABLES
from hypermnesia.ports import Lake, VectorIndex
from hypermnesia.rules.activation import Active
from hypermnesia.rules.grounding_reasons import NO_ANSWER, REMEDIES


def status(lake: Lake, index: VectorIndex, stages: list[str], active: Active) -> dict[str, Any]:
    """Shards and rows of each stage by its committed shards, rows a table, what is in force, the last runs."""
    commits = lake.read("commits").to_pylist()
    names = ["n_in", "n_out", "n_rejected", "n_merged", "n_deferred"]
    done = {stage: [row for row in commits if row["stage"] == stage] for stage in stages}
    runs = sorted(lake.read("runs").to_pylist(), key=lambda row: row["started_at"])
    return {
        "stages": {
            stage: {"n_shards": len(rows)} | {name: sum(row[name] for row in rows) for name in names}
            for stage, rows in done.items()
        },
        "tables": {name: lake.read(name, columns=["shard_id"]).num_rows for name in TABLES},
        "active": {memory_type: list(versions) for memory_type, versions in active.items()},
        "generation": index.published(),
        "runs": [
            {name: row[name] for name in ("run_id", "command", "status", "started_at", "seconds", "error")}
            for row in runs[-5:]
        ],
    }


#: Where a stage's refused item shows up once it went through: table and column of the item's id.
_GONE_THROUGH = {
    "chunk": ("chunks", "conversation_id"),
    "embed": ("embeddings", "id"),
}
_READS_CHUNKS = ("answer", "extract")


def rejects(lake: Lake, stage: str | None = None) -> Iterator[dict[str, Any]]:
    """What was refused and did not go through since, by stage, archive and place."""
    rows = lake.read("rejects", equals={"stage": stage} if stage else None).to_pylist()
    for name, (table, column) in _GONE_THROUGH.items():
        if items := [row["subject_id"] for row in rows if row["stage"] == name]:
            through = set(lake.read(table, columns=[column], equals={column: items})[column].to_pylist())
            rows = [row for row in rows if row["stage"] != name or row["subject_id"] not in through]
    rows = _not_read_since(lake, rows)
    rows.sort(key=lambda row: (row["stage"], row["archive"] or "", row["locator"] or "", row["reject_id"]))
    names = ("reject_id", "stage", "reason", "archive", "locator", "user_id", "subject_id", "detail", "remedy")
    yield from ({name: row[name] for name in names if row[name]} for row in rows)


def _not_read_since(lake: Lake, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without chunks that were refused whole and that the same extractor version has read since."""
    whole = [
        r for r in rows if r["stage"] in _READS_CHUNKS and (r["reason"] not in REMEDIES or r["reason"] == NO_ANSWER)
    ]
    if not whole:
        return rows
    shards = sorted({row["shard_id"] for row in whole})
    commits = lake.read("commits", columns=["shard_id", "version"], equals={"shard_id": shards}).to_pylist()
    versions = {row["shard_id"]: row["version"] for row in commits}
    columns, chunks = ["chunk_id", "extractor_version"], sorted({row["subject_id"] for row in whole})
    read = lake.read("extractions", columns=columns, equals={"chunk_id": chunks}).to_pylist()
    through = {(row["chunk_id"], row["extractor_version"]) for row in read}
    gone = {row["reject_id"] for row in whole if (row["subject_id"], versions.get(row["shard_id"])) in through}
    return [row for row in rows if row["reject_id"] not in gone]
