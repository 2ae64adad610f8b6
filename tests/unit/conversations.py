"""Rows of `messages` and `message_sources` for tests of rules, and hypothesis strategies of whole conversations."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
from hypothesis import strategies as st

from hypermnesia.contracts.tables import MESSAGE_SOURCES, MESSAGES
from hypermnesia.rules.identity import Identity

Row = dict[str, Any]
IDS = Identity(b"k" * 32)
SAID_OF = ("session", "branch", "speaker", "role", "revised_at", "is_deleted")
START = datetime(2024, 1, 1, 9, tzinfo=UTC)


def message(
    native: str, text: str = "hi", *, user: str = "ann", conversation: str = "c", part: str = "", **more: Any
) -> Row:
    """One row of `messages`, named as ingest names it, with what its sighting says of it (`SAID_OF`)."""
    conversation_id = IDS.conversation(user, "jsonl", conversation)
    return {
        "user_id": user,
        "bucket": 0,
        "message_id": IDS.message(conversation_id, part, native),
        "content_hash": IDS.content(text),
        "conversation_id": conversation_id,
        "conversation": conversation,
        "native_id": native,
        "part": part,
        "parent_message_id": IDS.message(conversation_id, "", native) if part else None,
        "kind": "attachment" if part else "utterance",
        "speaker": "Ann",
        "role": "person",
        "text": text,
        "branch": "",
        "is_deleted": False,
        **more,
    }


def sighting(row: Row, minutes: float | None = 0, sequence: int = 0, **more: Any) -> Row:
    """A row of `message_sources` of a message, said so many minutes after `START` (None: without a time)."""
    at = None if minutes is None else START + timedelta(minutes=minutes)
    return {
        "user_id": row["user_id"],
        "bucket": 0,
        "message_id": row["message_id"],
        "content_hash": row["content_hash"],
        **{name: row.get(name) for name in SAID_OF},
        "archive": "a.jsonl",
        "position": 0,
        "sequence": sequence,
        "said_at": at,
        "said_local": at and at.replace(tzinfo=None).isoformat(),
        "timezone": at and "UTC",
        "is_tz_known": at is not None,
        "seen_at": START,
        **more,
    }


def messages_frame(rows: Iterable[Row]) -> pl.DataFrame:
    kept = [{name: value for name, value in row.items() if name in MESSAGES.schema.names} for row in rows]
    return pl.DataFrame(pl.from_arrow(MESSAGES.table(kept)))


def sources_frame(rows: Iterable[Row]) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(MESSAGE_SOURCES.table(rows)))


@st.composite
def conversations(draw: st.DrawFn, most: int = 70) -> tuple[list[Row], list[Row]]:
    """(messages, sightings) of one or two conversations: sessions, gaps, attachments, deletions, branches, no times."""
    messages: list[Row] = []
    sources: list[Row] = []
    for conversation in draw(st.sampled_from([("c",), ("c", "d")])):
        salt = draw(st.integers(0, 1_000_000))
        has_times = draw(st.booleans())
        has_sessions = draw(st.booleans())
        minutes = 0.0
        for n in range(draw(st.integers(1, most))):
            minutes += draw(st.sampled_from([0, 1, 1, 1, 30, 239, 240, 241]))
            session = f"s{n // 25}" if has_sessions else None
            branch = draw(st.sampled_from(["", "", "", "", "", "other"]))
            taken_back = draw(st.sampled_from([False, False, False, False, True]))
            more = {"session": session, "branch": branch, "is_deleted": taken_back}
            for part in ("", "attachment/000", "attachment/001")[: draw(st.sampled_from([1, 1, 1, 2, 3]))]:
                row = message(f"{salt}-{n}", f"text {n}{part}", conversation=conversation, part=part, **more)
                messages.append(row)
                sources.append(sighting(row, minutes if has_times else None, sequence=n))
    return messages, sources
