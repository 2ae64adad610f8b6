"""`show ID` and `trace MESSAGE_ID`: what something came from, what it supports, and what each stage said of it.

Anchors and frames are shown as they follow from the lake, not as a store has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import polars as pl

from hypermnesia.graph_view import UserGraph, user_graphs
from hypermnesia.inspection import skill_paths
from hypermnesia.ports import Frame, GraphIndex, Lake, VectorIndex
from hypermnesia.rules.activation import Active
from hypermnesia.rules.chunking import reason_left_out
from hypermnesia.rules.identity import Identity
from hypermnesia.views import Bucket, frame

#: Where an id is looked up, by its prefix: table and column.
PLACES = {
    "msg": ("messages", "message_id"),
    "chk": ("chunks", "chunk_id"),
    "ans": ("answers", "answer_id"),
    "ext": ("extractions", "extraction_id"),
    "row": ("records", "row_id"),
    "rej": ("rejects", "reject_id"),
    "vlt": ("vault", "vault_id"),
    "men": ("mentions", "mention_id"),
    "anc": ("mentions", "anchor_id"),
    "frm": ("assertions", "frame_id"),
    "dec": ("merges", "decision_id"),
    **skill_paths.PLACES,
}
_NEVER_SHOWN = {"ciphertext"}
_MESSAGE = ["message_id", "content_hash", "text", "conversation", "native_id", "part", "kind"]


class Inspector:
    """Looks things up by id. Every look-up scans one column of one table (ids name no user)."""

    def __init__(self, lake: Lake, index: VectorIndex, graph: GraphIndex, identity: Identity, active: Active) -> None:
        self._lake = lake
        self._index = index
        self._graph = graph
        self._identity = identity
        self._active = active

    def show(self, identifier: str, user: str | None = None) -> dict[str, Any]:
        """The thing itself with what it came from and what it supports. Raises `LookupError`.

        For a `user`, a shared agent's skill comes without the messages of the agent's other users.
        """
        if identifier[:3] in ("anc", "frm"):
            return self._graph_part(identifier)
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
            shown["mentions"] = self._rows("mentions", bucket, "row_id", [identifier])
            shown["assertions"] = self._rows("assertions", bucket, "row_id", [identifier])
        elif table == "chunks":
            shown["messages"] = self._messages(bucket, [m["message_id"] for row in rows for m in row["messages"]])
            shown["extractions"] = self._rows("extractions", bucket, "chunk_id", [identifier])
            shown["records"] = self._rows("records", bucket, "chunk_id", [identifier])
        elif table == "extractions":
            shown["records"] = self._rows("records", bucket, "row_id", [i["row_id"] for i in rows[0]["items"]])
        elif identifier[:3] in skill_paths.PLACES:
            shown |= skill_paths.SkillPaths(self._lake, user).show(table, rows)
        elif table == "vault":  # what it was taken from; the text has the placeholder
            shown["messages"] = self._messages(bucket, [rows[0]["message_id"]])
        return shown

    def _graph_part(self, identifier: str) -> dict[str, Any]:
        """An anchor with its frames, or a frame with its records and their messages."""
        bucket, graph = self._graph_of(identifier)
        names = {anchor.anchor_id: anchor.name for anchor in graph.anchors}
        for anchor in graph.anchors:
            if identifier in anchor.members:
                frames = [f for f in graph.frames if any(r.anchor_id == anchor.anchor_id for r in f.roles)]
                mentions = bucket.mentions.filter(pl.col("anchor_id").is_in(anchor.members)).to_dicts()
                return {
                    "anchor": asdict(anchor),
                    "frames": [_said(f, names) for f in frames],
                    "mentions": [_tidy(mention) for mention in mentions],
                    "merges": bucket.merges.filter(
                        pl.col("left_id").is_in(anchor.members) | pl.col("right_id").is_in(anchor.members)
                    ).to_dicts(),
                }
        for one in graph.frames:
            if one.frame_id == identifier:
                cited = bucket.records.filter(pl.col("row_id").is_in([c.row_id for c in one.citations]))
                ids = [c["message_id"] for row in cited["cited"].to_list() for c in row]
                return {
                    "frame": asdict(one) | {"says": _said(one, names)},
                    "records": [_tidy(row) for row in cited.select("row_id", "memory_type", "text").to_dicts()],
                    "cites": self._messages(bucket.number, ids),
                }
        raise LookupError(f"{identifier} is not in force any more")

    def _graph_of(self, identifier: str) -> tuple[Bucket, UserGraph]:
        """The bucket and graph of an anchor's or frame's user; a split's parts are named by its decision."""
        places = [PLACES[identifier[:3]], ("merges", "right_id")]
        for table, column in places:
            found = self._lake.read(table, columns=["user_id", "bucket"], equals={column: identifier}).to_pylist()
            if found:
                number, user = int(found[0]["bucket"]), found[0]["user_id"]
                bucket = Bucket(self._lake, self._identity, number, self._active, user)
                for graph in user_graphs(bucket, self._identity):
                    return bucket, graph
        raise LookupError(f"no anchor or frame {identifier} in this home")

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
            "resolve": self._resolved(bucket, row_ids),
            "load_vectors": self._loaded(user, row_ids),
            "load_graph": self._in_graph(user, row_ids),
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

    def _resolved(self, bucket: Bucket, row_ids: list[str]) -> str:
        mentions = bucket.mentions.filter(pl.col("row_id").is_in(row_ids))
        if mentions.is_empty():
            return "it names nothing"
        named = sorted({f"{m['surface']} ({m['type']}, {m['anchor_id']})" for m in mentions.iter_rows(named=True)})
        return f"names {', '.join(named)}"

    def _in_graph(self, user: str, row_ids: list[str]) -> str:
        if self._graph.published() is None:
            return "nothing is published"
        reader = self._graph.reader()
        try:
            frames = reader.frames_citing(user, row_ids)
            anchors = reader.anchors(user, sorted({r.anchor_id for f in frames for r in f.roles}))
        finally:
            reader.close()
        names = {anchor.anchor_id: anchor.name for anchor in anchors}
        return "; ".join(_said(frame, names) for frame in frames) or "no frame cites it"

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


def _said(frame: Frame, names: Mapping[str, str]) -> str:
    """A frame in a line: frm_... go(agent Maya, place Lisbon) 2024-05-01 planned."""
    roles = ", ".join(f"{role.role} {names.get(role.anchor_id, role.anchor_id)}" for role in frame.roles)
    first = frame.citations[0]
    words = [
        "not" if first.is_negated else "",
        first.event_start or "",
        "" if first.modality == "done" else first.modality,
    ]
    return " ".join([frame.frame_id, f"{frame.predicate}({roles})", *(word for word in words if word)])


def _tidy(row: dict[str, Any]) -> dict[str, Any]:
    """A row without what is empty, for a person; a secret has no bytes here, not even sealed ones."""
    return {name: value for name, value in row.items() if value not in (None, [], "") and name not in _NEVER_SHOWN}
