"""The records in force, in the order in which they were said: what indexes and questions read (DESIGN 3).

A record is in force where its extraction is: of a passage in force, by the newest activated version that has
read it, for each memory type. Depends on the rows alone, never on their order of arrival.
"""

from __future__ import annotations

import polars as pl

from hypermnesia.rules.activation import Active
from hypermnesia.rules.chunking import cut_chunks, in_sittings
from hypermnesia.rules.identity import Identity

#: What the passage makes of a record: said by the extraction in force, not by the record that was first written.
_BY_ITEM = (
    "context",
    "event_start",
    "event_end",
    "event_precision",
    "event_timezone",
    "is_event_tz_known",
    "modality",
    "is_negated",
)


def extractions_in_force(
    said: pl.DataFrame, extractions: pl.DataFrame, identity: Identity, active: Active
) -> pl.DataFrame:
    """(extraction_id, memory_type, items) in force; `said` is of `in_sittings`, `extractions` of the same users."""
    passages = pl.DataFrame(
        [(chunk.chunk_id, chunk.passage_hash) for chunk in cut_chunks(said, identity)],
        schema={"chunk_id": pl.String, "passage_hash": pl.String},
        orient="row",
    )
    ranks = pl.DataFrame(
        [(kind, version, rank) for kind, versions in active.items() for rank, version in enumerate(versions)],
        schema={"memory_type": pl.String, "extractor_version": pl.String, "rank": pl.Int64},
        orient="row",
    )
    answer = ["chunk_id", "passage_hash", "memory_type"]
    return (
        extractions.join(passages, on=["chunk_id", "passage_hash"], how="semi")
        .select("extraction_id", "chunk_id", "passage_hash", "memory_types", "extractor_version", "items")
        .explode("memory_types")
        .rename({"memory_types": "memory_type"})
        .join(ranks, on=["memory_type", "extractor_version"])
        .filter(pl.col("rank") == pl.col("rank").min().over(answer))
        .select("extraction_id", "memory_type", "items")
    )


def records_in_force(
    messages: pl.DataFrame,
    extractions: pl.DataFrame,
    records: pl.DataFrame,
    identity: Identity,
    active: Active,
) -> pl.DataFrame:
    """Records in force with `conversation_id`, `sitting`, `order` in the conversation, `role`, and their item's event.

    `extraction_id` is the one in force. When it was said is the message's time in force: a time zone that is
    corrected later moves no id.

    `messages` are those in force (`messages_in_force`); the other two hold all rows of the same users.
    """
    said = in_sittings(messages)
    items = (
        extractions_in_force(said, extractions, identity, active).explode("items").drop_nulls("items").unnest("items")
    )
    places = said.with_columns(order=pl.int_range(pl.len()).over("conversation_id")).select(
        "message_id", "conversation_id", "sitting", "order", "role", "said_at", "said_local"
    )
    return (
        records.drop("said_at", "said_local", "extraction_id", *_BY_ITEM)
        .join(items, on=["row_id", "memory_type"])
        .sort("row_id", "extraction_id")
        .unique("row_id", keep="first", maintain_order=True)
        .with_columns(first_message=pl.col("cited").list.first().struct.field("message_id"))
        .join(places, left_on="first_message", right_on="message_id")
        .sort("conversation_id", "order", "row_id")
    )


def made_in_force(made: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """The mentions or assertions of records in force, those of the extraction in force alone."""
    return made.join(records.select("extraction_id", "row_id"), on=["extraction_id", "row_id"], how="semi")


def with_row_before(records: pl.DataFrame) -> pl.DataFrame:
    """Adds `previous_speaker` and `previous_text`: the turn before it in its sitting, null at the start.

    A turn's words are its episodic or resource record; what else was made of a turn stands beside it, not before.
    """
    sitting = ["conversation_id", "sitting"]
    turns = (
        records.filter(pl.col("memory_type").is_in(["episodic", "resource"]))
        .unique([*sitting, "order"], keep="first", maintain_order=True)
        .select(
            *sitting,
            "order",
            previous_speaker=pl.col("speaker").shift().over(sitting),
            previous_text=pl.col("text").shift().over(sitting),
        )
    )
    return records.join(turns, on=[*sitting, "order"], how="left", maintain_order="left")
