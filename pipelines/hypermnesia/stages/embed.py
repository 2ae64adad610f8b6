"""embed: two vectors a record, of its text and of its text with the row before it, with tokens; one vector a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from hypermnesia.contracts.tables import EMBEDDINGS
from hypermnesia.ports import Embedder, Lake, Part, Shard
from hypermnesia.ports.models import Vectors
from hypermnesia.rules.activation import Active
from hypermnesia.rules.cutting import natural_runs
from hypermnesia.rules.embedding_text import own_text, text_before
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.view import with_row_before
from hypermnesia.stages.rejects import refused_item
from hypermnesia.views import Bucket, Buckets

VERSION = "embed-3"

#: The kinds of what has a vector.
RECORD, NAME = "record", "name"


@dataclass(frozen=True, slots=True)
class Text:
    """One text to embed, of one record or name; `before` stands before it where its words get vectors too."""

    user_id: str
    id: str
    text: str
    hash: str
    kind: str
    before: str | None = None


class Embed:
    """The embed stage over the records and names in force, under one model."""

    name = "embed"
    tables = ("embeddings",)
    counted_table = "embeddings"

    def __init__(self, lake: Lake, identity: Identity, embedder: Embedder, active: Active, shard_records: int) -> None:
        self.version = f"{VERSION} {embedder.model}"
        self._lake = lake
        self._buckets = Buckets(lake, identity, active)
        self._identity = identity
        self._embedder = embedder
        self._shard_records = shard_records
        self._opened: tuple[int, dict[str, list[Text]], set[tuple[str, str]]] | None = None

    def plan(self) -> Iterator[Shard]:
        """Shards of records, then of names, of one bucket, about `shard_records` each."""
        for number in self._buckets.numbers():
            runs = natural_runs(
                self._open(number)[0].items(),
                size=lambda _: 1,
                key=lambda item: item[0],
                modulus=64,
                most=self._shard_records,
            )
            for run in runs:
                content = [part for item_id, texts in run for part in (item_id, *(text.hash for text in texts))]
                shard_id = self._identity.make("shard", self.name, self.version, *content)
                yield Shard(self.name, shard_id, number, tuple(item_id for item_id, _ in run))

    def run(self, shard: Shard) -> Iterator[Part]:
        """The vectors that the lake does not have yet; a text that one id has twice is embedded once."""
        assert shard.bucket is not None
        wanted, done = self._open(shard.bucket)
        texts = [text for item in shard.items for text in wanted[item]]
        distinct = {(text.id, text.hash): text for text in texts}
        missing = [text for key, text in distinct.items() if key not in done]
        made = [
            {
                "user_id": text.user_id,
                "bucket": shard.bucket,
                "id": text.id,
                "kind": text.kind,
                "model": self._embedder.model,
                "text_hash": text.hash,
                "vector": vector.tolist(),
                "tokens": tokens,
                "shard_id": shard.id,
            }
            for text, vector, tokens in self._embedded(missing)
        ]
        yield Part(
            tables={"embeddings": EMBEDDINGS.table(made)},
            n_in=len(texts),
            n_out=len(distinct),
            n_merged=len(texts) - len(distinct),
        )

    def _embedded(self, texts: Sequence[Text]) -> Iterator[tuple[Text, Vectors, bytes | None]]:
        plain = [text for text in texts if text.before is None]
        for text, vector in zip(plain, self._embedder.embed([t.text for t in plain]), strict=True):
            yield text, vector, None
        both = [text for text in texts if text.before is not None]
        vectors, tokens = self._embedder.embed_tokens([(t.before or "", t.text) for t in both])
        for text, vector, found in zip(both, vectors, tokens, strict=True):
            yield text, vector, found.pack()

    def _open(self, bucket: int) -> tuple[dict[str, list[Text]], set[tuple[str, str]]]:
        """The bucket's texts, and the (id, text hash) that had vectors when it was opened; the last one is kept."""
        if self._opened is None or self._opened[0] != bucket:
            model = {"model": self._embedder.model}
            known = self._lake.read("embeddings", columns=["id", "text_hash"], buckets=[bucket], equals=model)
            done = set(zip(known["id"].to_pylist(), known["text_hash"].to_pylist(), strict=True))
            self._opened = (bucket, _texts(self._buckets.open(bucket), self._identity), done)
        return self._opened[1], self._opened[2]

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A record or a name without vectors: it stays in the lake, and out of the index until a replay."""
        assert shard.bucket is not None
        texts = self._open(shard.bucket)[0][item]
        user, n, remedy = texts[0].user_id, len(texts), "look at the record with `show`; it stays in the lake"
        return refused_item(self._identity, shard, item, reason, detail, user_id=user, remedy=remedy, n=n)


def _texts(bucket: Bucket, identity: Identity) -> dict[str, list[Text]]:
    """All texts to embed of a bucket by id: two a record, in order, then one a name, by anchor_id."""
    texts: dict[str, list[Text]] = {}
    for row in wanted_texts(bucket, identity).iter_rows(named=True):
        texts[row["row_id"]] = [
            Text(row["user_id"], row["row_id"], row["own"], row["text_hash"], RECORD),
            Text(row["user_id"], row["row_id"], row["own"], row["context_hash"], RECORD, row["before"]),
        ]
    for name in wanted_names(bucket, identity):
        texts[name.id] = [name]
    return texts


def wanted_names(bucket: Bucket, identity: Identity) -> Iterator[Text]:
    """The names to embed, by anchor_id: an anchor's key, which never changes."""
    names = bucket.mentions.select("anchor_id", "user_id", "key").unique("anchor_id").sort("anchor_id")
    for anchor_id, user_id, key in names.iter_rows():
        yield Text(user_id, anchor_id, key, identity.content(key), NAME)


def wanted_texts(bucket: Bucket, identity: Identity) -> pl.DataFrame:
    """The records in force with the texts to embed and their hashes.

    Adds `own` and `before`, `text_hash` of the one and `context_hash` of both.
    """
    records = with_row_before(bucket.records)
    columns = records.select("previous_speaker", "previous_text", "speaker", "text").iter_rows()
    texts = [(text_before(row[0], row[1]), own_text(row[2], row[3])) for row in columns]
    before, own = [t[0] for t in texts], [t[1] for t in texts]
    return records.with_columns(
        pl.Series("own", own, dtype=pl.String),
        pl.Series("before", before, dtype=pl.String),
        pl.Series("text_hash", [identity.content(t) for t in own], dtype=pl.String),
        pl.Series("context_hash", [identity.content("".join(t)) for t in texts], dtype=pl.String),
    )
