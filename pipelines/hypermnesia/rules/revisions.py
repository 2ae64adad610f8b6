"""The messages in force: which revision, said when, in which order.

Pure over `messages` and `message_sources`; depends on nothing but the rows, so not on their order of
arrival. What an archive says of a message (time, zone, speaker, session, ...) comes from one sighting of
it: one whose zone is known first, then the latest run's, then by archive and position.
"""

from __future__ import annotations

import polars as pl

SIGHTING = [
    "title",
    "session",
    "branch",
    "speaker",
    "role",
    "sequence",
    "said_at",
    "said_local",
    "timezone",
    "is_tz_known",
]


def messages_in_force(messages: pl.DataFrame, sources: pl.DataFrame) -> pl.DataFrame:
    """One row a message, in the order in which they were said, with `SIGHTING` columns and `head_id`.

    The revision is the one written last (then the largest hash, to be total); what was taken back stays so,
    with all that came with it. `head_id` is the message that a part came with, else its own id; a part has
    its head's place and time. By conversation, time and sequence; a message without a time
    stands before those that have one.
    """
    revisions = messages.join(_revisions(sources), on=["message_id", "content_hash"]).with_columns(
        head_id=pl.coalesce("parent_message_id", "message_id")
    )
    deleted_heads = revisions.filter(pl.col("is_deleted"))["message_id"].implode()
    return (
        revisions.with_columns(is_deleted=pl.col("is_deleted") | pl.col("head_id").is_in(deleted_heads))
        .join(_sightings(sources), left_on="head_id", right_on="message_id", how="left")
        .sort("conversation_id", "said_at", "sequence", "head_id", "part", "message_id", nulls_last=False)
    )


def _revisions(sources: pl.DataFrame) -> pl.DataFrame:
    """Which revision of each message is in force."""
    last = sources.sort("message_id", "is_deleted", "revised_at", "content_hash", nulls_last=False)
    columns = ["message_id", "content_hash", "is_deleted", "revised_at"]
    return last.group_by("message_id", maintain_order=True).last().select(columns)


def _sightings(sources: pl.DataFrame) -> pl.DataFrame:
    """What is believed of each message's time, place and speaker."""
    best_first = sources.sort(
        "message_id",
        "is_tz_known",
        "seen_at",
        "archive",
        "position",
        "timezone",
        descending=[False, True, True, False, False, False],
        nulls_last=True,
    )
    return best_first.group_by("message_id", maintain_order=True).first().select("message_id", *SIGHTING)
