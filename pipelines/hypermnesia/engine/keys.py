"""Which keys a table has, so that each is written once: the committer's anti-join (DESIGN 3 "Commits").

Keys are held as sorted 16-byte hashes, a bucket at a time, and read again when memory is short: 16 bytes
a row, so a bucket of a million rows is 16 MB.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import Any

import numpy as np
import pyarrow as pa

from hypermnesia.contracts.tables import TableSpec
from hypermnesia.ports import Lake

MOST_KEYS = 20_000_000

Hashes = np.ndarray[Any, np.dtype[np.bytes_]]


class KeyIndex:
    """The keys of one table. True only while nobody else writes the table: under the stage's lease."""

    def __init__(self, lake: Lake, spec: TableSpec, most_keys: int = MOST_KEYS) -> None:
        self._lake = lake
        self._spec = spec
        self._most_keys = most_keys
        self._buckets: OrderedDict[int, Hashes] = OrderedDict()

    def fresh(self, rows: pa.Table) -> pa.Table:
        """The rows whose key the table does not have, the first of each key."""
        if not rows.num_rows:
            return rows
        hashes = _hashes(rows, self._spec.key)
        _, first = np.unique(hashes, return_index=True)
        keep = np.zeros(len(hashes), dtype=bool)
        keep[first] = True
        for bucket, at in _by_bucket(rows, self._spec):
            known = self._known(bucket)
            if len(known):
                place = np.searchsorted(known, hashes[at])
                keep[at] &= known[np.minimum(place, len(known) - 1)] != hashes[at]
        return rows.filter(pa.array(keep))

    def add(self, rows: pa.Table) -> None:
        """Takes note of rows that were committed."""
        if not rows.num_rows:
            return
        hashes = _hashes(rows, self._spec.key)
        for bucket, at in _by_bucket(rows, self._spec):
            known, new = self._known(bucket), np.sort(hashes[at])
            self._buckets[bucket] = np.insert(known, np.searchsorted(known, new), new)
        while sum(map(len, self._buckets.values())) > self._most_keys and len(self._buckets) > 1:
            self._buckets.popitem(last=False)

    def _known(self, bucket: int) -> Hashes:
        if bucket in self._buckets:
            self._buckets.move_to_end(bucket)
        else:
            buckets = [bucket] if self._spec.is_bucketed else None
            rows = self._lake.read(self._spec.name, columns=list(self._spec.key), buckets=buckets)
            self._buckets[bucket] = np.sort(_hashes(rows, self._spec.key))
        return self._buckets[bucket]


def _hashes(rows: pa.Table, key: tuple[str, ...]) -> Hashes:
    columns = [rows.column(name).to_pylist() for name in key]
    digests = [
        hashlib.blake2b("\x1f".join("" if v is None else str(v) for v in values).encode(), digest_size=16).digest()
        for values in zip(*columns, strict=True)
    ]
    return np.array(digests, dtype="S16")


def _by_bucket(rows: pa.Table, spec: TableSpec) -> list[tuple[int, np.ndarray[Any, np.dtype[np.intp]]]]:
    """(bucket, positions of its rows) for each bucket in the rows; a table without buckets is bucket 0."""
    if not spec.is_bucketed:
        return [(0, np.arange(rows.num_rows))]
    buckets = rows.column("bucket").to_numpy()
    return [(int(b), np.flatnonzero(buckets == b)) for b in np.unique(buckets)]
