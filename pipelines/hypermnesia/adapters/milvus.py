"""Vectors in Milvus Lite, in generations (DESIGN 9).

What a row is there: `milvus_rows.py`; the database that a build writes: `milvus_store.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from hypermnesia.adapters.generations import Draft, Generations, ReaderCopy
from hypermnesia.adapters.milvus_rows import (
    COLLECTIONS,
    NAMES,
    PARTITIONS,
    ROWS,
    SERVED,
    Collection,
    check_columns,
    n_bytes,
    name_to_entity,
    partition_of,
    to_entity,
    to_name,
    to_row,
)
from hypermnesia.adapters.milvus_scan import scan
from hypermnesia.adapters.milvus_store import MESSAGE_BYTES, Store
from hypermnesia.adapters.token_files import SUFFIX, TokenDraft, read_user_tokens
from hypermnesia.ports import IndexRow, NameRow
from hypermnesia.ports.builds import Build

FILE = "vectors.db"  # pymilvus starts Milvus Lite only for a name that ends so
BATCH_ROWS = 2_048
DELETE_ROWS = 512


class MilvusVectorIndex:
    """The vector index of Milvus Lite under the folder `root`, for vectors of `dimension` numbers."""

    def __init__(self, root: Path, dimension: int) -> None:
        self._generations = Generations(root, part=FILE, linked=frozenset({".parquet", ".idx", SUFFIX}))
        self._dimension = dimension

    def published(self) -> str | None:
        """The published generation's name, or None before the first."""
        return self._generations.published()

    def reader(self) -> MilvusReader:
        """A reader with its own copy of the published generation. Raises `LookupError` before the first."""
        return self._generations.read(lambda copy: MilvusReader(copy, self._dimension))

    def build(self, *, is_fresh: bool) -> MilvusBuild:
        """A build from the published rows, or from nothing where `is_fresh`.

        Raises `LockConflictError` while another build is open, here or in another process.
        """
        return self._generations.build(lambda draft: MilvusBuild(draft, self._dimension), is_fresh=is_fresh)

    def entries(self) -> Iterator[tuple[str, str, str]]:
        """(id, model, hash) of every vector published; nothing before the first generation."""
        if self.published() is None:
            return
        with closing(self.reader()) as reader:
            yield from reader.entries()


class MilvusReader:
    """One published generation, read-only; later builds don't change it.

    It reads Milvus Lite's segments (`milvus_scan.py`): pymilvus would import pandas (seconds of every `ask`)
    and take each number of a vector through a message.
    """

    def __init__(self, copy: ReaderCopy, dimension: int) -> None:
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # more threads make small searches slower
        from milvus_lite import MilvusLite

        # Arrow's own memory asks for huge pages, for which a busy machine's kernel moves others: seconds of reading.
        pa.set_memory_pool(pa.system_memory_pool())
        self.generation = copy.name
        self._copy = copy
        self._database = MilvusLite(str(copy.path / FILE))
        try:
            self._open = {collection.name: self._load(collection, dimension) for collection in COLLECTIONS}
        except BaseException:
            self._database.close()
            raise

    def _load(self, collection: Collection, dimension: int) -> Any:
        if not self._database.has_collection(collection.name):
            raise RuntimeError(f"{self._copy.path} has no {collection.name}: build the index fresh (`rebuild`)")
        opened = self._database.get_collection(collection.name)
        check_columns(collection, {field.name: field.dim for field in opened.schema.fields}, dimension, self._copy.path)
        opened.flush()  # what its log alone holds becomes a segment, of this reader's copy
        return opened

    def user_rows(self, user_id: str) -> Sequence[IndexRow]:
        """All rows of one user, sorted by (conversation_id, order, row_id).

        Their vectors and tokens are views of what the database holds and of a mapped file.
        """
        tokens = read_user_tokens(self._copy.path / FILE, user_id)
        found = self._scan(ROWS, partition_of(user_id), SERVED, user_id)
        rows = [to_row(entity, tokens.get(entity["row_id"], b"")) for entity in found]
        rows.sort(key=lambda row: (row.conversation_id, row.order, row.row_id))
        return rows

    def user_names(self, user_id: str) -> Sequence[NameRow]:
        """The names of one user's anchors, sorted by anchor_id."""
        found = self._scan(NAMES, partition_of(user_id), NAMES.columns, user_id)
        return sorted(map(to_name, found), key=lambda name: name.anchor_id)

    def entries(self) -> Iterator[tuple[str, str, str]]:
        """(id, model, hash) of every vector, two a row and one a name."""
        for partition in PARTITIONS:
            for row in self._scan(ROWS, partition, ("row_id", "model", "text_hash", "context_hash")):
                yield row["row_id"], row["model"], row["text_hash"]
                yield row["row_id"], row["model"], row["context_hash"]
            for name in self._scan(NAMES, partition, ("anchor_id", "model", "text_hash")):
                yield name["anchor_id"], name["model"], name["text_hash"]

    def _scan(
        self, collection: Collection, partition: str, columns: Sequence[str], user_id: str | None = None
    ) -> Iterator[dict[str, Any]]:
        return scan(self._open[collection.name], collection, partition, columns, user_id)

    def close(self) -> None:
        """Closes the database and removes this reader's copy; a second call does nothing."""
        self._database.close()
        self._copy.close()


