"""What is built beside what is published, and published whole or not at all."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self


class Build(Protocol):
    """A build, as a block: what was not published when the block ends is abandoned."""

    def abandon(self) -> None:
        """Drops the build; nothing happens where it was published."""
        ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abandon()
