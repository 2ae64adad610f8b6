"""The lake: the authority, tables that only grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import pyarrow as pa


class ConcurrentCommitError(RuntimeError):
    """Another writer committed one of the same transactions first."""


class LakeTable(Protocol):
    """A handle of one table at one version: look and commit on the same handle."""

    def transactions(self, names: Iterable[str]) -> set[str]:
        """Those of `names` that were committed, as this handle sees the table."""
        ...

    def append(self, rows: pa.Table, transactions: Sequence[str]) -> None:
        """One commit: the rows (may be none) and the application transactions, all or nothing.

        Raises `ConcurrentCommitError` where one of the transactions was committed meanwhile, and
        `OSError` where the storage refuses (no space, read-only): then nothing is committed.
        """
        ...


class Lake(Protocol):
    """The authority: tables that only grow. Rows of people are partitioned by bucket."""

    n_buckets: int

    def open(self, table: str) -> LakeTable:
        """A fresh handle at the table's newest version."""
        ...

    def read(
        self,
        table: str,
        *,
        columns: Sequence[str] | None = None,
        buckets: Sequence[int] | None = None,
        equals: Mapping[str, str | Sequence[str]] | None = None,
    ) -> pa.Table:
        """Committed rows, by the table's schema; `equals` keeps rows whose column has one of the values."""
        ...

    def buckets(self, table: str) -> list[int]:
        """Buckets in which the table has rows, sorted."""
        ...
