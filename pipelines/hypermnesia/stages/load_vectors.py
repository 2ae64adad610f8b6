"""load_vectors: the records in force into the vector store, as a new generation beside the published one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from hypermnesia.ports import IndexRow, Lake, NameRow, Part, Source, VectorIndex
from hypermnesia.rules.activation import Active
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.extraction import EPISODIC, SEMANTIC
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.signals import row_signals
from hypermnesia.stages.embed import wanted_names, wanted_texts
from hypermnesia.views import Bucket, Buckets

NO_VECTOR = "no_vector"

#: (id, text hash) -> the vector, and the packed tokens where the text has any.
Vectors = Mapping[tuple[str, str], tuple[np.ndarray[Any, np.dtype[np.float32]], bytes | None]]

_SERVED = [
    "row_id",
    "user_id",
    "memory_type",
    "text",
    "context",
    "speaker",
    "role",
    "trust",
    "modality",
    "said_local",
    "event_start",
    "event_end",
    "event_precision",
    "conversation_id",
    "order",
    "text_hash",
    "context_hash",
]


class LoadVectors:
    """Brings the vector store to what the lake holds: changed rows are upserted, others dropped."""

    name = "load_vectors"

    def __init__(
        self,
        lake: Lake,
        identity: Identity,
        index: VectorIndex,
        model: str,
        active: Active,
        *,
        is_fresh: bool = False,
    ) -> None:
        self._lake = lake
        self._buckets = Buckets(lake, identity, active)
        self._identity = identity
        self._index = index
        self._model = model
        self._is_fresh = is_fresh

    def load(self) -> Part:
        """Builds and publishes a generation; where nothing changed, the published one stays.

        Counts records and names in force: out were written, merged were there already, deferred have no
        vector yet.
        """
        part = Part(tables={})
        n_rows = n_names = 0
        with self._index.build(is_fresh=self._is_fresh) as build:
            stale, stale_names = dict(build.present()), dict(build.present_names())
            for number in self._buckets.numbers():
                bucket = self._buckets.open(number)
                vectors = self._vectors(number)
                rows = list(self._rows(bucket, vectors, part))
                names = list(self._names(bucket, vectors, part))
                n_rows, n_names = n_rows + len(rows), n_names + len(names)
                changed = [row for row in rows if stale.pop(row.row_id, None) != row.fingerprint]
                new = [name for name in names if stale_names.pop(name.anchor_id, None) != name.text_hash]
                part.n_out += build.upsert(changed) + build.upsert_names(new)
            n_dropped = build.delete(stale) + build.delete_names(stale_names)
            part.n_merged = part.n_in - part.n_out - part.n_deferred
            if part.n_out or n_dropped or self._is_fresh or self._index.published() is None:
                build.publish(n_rows, n_names)
        if n_dropped:
            part.reasons["dropped_from_index"] = n_dropped
        return part

    def _names(self, bucket: Bucket, vectors: Vectors, part: Part) -> Iterator[NameRow]:
        """The bucket's names in force that have a vector."""
        for name in wanted_names(bucket, self._identity):
            part.n_in += 1
            found = vectors.get((name.id, name.hash))
            if found is None:
                _defer(part)
            else:
                yield NameRow(name.id, name.user_id, self._model, name.hash, found[0])

    def _rows(self, bucket: Bucket, vectors: Vectors, part: Part) -> Iterator[IndexRow]:
        """The bucket's records in force that have both vectors."""
        records = wanted_texts(bucket, self._identity)
        part.n_in += len(records)
        sources, signals = _sources(bucket), _signals(bucket)
        columns = [*_SERVED, "said_at", "sitting", "cited"]
        for record in records.select(columns).iter_rows(named=True):
            own = vectors.get((record["row_id"], record["text_hash"]))
            context = vectors.get((record["row_id"], record["context_hash"]))
            if own is None or context is None:
                _defer(part)
                continue
            said_at, sitting = record.pop("said_at"), record.pop("sitting")
            cited = [revision["message_id"] for revision in record.pop("cited")]
            served = {
                **record,
                "said_at": said_at.isoformat() if said_at else None,
                "session": f"{record['conversation_id']}/{sitting}",
                "sources": tuple(source for message_id in cited for source in sources.get(message_id, ())),
                "signals": signals.get(record["row_id"], ()),
                "model": self._model,
            }
            yield IndexRow(
                **served,
                fingerprint=self._fingerprint(served),
                vector=own[0],
                context_vector=context[0],
                tokens=context[1] or b"",
            )

    def _vectors(self, bucket: int) -> Vectors:
        columns = ["id", "text_hash", "vector", "tokens"]
        rows = self._lake.read("embeddings", columns=columns, buckets=[bucket], equals={"model": self._model})
        flat = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        matrix = flat.reshape(rows.num_rows, -1) if rows.num_rows else flat.reshape(0, 1)
        keys = zip(rows["id"].to_pylist(), rows["text_hash"].to_pylist(), strict=True)
        return dict(zip(keys, zip(matrix, rows["tokens"].to_pylist(), strict=True), strict=True))

    def _fingerprint(self, served: dict[str, Any]) -> str:
        """Of all that is served but the vectors, which their hashes stand for: a change loads the row again."""
        plain = served | {
            "sources": [[s.message_id, s.archive, s.conversation, s.native_id] for s in served["sources"]]
        }
        return self._identity.content(json.dumps(plain, sort_keys=True, ensure_ascii=False))


