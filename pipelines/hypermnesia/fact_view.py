"""The facts that semantic records state of each anchor, as they are in force."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.stated_facts import Stated, fact_of
from hypermnesia.views import Bucket

#: (user, anchor as written, fact, value, messages that state it)
_Found = tuple[str, str, str, str, frozenset[str]]


def stated_facts(bucket: Bucket) -> dict[str, dict[str, list[Stated]]]:
    """user -> anchor as written, before splits -> what is stated of it, sorted.

    Read from what a semantic record says of its subject ("birthday"), and from attributes of its frames about who
    acts in them. What is denied, planned or supposed states nothing.
    """
    semantic = bucket.records.filter(
        (pl.col("memory_type") == "semantic")
        & ~pl.col("is_negated").fill_null(False)
        & (pl.col("modality").fill_null("done") == "done")
    )
    found: dict[str, dict[str, set[Stated]]] = defaultdict(lambda: defaultdict(set))
    for user, anchor_id, fact, value, message_ids in (*_of_records(bucket, semantic), *_of_frames(bucket, semantic)):
        found[user][anchor_id].add(Stated(fact, value, message_ids))
    return {
        user: {
            anchor_id: sorted(stated, key=lambda s: (s.fact, s.value, sorted(s.message_ids)))
            for anchor_id, stated in sorted(anchors.items())
        }
        for user, anchors in found.items()
    }


def _of_records(bucket: Bucket, semantic: pl.DataFrame) -> Iterator[_Found]:
    """Of {"predicate", "subject", "value"} of a record; the subject is a person of that name, if any is known."""
    rows = [
        (row["user_id"], _messages(row), values)
        for row in semantic.select("user_id", "cited", "attributes").iter_rows(named=True)
        if {"predicate", "subject", "value"} <= (values := _pairs(row)).keys()
    ]
    told = [(user, ids, v["subject"], fact) for user, ids, v in rows if (fact := fact_of(v["predicate"], v["value"]))]
    if not told:
        return
    people = bucket.mentions.filter(pl.col("type") == "person").select("user_id", "key", "anchor_id").unique()
    known = {(user, key): anchor_id for user, key, anchor_id in people.iter_rows()}
    for user, message_ids, subject, fact in told:
        if anchor_id := known.get((user, anchor_key(subject) or "")):
            yield user, anchor_id, *fact, message_ids


def _of_frames(bucket: Bucket, semantic: pl.DataFrame) -> Iterator[_Found]:
    frames = bucket.assertions.filter(pl.col("attributes").list.len() > 0)
    joined = frames.select("user_id", "row_id", "predicate", "roles", "attributes").join(
        semantic.select("row_id", "cited"), on="row_id"
    )
    for row in joined.iter_rows(named=True):
        agents = [role["anchor_id"] for role in row["roles"] if role["role"] == "agent"]
        for name, value in _pairs(row).items() if len(agents) == 1 else ():
            is_day = name in ("date", "value")
            if fact := fact_of(row["predicate"] if is_day else name, value):
                yield row["user_id"], agents[0], *fact, _messages(row)


def _messages(row: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(revision["message_id"] for revision in row["cited"])


def _pairs(row: Mapping[str, Any]) -> dict[str, str]:
    return {pair["key"]: pair["value"] for pair in row["attributes"]}
