"""`digest`: what the lake, its view and the index hold, order-free (DESIGN 10)."""

from __future__ import annotations

from typing import Any

from hypermnesia.contracts.tables import TABLES
from hypermnesia.graph_view import user_graphs
from hypermnesia.ports import GraphIndex, Lake, VectorIndex
from hypermnesia.rules.activation import Active
from hypermnesia.rules.digests import LEFT_OUT, Digest, combine
from hypermnesia.rules.identity import Identity
from hypermnesia.views import Bucket

_NOT_IN_LAKE_DIGEST = ("commits", "runs")
_MESSAGE = ["message_id", "content_hash", "said_at", "said_local", "timezone", "is_tz_known", "text", "speaker"]
_RECORD = ["row_id", "text", "context", "said_at", "speaker", "trust", "extractor_version", "memory_type"]
_RECORD += ["event_start", "event_end", "event_precision", "modality", "is_negated"]


def digest(lake: Lake, index: VectorIndex, graph: GraphIndex, identity: Identity, active: Active) -> dict[str, Any]:
    """{"lake", "view", "vectors", "graph", "tables": {name: digest}}; each table and bucket read once."""
    tables = {name: _table(lake, name) for name in TABLES if name not in _NOT_IN_LAKE_DIGEST}
    vectors = Digest()
    vectors.add({"id": i, "model": m, "text_hash": h} for i, m, h in index.entries())
    loaded = Digest()
    loaded.add({"user_id": u, "id": i, "fingerprint": f} for u, i, f in graph.entries())
    return {
        "lake": combine(tables),
        "view": combine(_view(lake, identity, active)),
        "vectors": vectors.text(),
        "graph": loaded.text(),
        "tables": tables,
    }


def _table(lake: Lake, name: str) -> str:
    total = Digest()
    columns = [column for column in TABLES[name].schema.names if column not in LEFT_OUT]
    for bucket in lake.buckets(name):
        for batch in lake.read(name, columns=columns, buckets=[bucket]).to_batches(max_chunksize=10_000):
            total.add(batch.to_pylist())
    return total.text()


def _view(lake: Lake, identity: Identity, active: Active) -> dict[str, str]:
    messages, records, graph = Digest(), Digest(), Digest()
    for number in lake.buckets("messages"):
        bucket = Bucket(lake, identity, number, active)
        messages.add(bucket.messages.select(_MESSAGE).iter_rows(named=True))
        records.add(bucket.records.select(_RECORD).iter_rows(named=True))
        for user in user_graphs(bucket, identity):
            graph.add({"id": part.fingerprint} for part in user.parts)
    return {"messages": messages.text(), "records": records.text(), "graph": graph.text()}