class MilvusBuild(Build):
    """A generation being made; see `VectorBuild`."""

    def __init__(self, draft: Draft, dimension: int) -> None:
        self._draft = draft
        self._dimension = dimension
        self._store = Store(draft.path / FILE, dimension)
        self._tokens = TokenDraft(draft.path / FILE)

    def present(self) -> Mapping[str, str]:
        """row_id -> fingerprint of what the build holds now."""
        return self._present(ROWS, "fingerprint")

    def upsert(self, rows: Iterable[IndexRow]) -> int:
        """Writes rows in batches; the last of several with one id stays. Returns how many were given.

        Raises `ValueError` for a row that no store could hold; the batches before it are written.
        """
        return self._upsert(ROWS, map(self._row_entity, rows))

    def delete(self, row_ids: Iterable[str]) -> int:
        """Drops rows by id. Returns how many were there.

        Their bytes stay in the generation's files until it is built fresh: forgetting builds fresh.
        """
        ids = list(row_ids)
        self._tokens.drop(ids)
        return self._delete(ROWS, ids)

    def present_names(self) -> Mapping[str, str]:
        """anchor_id -> text_hash of the names that the build holds now."""
        return self._present(NAMES, "text_hash")

    def upsert_names(self, names: Iterable[NameRow]) -> int:
        """Writes names in batches, as `upsert` does."""
        return self._upsert(NAMES, (name_to_entity(name, self._dimension) for name in names))

    def delete_names(self, anchor_ids: Iterable[str]) -> int:
        """Drops names by id. Returns how many were there."""
        return self._delete(NAMES, anchor_ids)

    def _row_entity(self, row: IndexRow) -> dict[str, Any]:
        entity = to_entity(row, self._dimension)
        self._tokens.put(row.user_id, row.row_id, row.tokens)
        return entity

    def _present(self, collection: Collection, column: str) -> dict[str, str]:
        return {
            row[collection.key]: row[column]
            for partition in PARTITIONS
            for row in self._store.scan(collection, partition, (collection.key, column))
        }

    def _upsert(self, collection: Collection, entities: Iterable[dict[str, Any]]) -> int:
        n_given, n_held = 0, 0
        batch: dict[str, dict[str, Any]] = {}
        for entity in entities:
            size = _n_bytes(collection, entity, self._dimension)
            if len(batch) == BATCH_ROWS or n_held + size > MESSAGE_BYTES:
                self._write(collection, batch)
                batch, n_held = {}, 0
            batch[entity[collection.key]] = entity
            n_given, n_held = n_given + 1, n_held + size
        self._write(collection, batch)
        return n_given

    def _write(self, collection: Collection, batch: Mapping[str, dict[str, Any]]) -> None:
        by_partition: dict[str, list[dict[str, Any]]] = {}
        for entity in batch.values():
            by_partition.setdefault(partition_of(entity["user_id"]), []).append(entity)
        for partition, entities in by_partition.items():
            self._store.upsert(collection, partition, entities)

    def _delete(self, collection: Collection, given: Iterable[str]) -> int:
        n_there, ids = 0, iter(given)
        while batch := sorted(set(islice(ids, DELETE_ROWS))):
            n_there += self._store.delete(collection, batch)
        return n_there

    def publish(self, expected: int, expected_names: int = 0) -> str:
        """Flush, close, reopen, count, then swap the pointer; returns the generation's name.

        Raises `RuntimeError` where the reopened build does not hold so many rows and names: the published
        generation then stays.
        """
        self._store.flush()
        self._store.close()
        self._store = Store(self._draft.path / FILE, self._dimension)
        n_rows, n_names = (self._store.count(collection) for collection in COLLECTIONS)
        self._store.close()
        if (n_rows, n_names) != (expected, expected_names):
            held, wanted = f"{n_rows} rows and {n_names} names", f"{expected} and {expected_names}"
            raise RuntimeError(f"{self._draft.path} holds {held}, not {wanted}: not published")
        self._tokens.write()
        self._draft.publish()
        return self._draft.name

    def abandon(self) -> None:
        """Drops the build; nothing happens where it was published."""
        self._store.close()
        self._draft.abandon()


def _n_bytes(collection: Collection, entity: Mapping[str, Any], dimension: int) -> int:
    strings = sum(n_bytes(value) for value in entity.values() if isinstance(value, str))
    return strings + len(collection.vectors) * 4 * dimension
