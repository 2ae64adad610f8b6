"""The rows of one Milvus Lite collection by columns, straight from its segments.

Milvus Lite's own query makes every column of a row a Python object first, each number of a vector too, whatever is
asked for: most of the time in which a long history is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow.compute as pc

from hypermnesia.adapters.milvus_rows import Collection


def scan(
    opened: Any, collection: Collection, partition: str, columns: Sequence[str], user_id: str | None = None
) -> Iterator[dict[str, Any]]:
    """The live rows of a partition (of one user where named) with some columns; vectors are views, not copies.

    `opened` is Milvus Lite's collection, with nothing unflushed.
    """
    from milvus_lite.search.bitmap import build_valid_mask

    segments, deletions = opened._read_snapshot()
    held = [segment for segment in segments if segment.partition == partition and segment.num_rows]
    ids = list(chain.from_iterable(segment.pks for segment in held))
    is_live = build_valid_mask(ids, np.concatenate([segment.seqs for segment in held]), deletions) if held else []
    start = 0
    for segment in held:
        mask = is_live[start : start + segment.num_rows]
        start += segment.num_rows
        if user_id is not None:
            mask = mask & pc.equal(segment.table["user_id"], user_id).to_numpy()
        places = np.flatnonzero(mask)
        values = [_values(segment, collection, column, places) for column in columns]
        yield from (dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True))


def _values(segment: Any, collection: Collection, column: str, places: np.ndarray[Any, Any]) -> list[Any]:
    if column in collection.vectors:
        vectors, _ = segment.vector_data(column)
        return [vectors[place] for place in places.tolist()]
    taken: list[Any] = segment.table[column].take(places).to_pylist()
    return taken
