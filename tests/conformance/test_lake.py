"""What every lake must do (DESIGN 3 "Commits", notes/engine.md; cases D02, D04)."""

from __future__ import annotations

import errno
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hypermnesia.adapters.delta import DeltaLake
from hypermnesia.contracts.tables import EMBEDDINGS, MESSAGES, RECORDS, REJECTS, TABLES
from hypermnesia.ports import ConcurrentCommitError, Lake

MakeLake = Callable[[Path], Lake]


@pytest.fixture(params=[DeltaLake], ids=["delta"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    return request.param(tmp_path / "lake")


def message(number: int, *, bucket: int = 1, text: str = "hello") -> dict[str, object]:
    return {"user_id": "ann", "bucket": bucket, "message_id": f"msg_{number:032x}", "content_hash": "h", "text": text}


def test_a_table_that_nobody_wrote_is_empty(lake: Lake) -> None:
    assert lake.read("messages").schema == MESSAGES.schema
    assert lake.read("messages").num_rows == 0
    assert lake.buckets("messages") == []


@pytest.mark.parametrize("name", sorted(TABLES))
def test_rows_come_back_with_the_declared_schema(lake: Lake, name: str) -> None:
    spec = TABLES[name]
    row = {"bucket": 3, "user_id": "ann"} if spec.is_bucketed else {}
    lake.open(name).append(spec.table([row]), ["t"])
    found = lake.read(name)
    assert found.schema == spec.schema
    assert found.num_rows == 1


def test_reads_keep_to_buckets_columns_and_values(lake: Lake) -> None:
    rows = [message(1, bucket=1), message(2, bucket=2), message(3, bucket=2)]
    lake.open("messages").append(MESSAGES.table(rows), ["t"])
    ids = lake.read("messages", columns=["message_id"], buckets=[2])
    assert sorted(ids["message_id"].to_pylist()) == [rows[1]["message_id"], rows[2]["message_id"]]
    assert ids.column_names == ["message_id"]
    assert lake.read("messages", equals={"message_id": rows[0]["message_id"]})["bucket"].to_pylist() == [1]
    assert lake.read("messages", equals={"message_id": []}).num_rows == 0
    assert lake.read("messages", buckets=[]).num_rows == 0
    assert lake.buckets("messages") == [1, 2]


def test_a_value_with_quotes_is_only_a_value(lake: Lake) -> None:
    lake.open("messages").append(MESSAGES.table([message(1)]), ["t"])
    assert lake.read("messages", equals={"user_id": "ann' OR '1'='1"}).num_rows == 0


def test_a_commit_carries_its_transactions_even_without_rows(lake: Lake) -> None:
    lake.open("messages").append(MESSAGES.empty(), ["shard/1", "shard/2"])
    assert lake.open("messages").transactions(["shard/1", "shard/2", "shard/3"]) == {"shard/1", "shard/2"}


def test_of_two_handles_with_one_transaction_one_wins(lake: Lake) -> None:
    lake.open("messages")
    first, second = lake.open("messages"), lake.open("messages")
    first.append(MESSAGES.table([message(1)]), ["shard/1"])
    with pytest.raises(ConcurrentCommitError):
        second.append(MESSAGES.table([message(1), message(2)]), ["shard/1", "shard/2"])
    assert lake.read("messages").num_rows == 1
    assert lake.open("messages").transactions(["shard/2"]) == set()


def test_two_handles_with_different_transactions_both_commit(lake: Lake) -> None:
    first, second = lake.open("messages"), lake.open("messages")
    first.append(MESSAGES.table([message(1)]), ["shard/1"])
    second.append(MESSAGES.table([message(2)]), ["shard/2"])
    assert lake.read("messages").num_rows == 2


def test_d02_a_time_without_a_zone_is_refused(lake: Lake) -> None:
    rows = REJECTS.table([{"user_id": "ann", "bucket": 1, "rejected_at": datetime(2024, 5, 1, 9, tzinfo=UTC)}])
    place = rows.schema.get_field_index("rejected_at")
    naive = rows.set_column(place, "rejected_at", rows["rejected_at"].cast(pa.timestamp("us")))
    with pytest.raises(ValueError, match="rejected_at has no time zone"):
        lake.open("rejects").append(naive, ["t"])
    assert lake.read("rejects").num_rows == 0


def test_d04_empty_lists_keep_their_type_in_both_orders(lake: Lake) -> None:
    empty = {"user_id": "a", "bucket": 1, "row_id": "1", "derived_from": [], "cited": []}
    full = empty | {"row_id": "2", "derived_from": ["x", "y"], "cited": [{"message_id": "m", "content_hash": "h"}]}
    for number, row in enumerate([empty, full, empty]):
        lake.open("records").append(RECORDS.table([row]), [str(number)])
    found = {row["row_id"]: row for row in lake.read("records").to_pylist()}
    assert found["1"]["derived_from"] == []
    assert found["2"]["derived_from"] == ["x", "y"]


def test_a_missing_column_is_refused(lake: Lake) -> None:
    with pytest.raises(ValueError, match="column vector is missing"):
        lake.open("embeddings").append(EMBEDDINGS.empty().drop_columns(["vector"]), ["t"])


def test_a_full_or_read_only_disk_is_an_os_error(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    import deltalake

    def full(*_: object, **__: object) -> None:
        raise deltalake.exceptions.DeltaError("Generic LocalFileSystem error: No space left on device (os error 28)")

    handle = lake.open("messages")
    monkeypatch.setattr(deltalake, "write_deltalake", full)
    with pytest.raises(OSError, match="messages") as caught:
        handle.append(MESSAGES.table([message(1)]), ["t"])
    assert caught.value.errno == errno.ENOSPC


def test_text_stands_in_no_statistics(tmp_path: Path) -> None:
    """Minima and maxima would outlive a deletion: in the log and in the footers there are none of text."""
    lake = DeltaLake(tmp_path)
    lake.open("messages").append(MESSAGES.table([message(1, text="SECRETMARK"), message(2, text="ZZ")]), ["t"])
    for log in (tmp_path / "messages" / "_delta_log").iterdir():
        assert "SECRETMARK" not in log.read_text()
        assert "ann" not in log.read_text()
    for file in (tmp_path / "messages").rglob("*.parquet"):
        group = pq.ParquetFile(file).metadata.row_group(0)
        with_statistics = {
            group.column(i).path_in_schema for i in range(group.num_columns) if group.column(i).is_stats_set
        }
        assert with_statistics <= set(MESSAGES.statistics_columns)
