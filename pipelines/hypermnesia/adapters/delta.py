"""The lake as Delta tables in a folder (library `deltalake`); the data files are plain Parquet.

Column statistics are kept for times and numbers only, in the log and in the Parquet footers: minima and
maxima of text would outlive a deletion (DESIGN 3, notes/stack.md "Delta and deletion").
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from hypermnesia.contracts.tables import TABLES, TableSpec
from hypermnesia.ports import ConcurrentCommitError

if TYPE_CHECKING:
    from deltalake import DeltaTable

N_BUCKETS = 64
_TXN_VERSION = 1
_STORAGE_ERRORS = {
    "No space left on device": errno.ENOSPC,
    "Read-only file system": errno.EROFS,
    "Permission denied": errno.EACCES,
}


class DeltaLake:
    """A folder of Delta tables, made with their schemas when first opened."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._readers: dict[str, DeltaTable] = {}
        self.n_buckets = N_BUCKETS

    def __reduce__(self) -> tuple[type[DeltaLake], tuple[Path]]:
        """Goes to another process by its folder: what is open here stays here."""
        return DeltaLake, (self._root,)

    def open(self, table: str) -> DeltaLakeTable:
        """A fresh handle at the table's newest version."""
        return DeltaLakeTable(TABLES[table], self._open(table))

    def read(
        self,
        table: str,
        *,
        columns: Sequence[str] | None = None,
        buckets: Sequence[int] | None = None,
        equals: Mapping[str, str | Sequence[str]] | None = None,
    ) -> pa.Table:
        """Committed rows, by the table's schema (without a table: no rows)."""
        spec = TABLES[table]
        schema = spec.schema if columns is None else pa.schema([spec.schema.field(c) for c in columns])
        if not self._is_made(table):
            return schema.empty_table()
        wanted, files = None, None
        if buckets is not None:
            if not buckets:
                return schema.empty_table()
            files = [("bucket", "in", [str(bucket) for bucket in buckets])]
        for column, value in (equals or {}).items():
            values = [value] if isinstance(value, str) else list(value)
            is_one = pc.field(column).isin(pa.array(values, pa.string()))
            wanted = is_one if wanted is None else wanted & is_one
        rows = self._reader(table).to_pyarrow_dataset(file_pruning_predicate=files)
        return rows.to_table(columns=schema.names, filter=wanted).cast(schema)

    def buckets(self, table: str) -> list[int]:
        """Buckets in which the table has files, sorted."""
        if not self._is_made(table):
            return []
        return sorted({int(p["bucket"]) for p in self._reader(table).partitions()})

    def _reader(self, table: str) -> DeltaTable:
        """The table at its newest version; a handle that is kept reads only what the log has grown by."""
        if table in self._readers:
            self._readers[table].update_incremental()
        else:
            self._readers[table] = self._open(table)
        return self._readers[table]

    def _is_made(self, table: str) -> bool:
        return (self._root / table / "_delta_log").is_dir()

    def _open(self, table: str) -> DeltaTable:
        from deltalake import DeltaTable

        if self._is_made(table):
            return DeltaTable(self._root / table)
        spec = TABLES[table]
        with _StorageErrors(table):
            (self._root / table).mkdir(parents=True, exist_ok=True)
            return DeltaTable.create(
                self._root / table,
                schema=spec.schema,
                mode="ignore",
                partition_by=["bucket"] if spec.is_bucketed else None,
                configuration={"delta.dataSkippingStatsColumns": ",".join(spec.statistics_columns)},
            )


class DeltaLakeTable:
    """One table at the version at which it was opened."""

    def __init__(self, spec: TableSpec, handle: DeltaTable) -> None:
        self._spec = spec
        self._handle = handle

    def transactions(self, names: Iterable[str]) -> set[str]:
        """Those of `names` that were committed, as this handle sees the table."""
        return {name for name in names if self._handle.transaction_version(name) is not None}

    def append(self, rows: pa.Table, transactions: Sequence[str]) -> None:
        """One commit. Raises `ConcurrentCommitError`, or `OSError` where the storage refuses."""
        from deltalake import CommitProperties, Transaction, write_deltalake
        from deltalake.exceptions import CommitFailedError

        properties = CommitProperties(
            app_transactions=[Transaction(name, _TXN_VERSION) for name in transactions], max_commit_retries=100
        )
        try:
            with _StorageErrors(self._spec.name):
                write_deltalake(
                    self._handle,
                    self._spec.conform(rows),
                    mode="append",
                    writer_properties=_writer(self._spec),
                    commit_properties=properties,
                )
        except CommitFailedError as error:
            # One class means both a lost race and retries used up: only the first may be tried again.
            if "Concurrent transaction" in str(error) or "concurrent transaction" in str(error):
                raise ConcurrentCommitError(str(error)) from error
            raise


def _writer(spec: TableSpec) -> Any:
    from deltalake import ColumnProperties, WriterProperties

    return WriterProperties(
        compression="ZSTD",
        default_column_properties=ColumnProperties(statistics_enabled="NONE"),
        column_properties={c: ColumnProperties(statistics_enabled="CHUNK") for c in spec.statistics_columns},
    )


class _StorageErrors:
    """Turns what the Delta library says of a full or read-only disk into `OSError` with its number."""

    def __init__(self, table: str) -> None:
        self._table = table

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            return
        for text, number in _STORAGE_ERRORS.items():
            if text in str(error):
                raise OSError(number, os.strerror(number), f"table {self._table}") from error
