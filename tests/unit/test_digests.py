"""Digests: of the rows, whatever their order; clocks, shards and floats are not in them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.contracts.tables import TABLES
from hypermnesia.rules.digests import LEFT_OUT, Digest, combine

ROWS = st.lists(st.fixed_dictionaries({"id": st.integers(0, 3), "text": st.none() | st.text(max_size=3)}), max_size=6)


def digest(rows: list[dict[str, Any]]) -> str:
    total = Digest()
    total.add(rows)
    return total.text()


def key(row: dict[str, Any]) -> tuple[int, bool, str]:
    return row["id"], row["text"] is None, row["text"] or ""


@given(ROWS, st.randoms())
def test_order_and_pieces_do_not_matter(rows: list[dict[str, Any]], random: Any) -> None:
    shuffled = rows.copy()
    random.shuffle(shuffled)
    in_pieces = Digest()
    in_pieces.add(shuffled[:2])
    in_pieces.add(shuffled[2:])
    assert digest(rows) == in_pieces.text()


@given(ROWS, ROWS)
def test_equal_only_for_equal_rows(one: list[dict[str, Any]], two: list[dict[str, Any]]) -> None:
    assert (digest(one) == digest(two)) == (sorted(one, key=key) == sorted(two, key=key))


def test_duplicates_count() -> None:
    row = {"id": 1}
    assert len({digest([]), digest([row]), digest([row, row]), digest([row] * 3)}) == 4
    assert digest([row, row]).startswith("2-")


def test_the_order_of_columns_does_not_matter() -> None:
    assert digest([{"a": 1, "b": 2}]) == digest([{"b": 2, "a": 1}])


def test_absent_is_not_empty() -> None:
    assert digest([{"a": None}]) != digest([{"a": ""}])


@pytest.mark.parametrize("column", sorted(LEFT_OUT))
def test_what_is_left_out_is_not_in_the_digest(column: str) -> None:
    assert digest([{"id": 1, column: "x"}]) == digest([{"id": 1, column: "y"}]) == digest([{"id": 1}])


def test_a_time_of_the_archive_is_in_the_digest_in_any_zone() -> None:
    nine = datetime(2024, 1, 1, 9, tzinfo=UTC)
    assert digest([{"said_at": nine}]) != digest([{"said_at": nine.replace(hour=10)}])


def test_what_has_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="bytes"):
        digest([{"a": b"x"}])


def test_only_clocks_runs_shards_and_floats_are_left_out_of_the_tables() -> None:
    columns = {name for table in TABLES.values() for name in table.schema.names}
    assert columns >= LEFT_OUT
    kept = {"message_id", "content_hash", "text", "said_at", "row_id", "text_hash", "user_id", "timezone", "position"}
    assert not kept & LEFT_OUT


def test_named_digests_are_one_in_any_order() -> None:
    assert combine({"a": "1", "b": "2"}) == combine({"b": "2", "a": "1"})
    assert combine({"a": "1", "b": "2"}) != combine({"a": "2", "b": "1"})
