"""Shards over the chunks in force, for stages that read passages: extract, and answer, which asks a model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hypermnesia.ports import Lake, Part, Shard
from hypermnesia.rules.chunking import Chunk, cut_chunks, in_sittings
from hypermnesia.rules.cutting import natural_runs
from hypermnesia.rules.extraction import Passage
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.passages import COLUMNS, passage_of
from hypermnesia.stages.rejects import refused_item
from hypermnesia.views import Buckets

#: What a stage reads of chunks beside their passages, by chunk: bucket -> chunk_id -> its mark.
Marks = Callable[[int], Mapping[str, str]]


class ChunkShards:
    """Plans a stage's shards and reads what is in them; the last bucket is kept."""

    def __init__(self, lake: Lake, identity: Identity, shard_messages: int) -> None:
        self._buckets = Buckets(lake, identity)
        self._identity = identity
        self._shard_messages = shard_messages
        self._lock = threading.Lock()
        self._opened: tuple[int, dict[str, Chunk], dict[str, dict[str, Any]]] | None = None

    def plan(self, stage: str, version: str, marks: Marks | None = None) -> Iterator[Shard]:
        """Shards of chunks of one bucket, about `shard_messages` messages each; a long history is many shards."""
        for number in self._buckets.numbers():
            runs = natural_runs(
                self._open(number)[0].values(),
                size=lambda chunk: len(chunk.messages),
                key=lambda chunk: chunk.chunk_id,
                modulus=4,
                most=self._shard_messages,
            )
            marked = marks(number) if marks else {}
            for run in runs:
                content = [part for chunk in run for part in (chunk.chunk_id, chunk.passage_hash)]
                if marks:
                    content += [marked.get(chunk.chunk_id, "") for chunk in run]
                shard_id = self._identity.make("shard", stage, version, *content)
                yield Shard(stage, shard_id, number, tuple(chunk.chunk_id for chunk in run), {"version": version})

    def passages(self, shard: Shard) -> list[tuple[Chunk, Passage]]:
        """The shard's chunks with their passages, in its order."""
        assert shard.bucket is not None
        chunks, messages = self._open(shard.bucket)
        return [(chunks[item], passage_of(chunks[item], messages)) for item in shard.items]

    def chunk(self, shard: Shard, item: str) -> Chunk:
        """One chunk of a shard."""
        assert shard.bucket is not None
        return self._open(shard.bucket)[0][item]

    def refused(self, shard: Shard, item: str, reason: str, detail: str, remedy: str, n: int) -> Part:
        """The part of a chunk that gave nothing, counted as `n` rows."""
        user, version = self.chunk(shard, item).user_id, shard.details.get("version")
        return refused_item(
            self._identity, shard, item, reason, detail, user_id=user, remedy=remedy, n=n, occurrence=version
        )

    def _open(self, bucket: int) -> tuple[dict[str, Chunk], dict[str, dict[str, Any]]]:
        """The bucket's chunks in force, and its messages in force by id."""
        with self._lock:  # a model stage opens shards in a thread
            if self._opened is None or self._opened[0] != bucket:
                self._opened = self._read(bucket)
            return self._opened[1], self._opened[2]

    def _read(self, bucket: int) -> tuple[int, dict[str, Chunk], dict[str, dict[str, Any]]]:
        said = in_sittings(self._buckets.open(bucket).messages)
        chunks = {chunk.chunk_id: chunk for chunk in cut_chunks(said, self._identity)}
        messages = {row["message_id"]: row for row in said.select(COLUMNS).iter_rows(named=True)}
        return bucket, chunks, messages
