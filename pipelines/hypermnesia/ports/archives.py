"""Archives as readers give them: entries, refusals and the formats that there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

#: How the name of a conversation begins that its archive does not name.
UNNAMED = "unnamed-"


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as its archive has it, before ids: what a reader yields.

    `written_at` is the time as written; `local` the same wall clock as an ISO time, with an offset
    where the archive gives one. `conversation` is the archive's own id of it; "" where the archive is the
    conversation (a document), and `UNNAMED` with a hash of the content where it has none.
    """

    user: str | None
    conversation: str
    locator: str
    text: str
    speaker: str
    role: str
    kind: str = "utterance"
    native_id: str | None = None
    part: str = ""
    session: str | None = None
    title: str | None = None
    written_at: str | None = None
    local: str | None = None
    timezone: str | None = None
    reply_to: str | None = None
    branch: str = ""
    revised_at: str | None = None
    is_deleted: bool = False
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """One row that a stage refuses: why, where it stands, and what the person can do about it."""

    reason: str
    locator: str
    remedy: str
    detail: str = ""


class ArchiveReader(Protocol):
    """One archive format. Reads a file as a stream, in memory that does not grow with the file."""

    name: str

    def recognises(self, path: Path, head: str) -> bool:
        """Whether a file is of this format, from its first characters (the name is only a hint)."""
        ...

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages in the archive's order; what can't be read is a `Refusal` and reading goes on."""
        ...


class Archives(Protocol):
    """The formats that there are."""

    def named(self, name: str) -> ArchiveReader:
        """The reader of a format. Raises `ValueError` naming the formats there are."""
        ...

    def recognise(self, path: Path) -> ArchiveReader | None:
        """The reader whose format the file's first characters have, or None."""
        ...

    def find(self, path: Path) -> Iterator[tuple[Path, str]]:
        """The files under a path with the name that messages keep of each: relative to the path given.

        Hidden files are left out. Raises `FileNotFoundError` for a path that is not there.
        """
        ...
