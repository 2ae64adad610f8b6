"""`digest`: what the lake, its view and the index hold, order-free (DESIGN 10)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from hypermnesia.contracts.tables import TABLES
from hypermnesia.ports import Lake, VectorIndex
from hypermnesia.rules.digests import LEFT_OUT, Digest, combine
from hypermnesia.rules.identity import Identity
from hypermnesia.views import Bucket

_NOT_IN_LAKE_DIGEST = ("commits", "runs")
_MESSAGE = ["message_id", "content_hash", "said_at", "said_local", "timezone", "is_tz_known", "text", "speaker"]
_RECORD = ["row_id", "text", "context", "said_at", "speaker", "trust", "extractor_version", "memory_type"]


def digest(lake: Lake, index: VectorIndex, identity: Identity, active_versions: Collection[str]) -> dict[str, Any]:
    """{"lake": ..., "view": ..., "vectors": ..., "tables": {name: digest}}; each table and bucket read once."""
    tables = {name: _table(lake, name) for name in TABLES if name not in _NOT_IN_LAKE_DIGEST}
    vectors = Digest()
    vectors.add({"id": i, "model": m, "text_hash": h} for i, m, h in index.entries())
    return {
        "lake": combine(tables),
        "view": combine(_view(lake, identity, active_versions)),
        "vectors": vectors.text(),
        "tables": tables,
    }


def _table(lake: Lake, name: str) -> str:
    total = Digest()
    columns = [column for column in TABLES[name].schema.names if column not in LEFT_OUT]
    for bucket in lake.buckets(name):
        for batch in lake.read(name, columns=columns, buckets=[bucket]).to_batches(max_chunksize=10_000):
            total.add(batch.to_pylist())
    return total.text()


def _view(lake: Lake, identity: Identity, active_versions: Collection[str]) -> dict[str, str]:
    messages, records = Digest(), Digest()
    for number in lake.buckets("messages"):
        bucket = Bucket(lake, identity, number, active_versions)
        messages.add(bucket.messages.select(_MESSAGE).iter_rows(named=True))
        records.add(bucket.records.select(_RECORD).iter_rows(named=True))
    return {"messages": messages.text(), "records": records.text()}
