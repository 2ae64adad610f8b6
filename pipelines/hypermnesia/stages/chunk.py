"""chunk: conversations are cut into chunks, by the rule in `rules/chunking.py`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import polars as pl

from hypermnesia.contracts.tables import CHUNKS
from hypermnesia.ports import Lake, Part, Shard
from hypermnesia.rules.chunking import Chunk, cut_chunks, in_sittings, reason_left_out
from hypermnesia.rules.cutting import natural_runs
from hypermnesia.rules.identity import Identity
from hypermnesia.stages.rejects import refused_item
from hypermnesia.views import Buckets

VERSION = "chunk-1"

#: What a conversation's chunks depend on: a change in any of these cuts it again.
_CUT_BY = ["message_id", "content_hash", "said_at", "session", "branch", "is_deleted"]


class ChunkStage:
    """The chunk stage over all conversations of the lake."""

    name = "chunk"
    version = VERSION
    tables = ("chunks",)
    counted_table = None

    def __init__(self, lake: Lake, identity: Identity, shard_messages: int) -> None:
        self._buckets = Buckets(lake, identity)
        self._identity = identity
        self._shard_messages = shard_messages

    def plan(self) -> Iterator[Shard]:
        """Shards of whole conversations of one bucket, about `shard_messages` messages each."""
        for number in self._buckets.numbers():
            messages = self._buckets.open(number).messages
            states = messages.select("conversation_id", pl.struct(_CUT_BY).struct.json_encode())
            conversations = [
                (conversation, [state for _, state in rows])
                for conversation, rows in groupby(states.iter_rows(), key=lambda row: row[0])
            ]
            runs = natural_runs(
                conversations,
                size=lambda c: len(c[1]),
                key=lambda c: c[0],
                modulus=8,
                most=self._shard_messages,
            )
            for run in runs:
                parts = [part for conversation, rows in run for part in (conversation, *rows)]
                shard_id = self._identity.make("shard", self.name, self.version, *parts)
                yield Shard(self.name, shard_id, number, tuple(conversation for conversation, _ in run))

    def run(self, shard: Shard) -> Iterator[Part]:
        """The chunks of the shard's conversations; messages that are in none are deferred with a reason."""
        assert shard.bucket is not None
        messages = self._buckets.open(shard.bucket).messages.filter(pl.col("conversation_id").is_in(list(shard.items)))
        reasons = messages.select(reason=reason_left_out()).drop_nulls().group_by("reason").len()
        n_deferred = int(reasons["len"].sum())
        characters = dict(messages.select("message_id", pl.col("text").str.len_chars()).iter_rows())
        rows = [_row(chunk, characters, shard) for chunk in cut_chunks(in_sittings(messages), self._identity)]
        yield Part(
            tables={"chunks": CHUNKS.table(rows)},
            n_in=len(messages),
            n_out=len(messages) - n_deferred,
            n_deferred=n_deferred,
            reasons=dict(reasons.iter_rows()),
        )

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A conversation that could not be cut."""
        assert shard.bucket is not None
        messages = self._buckets.open(shard.bucket).messages.filter(pl.col("conversation_id") == item)
        user, remedy = messages["user_id"][0], "read its messages with `show`; the other conversations went on"
        return refused_item(self._identity, shard, item, reason, detail, user_id=user, remedy=remedy, n=len(messages))


def _row(chunk: Chunk, characters: dict[str, int], shard: Shard) -> dict[str, object]:
    return {
        "user_id": chunk.user_id,
        "bucket": shard.bucket,
        "chunk_id": chunk.chunk_id,
        "content_hash": chunk.content_hash,
        "conversation_id": chunk.conversation_id,
        "messages": [{"message_id": m, "content_hash": h} for m, h in chunk.messages],
        "lead": [{"message_id": m, "content_hash": h} for m, h in chunk.lead],
        "n_messages": len(chunk.messages),
        "n_characters": sum(characters[m] for m, _ in chunk.messages),
        "shard_id": shard.id,
    }
