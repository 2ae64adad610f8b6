"""One open Milvus Lite database that is written, through pymilvus; what a server limits is limited here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hypermnesia.adapters.generations import LockConflictError, try_lock
from hypermnesia.adapters.milvus_rows import (
    COLLECTIONS,
    PARTITIONS,
    TEXT_BYTES,
    Collection,
    after,
    among,
    check_columns,
)

WINDOW_ROWS = 16_384  # a server answers a query with no more
MESSAGE_BYTES = 32 * 2**20  # half of what a server accepts in one message, which our count of bytes is near


class Store:
    """One open Milvus Lite database; made where missing.

    Raises `LockConflictError` where another process has it open, `RuntimeError` where it was made
    with other columns or another dimension.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # more threads make small searches slower
        from pymilvus import MilvusClient

        path.mkdir(exist_ok=True)
        if (lock := try_lock(path / "LOCK")) is None:
            raise LockConflictError(f"{path} is open in another process: Milvus Lite allows one at a time")
        lock.close()
        self._path = path
        self._client = MilvusClient(uri=str(path))
        try:
            for collection in COLLECTIONS:
                self._open(collection, dimension)
        except BaseException:
            self.close()
            raise

    def _open(self, collection: Collection, dimension: int) -> None:
        if not self._client.has_collection(collection.name):
            self._create(collection, dimension)
        fields = self._client.describe_collection(collection.name)["fields"]
        found = {field["name"]: field["params"].get("dim") for field in fields}
        check_columns(collection, found, dimension, self._path)
        self._client.load_collection(collection.name)

    def _create(self, collection: Collection, dimension: int) -> None:
        from pymilvus import DataType

        schema = self._client.create_schema(auto_id=False, enable_dynamic_field=False)
        for name, limit in collection.id_bytes.items():
            schema.add_field(name, DataType.VARCHAR, max_length=limit, is_primary=name == collection.key)
        for name in collection.texts:
            schema.add_field(name, DataType.VARCHAR, max_length=TEXT_BYTES, nullable=name == "context")
        for name in collection.flags:
            schema.add_field(name, DataType.BOOL)
        indexes = self._client.prepare_index_params()
        for name in collection.vectors:
            schema.add_field(name, DataType.FLOAT_VECTOR, dim=dimension)
            indexes.add_index(name, index_type="FLAT", metric_type="COSINE")
        self._client.create_collection(collection.name, schema=schema, consistency_level="Strong")
        # Waiting for the indexes of an empty collection asks for a timestamp, which Milvus Lite logs as an error.
        self._client.create_index(collection.name, indexes, sync=False)
        for partition in PARTITIONS:
            self._client.create_partition(collection.name, partition)

    def scan(self, collection: Collection, partition: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Rows of a partition in the order of their ids, a page at a time.

        Pages follow the key as pymilvus's own iterator does; that one asks all partitions first.
        """
        last = ""
        while True:
            page = self._client.query(
                collection.name,
                filter=after(collection.key, last),
                output_fields=list(columns),
                partition_names=[partition],
                limit=WINDOW_ROWS,
                iterator="True",
                reduce_stop_for_best="True",
            )
            yield from page
            if len(page) < WINDOW_ROWS:
                return
            last = page[-1][collection.key]

    def upsert(self, collection: Collection, partition: str, entities: list[dict[str, Any]]) -> None:
        """Writes entities of one partition, with distinct ids."""
        self._client.upsert(collection.name, entities, partition_name=partition)

    def delete(self, collection: Collection, ids: Sequence[str]) -> int:
        """Drops rows by id; returns how many were there (Milvus counts those that were asked for)."""
        key = collection.key
        found = self._client.query(collection.name, filter=among(key, ids), output_fields=[key])
        if found:
            self._client.delete(collection.name, filter=among(key, (row[key] for row in found)))
        return len(found)

    def count(self, collection: Collection) -> int:
        """Rows that a query would see."""
        return int(self._client.query(collection.name, filter="", output_fields=["count(*)"])[0]["count(*)"])

    def flush(self) -> None:
        """Writes what is in memory to the collections' files."""
        for collection in COLLECTIONS:
            self._client.flush(collection.name)

    def close(self) -> None:
        """Ends the connection and the server behind it, which holds the lock; may be called again."""
        from milvus_lite.server_manager import server_manager_instance

        self._client.close()
        server_manager_instance.release_server(str(self._path))
