"""The records in force, in the order in which they were said: what indexes and questions read (DESIGN 3).

A record is in force where its extraction is: of a chunk in force, by the active version. Depends on the
rows alone, never on their order of arrival.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from hypermnesia.rules.chunking import cut_chunks, in_sittings
from hypermnesia.rules.identity import Identity


def records_in_force(
    messages: pl.DataFrame,
    extractions: pl.DataFrame,
    records: pl.DataFrame,
    identity: Identity,
    active_versions: Collection[str],
) -> pl.DataFrame:
    """Records in force with `conversation_id`, `sitting`, `order` in the conversation, `role` and `context`.

    When it was said is the message's time in force: a time zone that is corrected later moves no id.

    `messages` are those in force (`messages_in_force`); the other two hold all rows of the same users.
    """
    said = in_sittings(messages)
    chunks = pl.DataFrame(
        [(chunk.chunk_id, chunk.content_hash) for chunk in cut_chunks(said, identity)],
        schema={"chunk_id": pl.String, "chunk_hash": pl.String},
        orient="row",
    )
    items = (
        extractions.filter(pl.col("extractor_version").is_in(list(active_versions)))
        .join(chunks, on=["chunk_id", "chunk_hash"], how="semi")
        .select("items")
        .explode("items")
        .drop_nulls()
        .unnest("items")
        .unique("row_id", keep="first", maintain_order=True)
    )
    places = said.with_columns(order=pl.int_range(pl.len()).over("conversation_id")).select(
        "message_id", "conversation_id", "sitting", "order", "role", "said_at", "said_local"
    )
    return (
        records.drop("context", "said_at", "said_local")
        .join(items, on="row_id")
        .with_columns(first_message=pl.col("cited").list.first().struct.field("message_id"))
        .join(places, left_on="first_message", right_on="message_id")
        .sort("conversation_id", "order", "row_id")
    )


def with_row_before(records: pl.DataFrame) -> pl.DataFrame:
    """Adds `previous_speaker` and `previous_text`: the record before it in its sitting, null at the start."""
    sitting = ["conversation_id", "sitting"]
    return records.with_columns(
        previous_speaker=pl.col("speaker").shift().over(sitting), previous_text=pl.col("text").shift().over(sitting)
    )
