"""A zip that breaks while it is read: what stands before the break is kept, and one refusal says where it is."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar, cast

from hypermnesia.archives.files import read_head
from hypermnesia.archives.zips import BREAKS, DAMAGED, is_zip, read_members
from hypermnesia.ports import Entry, Refusal
from hypermnesia.rules.text import one_line

MOST_MEMBERS_TRIED = 1_000

Item = TypeVar("Item")
_TEXTS = (".json", ".jsonl", ".txt")


class DamagedZipReader:
    """Takes a zip that no format knows because it breaks, and refuses it by what is wrong with it."""

    name = "damaged_zip"

    def recognises(self, path: Path, head: str) -> bool:
        """Whether it begins as a zip does, and it or the beginning of a text in it can't be read. Asked last."""
        return head.startswith("PK") and is_zip(path) and _break_of(path) is not None

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """One refusal."""
        yield _break_of(path) or Refusal("unknown_format", path.name, "the zip is whole: name its format with --format")


def _break_of(path: Path) -> Refusal | None:
    """The first break of a zip, of its list of members or of the texts in it; None where there is none."""
    for member in islice(read_members(path), MOST_MEMBERS_TRIED):
        if isinstance(member, Refusal):
            if member.reason == "broken_zip":
                return member
        elif member.name.endswith(_TEXTS):
            try:
                read_head(cast(Path, member))
            except BREAKS as error:
                return Refusal("broken_zip", one_line(member.at), DAMAGED, one_line(str(error)))
    return None


def whole_or_refused(name: str, items: Iterable[Item]) -> Iterator[Item | Refusal]:
    """What is read of a zip or of one of its members; one that breaks while it is read ends in a refusal."""
    try:
        yield from items
    except BREAKS as error:
        yield Refusal("broken_zip", name, f"{DAMAGED}; what stands behind the break was not read", one_line(str(error)))


def member_names(path: Path) -> list[str]:
    """The names in a zip; none for a file that is no zip, or a broken one."""
    if not is_zip(path):
        return []
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except BREAKS:
        return []
