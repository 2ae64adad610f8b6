"""A chunk's messages as an extractor reads them: turns, each a message with what came with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.chunking import Chunk, Revision
from hypermnesia.rules.extraction import Passage, Turn
from hypermnesia.rules.verbatim import turn_text

#: The columns of messages in force that a passage is made of.
COLUMNS = (
    "message_id",
    "content_hash",
    "head_id",
    "part",
    "kind",
    "speaker",
    "role",
    "text",
    "said_at",
    "said_local",
    "timezone",
    "is_tz_known",
    "attributes",
)


def passage_of(chunk: Chunk, messages: Mapping[str, Mapping[str, Any]]) -> Passage:
    """The passage of a chunk; `messages` are those in force by id, with `COLUMNS`."""
    lead = _turns(chunk.lead, messages, chunk.user_id)
    turns = _turns(chunk.messages, messages, chunk.user_id)
    people = sorted({turn.speaker for turn in (*lead, *turns) if not turn.is_system})
    return Passage(chunk.user_id, chunk.chunk_id, chunk.content_hash, lead, turns, tuple(people))


def _turns(revisions: Sequence[Revision], messages: Mapping[str, Mapping[str, Any]], owner: str) -> tuple[Turn, ...]:
    rows = (messages[message_id] for message_id, _ in revisions)
    return tuple(_turn(list(turn), owner) for _, turn in groupby(rows, key=lambda row: row["head_id"]))


def _turn(rows: Sequence[Mapping[str, Any]], owner: str) -> Turn:
    """A turn; the owner whom the archive calls by a role alone ("user") speaks under the name of the memory."""
    head = rows[0]
    is_nameless = head["role"] == "user" and anchor_key(head["speaker"] or "") is None
    said = next((m["text"] for m in rows if not m["part"]), "")
    return Turn(
        message_id=head["message_id"],
        content_hash=head["content_hash"],
        cited=tuple((m["message_id"], m["content_hash"]) for m in rows),
        parts=tuple(m["text"] for m in rows),
        speaker=owner if is_nameless else head["speaker"],
        role=head["role"],
        kind=head["kind"],
        text=head["text"],
        record_text=turn_text(said, [(_type(m), m["text"]) for m in rows if m["part"]]),
        said_at=head["said_at"],
        said_local=datetime.fromisoformat(head["said_local"]) if head["said_local"] else None,
        timezone=head["timezone"],
        is_tz_known=bool(head["is_tz_known"]),
        attributes=tuple((a["key"], a["value"]) for a in head["attributes"]),
    )


def _type(attachment: Mapping[str, Any]) -> str:
    return next((a["value"] for a in attachment["attributes"] if a["key"] == "type"), "attachment")
