"""How a conversation is cut into chunks: runs of one session that an extractor reads at once (DESIGN 3).

A chunk ends after a message whose id mod 16 is 0, within at least 6 and at most 32 messages. What came
with a message (an attachment) stays in its chunk. `lead` is what was said just before in the session.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any

import polars as pl

from hypermnesia.rules.cutting import natural_runs
from hypermnesia.rules.identity import Identity

LEAST, MOST, MODULUS = 6, 32, 16
SESSION_GAP = timedelta(hours=4)
LEAD_TURNS = 2

#: What an archive says of a message that changes how it is read.
_HEARD = ("speaker", "role", "said_local", "timezone")

Revision = tuple[str, str]
Turn = list[dict[str, Any]]

#: Why a message is in no chunk.
DELETED, OTHER_BRANCH = "deleted", "other_branch"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of message revisions and what was said just before them.

    `passage_hash` is of all that an extractor reads of them: also who spoke, and when by which clock.
    """

    chunk_id: str
    content_hash: str
    passage_hash: str
    user_id: str
    conversation_id: str
    messages: tuple[Revision, ...]
    lead: tuple[Revision, ...]


def reason_left_out() -> pl.Expr:
    """Why a message in force is in no chunk; null for one that is in a chunk."""
    return pl.when("is_deleted").then(pl.lit(DELETED)).when(pl.col("branch") != "").then(pl.lit(OTHER_BRANCH))


def in_sittings(messages: pl.DataFrame) -> pl.DataFrame:
    """Those messages in force (and in order) that belong to chunks, with `sitting`: 0, 1, ... in a conversation.

    A sitting is the archive's own session, else it ends where nobody spoke for `SESSION_GAP`.
    """
    session = pl.col("session").fill_null("")
    is_other = session != session.shift()
    is_gap = (session == "") & (pl.col("said_at") - pl.col("said_at").shift() > SESSION_GAP)
    is_new = (is_other | is_gap).fill_null(False)
    said = messages.filter(reason_left_out().is_null())
    return said.with_columns(sitting=is_new.cum_sum().over("conversation_id"))


def cut_chunks(said: pl.DataFrame, identity: Identity) -> Iterator[Chunk]:
    """The chunks in force of whole conversations, from `in_sittings`."""
    columns = ["message_id", "content_hash", "user_id", "conversation_id", "head_id", "sitting"]
    columns += list(_HEARD)
    rows = said.select(columns).iter_rows(named=True)
    for _, sitting in groupby(rows, key=lambda row: (row["conversation_id"], row["sitting"])):
        turns = [list(turn) for _, turn in groupby(sitting, key=lambda row: row["head_id"])]
        yield from _cut_sitting(turns, identity)


def _cut_sitting(turns: list[Turn], identity: Identity) -> Iterator[Chunk]:
    before: list[Turn] = []
    runs = natural_runs(
        turns,
        size=len,
        key=lambda turn: turn[0]["message_id"],
        modulus=MODULUS,
        least=LEAST,
        most=MOST,
    )
    for run in runs:
        yield _chunk(run, before, identity)
        before = run[-LEAD_TURNS:]


def _chunk(run: list[Turn], before: list[Turn], identity: Identity) -> Chunk:
    first = run[0][0]
    messages, lead = _revisions(run), _revisions(before)
    content = [part for revision in (*lead, ("|", "|"), *messages) for part in revision]
    content_hash = identity.make("content", *content)
    heard = [row[name] for turn in (*before, *run) for row in turn for name in _HEARD]
    return Chunk(
        chunk_id=identity.make("chunk", first["user_id"], first["conversation_id"], messages[0][0]),
        content_hash=content_hash,
        passage_hash=identity.make("content", content_hash, *heard),
        user_id=first["user_id"],
        conversation_id=first["conversation_id"],
        messages=messages,
        lead=lead,
    )


def _revisions(turns: list[Turn]) -> tuple[Revision, ...]:
    return tuple((row["message_id"], row["content_hash"]) for turn in turns for row in turn)
