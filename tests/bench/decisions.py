"""How fast decisions about names become a graph: merges and undos per second, one decision at a time.

Users with known people, organisations and places (`inspection/people.py`), each naming a mention of a record, and a
frame over every two namings that follow each other in a session. A decision is added or taken back, the user's view is
computed anew, and what differs is written into SQLite. Reading the lake and publishing are not counted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from hypermnesia.adapters.sqlite import SqliteGraphIndex
from hypermnesia.contracts.tables import ASSERTIONS, MENTIONS, MERGES, RECORDS
from hypermnesia.graph_view import UserGraph, user_graphs
from hypermnesia.inspection.people import KnownUser, make_user
from hypermnesia.ports import GraphBuild, GraphCounts
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.identity import Identity
from hypermnesia.views import frame

IDS = Identity(b"a key for measuring")
AT = datetime(2031, 1, 1, tzinfo=UTC)
MOST_DECISIONS = 60  # a user: each is one view anew, so a rate needs no more
Row = dict[str, Any]


@dataclass
class MemoryBucket:
    """One user's rows, as `views.Bucket` gives them."""

    records: pl.DataFrame
    mentions: pl.DataFrame
    assertions: pl.DataFrame
    merges: pl.DataFrame


def measure_decisions(folder: Path, n_users: int) -> dict[str, float]:
    """{"merges_per_s", "undos_per_s", "n_decisions"}."""
    users = [(user.user_id, *_rows(user)) for user in map(make_user, range(n_users))]
    seconds = {"merges": 0.0, "undos": 0.0}
    n_decisions = 0
    index = SqliteGraphIndex(folder)
    with index.build(is_fresh=True) as build:
        total = GraphCounts.of([], [])
        for _, bucket, decisions in users:
            before = _apply(build, bucket, [])
            taken: list[Row] = []
            steps = {"merges": decisions, "undos": [_undo(row) for row in decisions]}
            for name, rows in steps.items():
                started = time.perf_counter()
                for row in rows:
                    taken.append(row)
                    after = _apply(build, bucket, taken)
                seconds[name] += time.perf_counter() - started
            n_decisions += len(decisions)
            assert after.fingerprint == before.fingerprint, "what was undone is as before"
            total += GraphCounts.of(after.anchors, after.frames)
        build.publish(total)
    return {"n_decisions": n_decisions} | {f"{n}_per_s": round(n_decisions / s, 1) for n, s in seconds.items()}


def _apply(build: GraphBuild, bucket: MemoryBucket, decisions: Sequence[Row]) -> UserGraph:
    bucket.merges = frame(MERGES.table(decisions))
    (graph,) = user_graphs(bucket, IDS)  # type: ignore[arg-type]
    stale = dict(build.present(graph.user_id))
    anchors = [a for a in graph.anchors if stale.pop(a.anchor_id, None) != a.fingerprint]
    frames = [f for f in graph.frames if stale.pop(f.frame_id, None) != f.fingerprint]
    build.apply(graph.user_id, graph.fingerprint, anchors, frames, stale)
    return graph


def _rows(user: KnownUser) -> tuple[MemoryBucket, list[Row]]:
    """A user's rows, and a person's decision for each further name of a thing."""
    owner = {"user_id": user.user_id, "bucket": 0, "shard_id": "x"}
    records, mentions, assertions = [], [], []
    first: dict[str, Row] = {}
    pairs: dict[str, tuple[Row, Row]] = {}
    last: dict[int, Row] = {}
    for number, naming in enumerate(user.namings):
        key = anchor_key(naming.surface) or naming.surface
        row_id = IDS.make("record", user.user_id, str(number))
        mention = owner | {
            "mention_id": IDS.make("mention", row_id), "extraction_id": "e", "row_id": row_id, "message_id": row_id,
            "surface": naming.surface, "type": naming.type, "key": key,
            "anchor_id": IDS.anchor(user.user_id, naming.type, key),
        }  # fmt: skip
        said = {"said_local": f"{naming.session:05}", "attributes": [], "cited": []}
        records.append(owner | {"row_id": row_id, "memory_type": "semantic"} | said)
        mentions.append(mention)
        kept = first.setdefault(naming.identity, mention)
        if kept["anchor_id"] != mention["anchor_id"]:
            pairs.setdefault(mention["anchor_id"], (kept, mention))
        if (before := last.get(naming.session)) and before["anchor_id"] != mention["anchor_id"]:
            assertions.append(owner | _assertion(before, mention))
        last[naming.session] = mention
    taken = list(pairs.values())[:MOST_DECISIONS]
    decisions = [owner | _same(left, right, n) for n, (left, right) in enumerate(taken)]
    tables = (RECORDS.table(records), MENTIONS.table(mentions), ASSERTIONS.table(assertions), MERGES.table([]))
    return MemoryBucket(*map(frame, tables)), decisions


def _assertion(before: Row, mention: Row) -> Row:
    roles = [
        {"role": role, "mention_id": m["mention_id"], "anchor_id": m["anchor_id"]}
        for role, m in (("agent", before), ("object", mention))
    ]
    ids = [role["anchor_id"] for role in roles]
    return {
        "frame_id": IDS.make("frame", *ids), "row_id": mention["row_id"], "extraction_id": "e", "predicate": "know",
        "is_event": False, "occurrence": "", "roles": roles, "event_precision": "unknown", "modality": "done",
        "is_negated": False, "attributes": [],
    }  # fmt: skip


def _same(left: Row, right: Row, number: int) -> Row:
    ids = sorted((left["anchor_id"], right["anchor_id"]))
    return {
        "decision_id": IDS.make("decision", *ids), "decision": "same", "left_id": ids[0], "right_id": ids[1],
        "mention_ids": [], "judge": "person", "decided_at": AT + timedelta(seconds=number),
    }  # fmt: skip


def _undo(row: Row) -> Row:
    decision_id = IDS.make("decision", "undone", row["decision_id"])
    return row | {"decision_id": decision_id, "decision": "undone", "undoes": row["decision_id"]}
