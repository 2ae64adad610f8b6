"""The anti-join: a key is written once (DESIGN 3 "Commits")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.contracts.tables import MESSAGES
from hypermnesia.engine.keys import KeyIndex


class Rows:
    """A lake of one table in memory."""

    n_buckets = 64

    def __init__(self) -> None:
        self.table = MESSAGES.empty()

    def read(
        self,
        table: str,
        *,
        columns: Sequence[str] | None = None,
        buckets: Sequence[int] | None = None,
        equals: Mapping[str, object] | None = None,
    ) -> pa.Table:
        kept = [i for i, b in enumerate(self.table["bucket"].to_pylist()) if buckets is None or b in buckets]
        return self.table.take(pa.array(kept, pa.int64())).select(list(columns or MESSAGES.schema.names))


BATCHES = st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12)), max_size=8), max_size=6)


@given(BATCHES, st.sampled_from([1, 3, 1000]))
def test_every_key_is_written_once_and_the_first_row_stays(batches: list[list[tuple[int, int]]], most: int) -> None:
    lake = Rows()
    index = KeyIndex(lake, MESSAGES, most_keys=most)  # type: ignore[arg-type]
    seen: set[tuple[int, int]] = set()
    for number, batch in enumerate(batches):
        rows = MESSAGES.table(
            {"user_id": "u", "bucket": b, "message_id": f"{b}-{k}", "content_hash": "h", "text": f"{number}.{place}"}
            for place, (b, k) in enumerate(batch)
        )
        fresh = index.fresh(rows)
        expected = [f"{number}.{place}" for place, key in enumerate(batch) if key not in seen | set(batch[:place])]
        assert fresh["text"].to_pylist() == expected
        lake.table = pa.concat_tables([lake.table, fresh])
        index.add(fresh)
        seen |= set(batch)


def test_another_revision_of_a_message_is_another_key() -> None:
    index = KeyIndex(Rows(), MESSAGES)  # type: ignore[arg-type]
    row = {"user_id": "u", "bucket": 0, "message_id": "m", "content_hash": "one"}
    rows = MESSAGES.table([row, row | {"content_hash": "two"}, row])
    assert index.fresh(rows)["content_hash"].to_pylist() == ["one", "two"]
