"""What is in force in one bucket of the lake, as stages and inspection read it.

Shards come bucket by bucket, so `Buckets` keeps the last one that it opened.
"""

from __future__ import annotations

from functools import cached_property

import polars as pl
import pyarrow as pa

from hypermnesia.ports import Lake
from hypermnesia.rules.activation import Active, active_versions
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.revisions import messages_in_force
from hypermnesia.rules.view import made_in_force, records_in_force


class Bucket:
    """The rows of one bucket, or of one user of it, read when first asked for."""

    def __init__(
        self,
        lake: Lake,
        identity: Identity,
        bucket: int,
        active: Active | None = None,
        user: str | None = None,
    ) -> None:
        self.number = bucket
        self._lake = lake
        self._identity = identity
        self._active = active or {}
        self._equals = {"user_id": user} if user is not None else None

    def _read(self, table: str) -> pl.DataFrame:
        return frame(self._lake.read(table, buckets=[self.number], equals=self._equals))

    @cached_property
    def sources(self) -> pl.DataFrame:
        """Every sighting of every message."""
        return self._read("message_sources")

    @cached_property
    def revisions(self) -> pl.DataFrame:
        """Every revision of every message."""
        return self._read("messages")

    @cached_property
    def messages(self) -> pl.DataFrame:
        """Messages in force, in order."""
        return messages_in_force(self.revisions, self.sources)

    @cached_property
    def records(self) -> pl.DataFrame:
        """Records in force, in order."""
        return records_in_force(
            self.messages, self._read("extractions"), self._read("records"), self._identity, self._active
        )

    @cached_property
    def mentions(self) -> pl.DataFrame:
        """The names in the records in force."""
        return made_in_force(self._read("mentions"), self.records)

    @cached_property
    def assertions(self) -> pl.DataFrame:
        """What the records in force assert."""
        return made_in_force(self._read("assertions"), self.records)

    @cached_property
    def merges(self) -> pl.DataFrame:
        """Every decision about names."""
        return self._read("merges")


class Buckets:
    """Opens buckets, keeping the last one."""

    def __init__(self, lake: Lake, identity: Identity, active: Active | None = None) -> None:
        self._lake = lake
        self._identity = identity
        self._active = active
        self._last: Bucket | None = None

    def numbers(self) -> list[int]:
        """Buckets that hold messages."""
        return self._lake.buckets("messages")

    def open(self, bucket: int) -> Bucket:
        """The bucket's rows as they were when it was first opened here."""
        if self._last is None or self._last.number != bucket:
            self._last = Bucket(self._lake, self._identity, bucket, self._active)
        return self._last


def read_active(lake: Lake) -> dict[str, tuple[str, ...]]:
    """The extractor versions in force now."""
    return active_versions(lake.read("activations").to_pylist())


def frame(table: pa.Table) -> pl.DataFrame:
    """An Arrow table as a polars frame."""
    data = pl.from_arrow(table)
    assert isinstance(data, pl.DataFrame)
    return data
