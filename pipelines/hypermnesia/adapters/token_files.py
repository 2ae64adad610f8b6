"""The token vectors of rows beside the vector store, in files of its generation: one a partition, in Arrow's format.

A file holds batches of one user's rows each, sorted by user and row_id; so a user's batches are found by bisection,
and only they are read. Files are never written again: a build writes new ones in their place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from pathlib import Path

import pyarrow as pa

from hypermnesia.adapters.milvus_rows import PARTITIONS, partition_of
from hypermnesia.ports.models import Packed

FOLDER = "tokens"
SUFFIX = ".arrow"
BATCH_ROWS = 4_096
SCHEMA = pa.schema({"user_id": pa.large_string(), "row_id": pa.large_string(), "tokens": pa.large_binary()})

Entry = tuple[str, str, Packed]  # user_id, row_id, tokens


def read_user_tokens(store: Path, user_id: str) -> dict[str, memoryview]:
    """row_id -> packed tokens of one user's rows that have any; `store` is the vector store's folder.

    They are views of the file, which stays mapped as long as one of them lives.
    """
    path = _path(store, partition_of(user_id))
    if not path.exists():
        return {}
    with pa.memory_map(str(path)) as mapped, pa.ipc.open_file(mapped) as file:
        batches = range(file.num_record_batches)
        place = bisect_left(batches, user_id, key=lambda n: file.get_batch(n)["user_id"][0].as_py())
        found: dict[str, memoryview] = {}
        while place < len(batches) and (batch := file.get_batch(place))["user_id"][0].as_py() == user_id:
            found |= zip(batch["row_id"].to_pylist(), _views(batch["tokens"]), strict=True)
            place += 1
    return found


def _views(column: pa.Array) -> Iterator[memoryview]:
    """The values of a whole column of bytes without a copy."""
    _, offsets, values = column.buffers()
    whole = memoryview(values).cast("B")
    return (whole[start:end] for start, end in pairwise(memoryview(offsets).cast("q")[: len(column) + 1]))


class TokenDraft:
    """Changes to a generation's token files; `write` applies them."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._changed: dict[str, dict[tuple[str, str], Packed]] = {}
        self._dropped: set[str] = set()

    def put(self, user_id: str, row_id: str, tokens: Packed) -> None:
        """Sets a row's tokens; empty ones drop what it had."""
        self._dropped.discard(row_id)
        self._changed.setdefault(partition_of(user_id), {})[user_id, row_id] = tokens

    def drop(self, row_ids: Iterable[str]) -> None:
        """Drops the tokens of rows."""
        ids = set(row_ids)
        self._dropped |= ids
        for changes in self._changed.values():
            for key in [key for key in changes if key[1] in ids]:
                del changes[key]

    def write(self) -> None:
        """Writes the files of changed partitions anew."""
        for partition in PARTITIONS if self._dropped else sorted(self._changed):
            path, changes = _path(self._store, partition), self._changed.get(partition, {})
            kept = (e for e in _entries(path) if e[1] not in self._dropped and (e[0], e[1]) not in changes)
            new = ((user, row_id, tokens) for (user, row_id), tokens in changes.items() if tokens)
            entries = sorted([*kept, *new], key=lambda entry: entry[:2])
            path.parent.mkdir(exist_ok=True)
            temporary = path.with_suffix(".next")
            _write(temporary, entries)
            temporary.replace(path)
        self._changed, self._dropped = {}, set()


def _path(store: Path, partition: str) -> Path:
    return store / FOLDER / f"{partition}{SUFFIX}"


def _entries(path: Path) -> Iterator[Entry]:
    if not path.exists():
        return
    with pa.memory_map(str(path)) as mapped, pa.ipc.open_file(mapped) as file:
        for number in range(file.num_record_batches):
            batch = file.get_batch(number)
            yield from zip(*(batch[name].to_pylist() for name in SCHEMA.names), strict=True)


def _write(path: Path, entries: Iterable[Entry]) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as file:
        for _, rows in groupby(entries, key=lambda entry: entry[0]):
            own = list(rows)
            for start in range(0, len(own), BATCH_ROWS):
                columns = zip(*own[start : start + BATCH_ROWS], strict=True)
                arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
                file.write_batch(pa.record_batch(arrays, schema=SCHEMA))
