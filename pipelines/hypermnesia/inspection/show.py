"""`show ID` and `trace MESSAGE_ID`: what something came from, what it supports, and what each stage said of it."""

from __future__ import annotations

from typing import Any

import polars as pl

from hypermnesia.ports import Lake, VectorIndex
from hypermnesia.rules.activation import Active
from hypermnesia.rules.chunking import reason_left_out
from hypermnesia.rules.identity import Identity
from hypermnesia.views import Bucket, frame

#: Where an id is looked up, by its prefix: table and column.
PLACES = {
    "msg": ("messages", "message_id"),
    "chk": ("chunks", "chunk_id"),
    "ext": ("extractions", "extraction_id"),
    "row": ("records", "row_id"),
    "rej": ("rejects", "reject_id"),
    "vlt": ("vault", "vault_id"),
}
_NEVER_SHOWN = {"ciphertext"}
_MESSAGE = ["message_id", "content_hash", "text", "conversation", "native_id", "part", "kind"]


class Inspector:
    """Looks things up by id. Every look-up scans one column of one table (ids name no user)."""

    def __init__(self, lake: Lake, index: VectorIndex, identity: Identity, active: Active) -> None:
        self._lake = lake
        self._index = index
        self._identity = identity
        self._active = active

    def show(self, identifier: str) -> dict[str, Any]:
        """The thing itself with what it came from and what it supports. Raises `LookupError`."""
        table, column, rows = self._find(identifier)
        shown: dict[str, Any] = {"table": table, "rows": [_tidy(row) for row in rows]}
        bucket = int(rows[0]["bucket"])
        if table == "messages":
            shown["sources"] = self._rows("message_sources", bucket, column, [identifier])
            shown["chunks"] = self._citing("chunks", bucket, "messages", identifier)
            shown["records"] = self._citing("records", bucket, "cited", identifier)
        elif table == "records":
            shown["cites"] = self._messages(bucket, [c["message_id"] for row in rows for c in row["cited"]])
            shown["extraction"] = self._rows("extractions", bucket, "extraction_id", [rows[0]["extraction_id"]])
        elif table == "chunks":
            shown["messages"] = self._messages(bucket, [m["message_id"] for row in rows for m in row["messages"]])
            shown["extractions"] = self._rows("extractions", bucket, "chunk_id", [identifier])
            shown["records"] = self._rows("records", bucket, "chunk_id", [identifier])
        elif table == "extractions":
            shown["records"] = self._rows("records", bucket, "row_id", [i["row_id"] for i in rows[0]["items"]])
        elif table == "vault":  # what it was taken from; the text has the placeholder
            shown["messages"] = self._messages(bucket, [rows[0]["message_id"]])
        return shown

    def trace(self, message_id: str) -> dict[str, Any]:
        """Every stage's verdict on one message: why it is remembered, or why not. Raises `LookupError`."""
        _, _, rows = self._find(message_id)
        number, user = int(rows[0]["bucket"]), rows[0]["user_id"]
        bucket = Bucket(self._lake, self._identity, number, self._active, user)
        verdicts = {"ingest": self._ingested(bucket, message_id), "chunk": self._chunked(bucket, message_id)}
        cites = pl.col("cited").list.eval(pl.element().struct.field("message_id")).list.contains(message_id)
        row_ids = bucket.records.filter(cites)["row_id"].to_list()
        verdicts |= {
            "extract": self._extracted(bucket, message_id, verdicts["chunk"], row_ids),
            "embed": self._embedded(number, row_ids),
            "load_vectors": self._loaded(user, row_ids),
        }
        return {"message_id": message_id, "user_id": user, "is_remembered": bool(row_ids), "stages": verdicts}

    def _ingested(self, bucket: Bucket, message_id: str) -> str:
        seen = (
            bucket.sources.filter(pl.col("message_id") == message_id)
            .select("archive", "locator")
            .unique()
            .sort("archive", "locator")
        )
        revisions = len(bucket.revisions.filter(pl.col("message_id") == message_id))
        places = ", ".join(f"{archive} {locator}" for archive, locator in seen.iter_rows())
        return f"committed, {revisions} revision{'s' if revisions > 1 else ''}, seen in {places}"

    def _chunked(self, bucket: Bucket, message_id: str) -> str:
        message = bucket.messages.filter(pl.col("message_id") == message_id).with_columns(reason=reason_left_out())
        if (reason := message["reason"][0]) is not None:
            return f"left out: {reason}"
        chunks = self._citing("chunks", bucket.number, "messages", message_id)
        return f"in {', '.join(chunk['chunk_id'] for chunk in chunks)}" if chunks else "not cut yet"

    def _extracted(self, bucket: Bucket, message_id: str, chunked: str, row_ids: list[str]) -> str:
        if row_ids:
            return f"in {', '.join(row_ids)}"
        chunk_ids = chunked.removeprefix("in ").split(", ")
        if refused := self._rows("rejects", bucket.number, "subject_id", [message_id, *chunk_ids]):
            return f"rejected: {refused[0]['reason']} ({refused[0]['reject_id']})"
        if self._rows("extractions", bucket.number, "chunk_id", chunk_ids):
            return "no record: it says nothing, or nobody said it"
        return "not reached"

    def _embedded(self, bucket: int, row_ids: list[str]) -> str:
        vectors = self._lake.read("embeddings", columns=["id"], buckets=[bucket], equals={"id": row_ids})
        return f"{vectors.num_rows} vectors" if vectors.num_rows else "none"

    def _loaded(self, user: str, row_ids: list[str]) -> str:
        if self._index.published() is None:
            return "nothing is published"
        reader = self._index.reader()
        try:
            served = sum(row.row_id in row_ids for row in reader.user_rows(user))
        finally:
            reader.close()
        return f"{served} of {len(row_ids)} records served by {reader.generation}"

    def _find(self, identifier: str) -> tuple[str, str, list[dict[str, Any]]]:
        if identifier[:3] not in PLACES:
            raise LookupError(f"{identifier!r} is no id: ids begin with {', '.join(p + '_' for p in PLACES)}")
        table, column = PLACES[identifier[:3]]
        rows = self._lake.read(table, equals={column: identifier}).to_pylist()
        if not rows:
            raise LookupError(f"no {column} {identifier} in this home")
        return table, column, rows

    def _rows(self, table: str, bucket: int, column: str, values: list[str]) -> list[dict[str, Any]]:
        return [_tidy(row) for row in self._lake.read(table, buckets=[bucket], equals={column: values}).to_pylist()]

    def _messages(self, bucket: int, ids: list[str]) -> list[dict[str, Any]]:
        rows = self._rows("messages", bucket, "message_id", ids)
        rows.sort(key=lambda row: ids.index(row["message_id"]))
        return [{name: row.get(name) for name in _MESSAGE} for row in rows]

    def _citing(self, table: str, bucket: int, column: str, message_id: str) -> list[dict[str, Any]]:
        cites = pl.col(column).list.eval(pl.element().struct.field("message_id")).list.contains(message_id)
        return [_tidy(row) for row in frame(self._lake.read(table, buckets=[bucket])).filter(cites).to_dicts()]


def _tidy(row: dict[str, Any]) -> dict[str, Any]:
    """A row without what is empty, for a person; a secret has no bytes here, not even sealed ones."""
    return {name: value for name, value in row.items() if value not in (None, [], "") and name not in _NEVER_SHOWN}