def _defer(part: Part) -> None:
    part.n_deferred += 1
    part.reasons[NO_VECTOR] = part.reasons.get(NO_VECTOR, 0) + 1


def _sources(bucket: Bucket) -> dict[str, tuple[Source, ...]]:
    """Where each message in force was seen, one an archive, sorted."""
    seen = (
        bucket.messages.select("message_id", "conversation", "native_id")
        .join(bucket.sources.select("message_id", "archive").unique(), on="message_id")
        .sort("message_id", "archive")
    )
    by_message: dict[str, tuple[Source, ...]] = {}
    for message_id, conversation, native_id, archive in seen.iter_rows():
        source = Source(message_id, archive, conversation, native_id)
        by_message[message_id] = (*by_message.get(message_id, ()), source)
    return by_message


def _signals(bucket: Bucket) -> dict[str, tuple[str, ...]]:
    """The signals of each record in force that asserts something.

    What a turn states as a fact is a record of its own; the turn that says it carries the fact's signals too, since
    turns are what a question ranks.
    """
    names = bucket.mentions.select("mention_id", "type", "key").iter_rows()
    anchors = {mention_id: (kind, key) for mention_id, kind, key in names}
    speakers = dict(bucket.records.select("row_id", "speaker").iter_rows())
    turns = _turns_of(bucket)
    by_row: dict[str, list[dict[str, Any]]] = {}
    for assertion in bucket.assertions.iter_rows(named=True):
        for row_id in (assertion["row_id"], *turns.get(assertion["row_id"], ())):
            by_row.setdefault(row_id, []).append(assertion)
    return {
        row_id: row_signals(assertions, anchors, anchor_key(speakers[row_id])) for row_id, assertions in by_row.items()
    }


def _turns_of(bucket: Bucket) -> dict[str, list[str]]:
    """The row of each fact -> the rows of the turns that say it."""
    cited = bucket.records.select(
        "row_id", "memory_type", message_id=pl.col("cited").list.eval(pl.element().struct.field("message_id"))
    ).explode("message_id")
    facts = cited.filter(pl.col("memory_type") == SEMANTIC)
    turns = cited.filter(pl.col("memory_type") == EPISODIC).select("message_id", turn="row_id")
    pairs = facts.join(turns, on="message_id").unique(["row_id", "turn"]).sort("row_id", "turn")
    found: dict[str, list[str]] = {}
    for row_id, turn in pairs.select("row_id", "turn").iter_rows():
        found.setdefault(row_id, []).append(turn)
    return found
