"""A zip that breaks while it is read: what stands before the break is kept, and one refusal says where it is."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from hypermnesia.archives.zips import BREAKS, is_zip
from hypermnesia.ports import Refusal
from hypermnesia.rules.text import one_line

Item = TypeVar("Item")


def whole_or_refused(name: str, items: Iterable[Item]) -> Iterator[Item | Refusal]:
    """What is read of a zip or of one of its members; one that breaks while it is read ends in a refusal."""
    try:
        yield from items
    except BREAKS as error:
        remedy = "export the archive again; what stands behind the break was not read"
        yield Refusal("broken_zip", name, remedy, one_line(str(error)))


def member_names(path: Path) -> list[str]:
    """The names in a zip; none for a file that is no zip, or a broken one."""
    if not is_zip(path):
        return []
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except BREAKS:
        return []
