"""The conversations of an export: one JSON file, the zip that holds some as it is downloaded, or that zip unpacked."""

from __future__ import annotations

import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, cast

from hypermnesia.archives.files import read_head, read_pieces
from hypermnesia.archives.json_items import read_each, read_items
from hypermnesia.archives.sidecars import SIDECARS, is_sidecar
from hypermnesia.archives.zips import BREAKS, DAMAGED, is_zip, read_members
from hypermnesia.ports import Entry, Refusal
from hypermnesia.rules.text import one_line


class JsonExportReader(ABC):
    """Reads an export whose files hold conversations, each an item of a JSON list."""

    name: str

    @staticmethod
    @abstractmethod
    def is_theirs(head: str) -> bool:
        """Whether a file's first characters are conversations of this export."""

    @staticmethod
    @abstractmethod
    def read_conversation(locator: str, conversation: Any) -> Iterator[Entry | Refusal]:
        """One conversation's messages, before its branches."""

    def recognises(self, path: Path, head: str) -> bool:
        """Conversations of this export, in the file or in the zip."""
        return is_export(path, head, self.is_theirs)

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Every message of every conversation, in order."""
        yield from read_each(read_export(path, self.is_theirs), self.read_conversation)


def is_export(path: Path, head: str, is_theirs: Callable[[str], bool]) -> bool:
    """Whether a file's first characters are conversations, or those of a `conversations*.json` in a zip."""
    if not head.startswith("PK"):
        return is_theirs(head)
    return is_zip(path) and any(
        member.name.startswith("conversations") and is_theirs(_head_or_nothing(member))
        for member in read_members(path)
        if not isinstance(member, Refusal) and _is_json(member)
    )


def read_export(path: Path, is_theirs: Callable[[str], bool]) -> Iterator[tuple[str, Any] | Refusal]:
    """(locator, conversation) of the file, or of all files in the zip that hold conversations.

    Pictures, web pages and `SIDECARS` hold no message and are passed over; another JSON file is a `Refusal`.
    """
    if not is_zip(path):
        if not is_sidecar(path, is_theirs):
            yield from read_items(read_pieces(path), "conversation")
        return
    n_files = 0
    for member in read_members(path):
        if isinstance(member, Refusal):
            yield member
        elif _is_json(member):
            try:
                if is_theirs(read_head(cast(Path, member))):
                    n_files += 1
                    yield from _read_member(member)
                elif member.name not in SIDECARS:
                    yield Refusal("no_conversations", one_line(member.at), "not read: report it if it holds messages")
            except BREAKS as error:
                yield Refusal("broken_zip", one_line(member.at), DAMAGED, one_line(str(error)))
    if not n_files:
        yield Refusal("no_conversations", path.name, "no file in this zip holds conversations: export it again")


def _read_member(member: zipfile.Path) -> Iterator[tuple[str, Any] | Refusal]:
    where = one_line(member.at)
    for item in read_items(read_pieces(cast(Path, member)), f"{where} conversation"):
        if isinstance(item, Refusal) and not item.locator.startswith(where):
            item = Refusal(item.reason, f"{where} {item.locator}", item.remedy, item.detail)
        yield item


def _is_json(member: zipfile.Path) -> bool:
    parts = PurePosixPath(member.at).parts
    return member.name.endswith(".json") and not any(p.startswith(".") or p == "__MACOSX" for p in parts)


def _head_or_nothing(member: zipfile.Path) -> str:
    try:
        return read_head(cast(Path, member))
    except BREAKS:
        return ""
