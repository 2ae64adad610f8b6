"""embed: two vectors a record, of its text and of its text with the row before it."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from hypermnesia.contracts.tables import EMBEDDINGS, REJECTS
from hypermnesia.ports import Embedder, Lake, Part, Shard
from hypermnesia.rules.cutting import natural_runs
from hypermnesia.rules.embedding_text import context_text, own_text
from hypermnesia.rules.identity import Identity, hash_number
from hypermnesia.rules.view import with_row_before
from hypermnesia.stages.rejects import reject_row
from hypermnesia.views import Bucket, Buckets

VERSION = "embed-1"


class Embed:
    """The embed stage over the records in force, under one model."""

    name = "embed"
    tables = ("embeddings",)
    counted_table = "embeddings"

    def __init__(
        self, lake: Lake, identity: Identity, embedder: Embedder, active_versions: tuple[str, ...], shard_records: int
    ) -> None:
        self.version = f"{VERSION} {embedder.model}"
        self._lake = lake
        self._buckets = Buckets(lake, identity, active_versions)
        self._identity = identity
        self._embedder = embedder
        self._shard_records = shard_records
        self._opened: tuple[int, pl.DataFrame, set[tuple[str, str]]] | None = None

    def plan(self) -> Iterator[Shard]:
        """Shards of records of one bucket, about `shard_records` each."""
        for number in self._buckets.numbers():
            wanted = wanted_texts(self._buckets.open(number), self._identity)
            hashes = wanted.select("row_id", "text_hash", "context_hash").iter_rows()
            runs = natural_runs(
                hashes,
                size=lambda _: 1,
                number=lambda row: hash_number(row[0]),
                modulus=64,
                least=self._shard_records // 4,
                most=self._shard_records,
            )
            for run in runs:
                shard_id = self._identity.make("shard", self.name, self.version, *(part for row in run for part in row))
                yield Shard(self.name, shard_id, number, tuple(row_id for row_id, _, _ in run))

    def run(self, shard: Shard) -> Iterator[Part]:
        """The vectors that the lake does not have yet; a text that a record has twice is embedded once."""
        assert shard.bucket is not None
        wanted_rows, done = self._open(shard.bucket)
        rows = wanted_rows.filter(pl.col("row_id").is_in(list(shard.items)))
        wanted = {
            (row["row_id"], row[f"{form}_hash"]): (row["user_id"], row[f"{form}_embedded"])
            for row in rows.iter_rows(named=True)
            for form in ("text", "context")
        }
        missing = {key: value for key, value in wanted.items() if key not in done}
        vectors = self._embedder.embed([text for _, text in missing.values()])
        made = [
            {
                "user_id": user,
                "bucket": shard.bucket,
                "id": row_id,
                "model": self._embedder.model,
                "text_hash": text_hash,
                "vector": vector.tolist(),
                "shard_id": shard.id,
            }
            for ((row_id, text_hash), (user, _)), vector in zip(missing.items(), vectors, strict=True)
        ]
        n_in = 2 * len(rows)
        yield Part(
            tables={"embeddings": EMBEDDINGS.table(made)}, n_in=n_in, n_out=len(wanted), n_merged=n_in - len(wanted)
        )

    def _open(self, bucket: int) -> tuple[pl.DataFrame, set[tuple[str, str]]]:
        """The bucket's texts, and the (id, text hash) that had vectors when it was opened; the last one is kept."""
        if self._opened is None or self._opened[0] != bucket:
            model = {"model": self._embedder.model}
            known = self._lake.read("embeddings", columns=["id", "text_hash"], buckets=[bucket], equals=model)
            done = set(zip(known["id"].to_pylist(), known["text_hash"].to_pylist(), strict=True))
            self._opened = (bucket, wanted_texts(self._buckets.open(bucket), self._identity), done)
        return self._opened[1], self._opened[2]

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A record without vectors: it stays in the lake, and out of the index until a replay."""
        assert shard.bucket is not None
        records = self._buckets.open(shard.bucket).records.filter(pl.col("row_id") == item)
        row = reject_row(
            self._identity,
            stage=self.name,
            reason=reason,
            remedy="look at the record with `show`; it stays in the lake",
            shard_id=shard.id,
            user_id=records["user_id"][0],
            bucket=shard.bucket,
            subject_id=item,
            detail=detail,
        )
        return Part(tables={"rejects": REJECTS.table([row])}, n_in=2, n_rejected=2, reasons={reason: 2})


def wanted_texts(bucket: Bucket, identity: Identity) -> pl.DataFrame:
    """The records in force with the texts to embed and their hashes.

    Adds `text_embedded`, `text_hash`, `context_embedded` and `context_hash`.
    """
    records = with_row_before(bucket.records)
    columns = records.select("previous_speaker", "previous_text", "speaker", "text").iter_rows()
    texts = [(own_text(row[2], row[3]), context_text(*row)) for row in columns]
    own, context = [t[0] for t in texts], [t[1] for t in texts]
    return records.with_columns(
        pl.Series("text_embedded", own, dtype=pl.String),
        pl.Series("text_hash", [identity.content(t) for t in own], dtype=pl.String),
        pl.Series("context_embedded", context, dtype=pl.String),
        pl.Series("context_hash", [identity.content(t) for t in context], dtype=pl.String),
    )
