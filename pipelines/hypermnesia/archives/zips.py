"""The members of a zip export, each as something to open; a hostile or broken zip is refused, never unpacked."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from hypermnesia.ports import Refusal
from hypermnesia.rules.text import one_line

#: A member of more than `SMALL_BYTES` that grows by more than this when unpacked is taken for a bomb.
MOST_RATIO = 200
SMALL_BYTES = 64 * 1024 * 1024
MOST_MEMBERS = 1_000_000

#: What `zipfile` raises over bytes that are no zip, or none that it knows.
BREAKS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError)

#: What to do about a zip that breaks.
DAMAGED = "the zip is damaged or only half downloaded: download it again, or export the archive again"

_ENCRYPTED = 0x1


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip does."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def read_members(path: Path) -> Iterator[zipfile.Path | Refusal]:
    """The files of a zip by name; what may not be opened is a `Refusal` that names it.

    A member reads as a `Path` does (`name`, `at`, `open("rb")`); no more of it is read than the zip
    declares, which is what the limits are about.
    """
    try:
        archive = zipfile.ZipFile(path)
    except BREAKS as error:
        yield Refusal("broken_zip", path.name, DAMAGED, one_line(str(error)))
        return
    with archive:
        members = [info for info in archive.infolist() if not info.is_dir()]
        if len(members) > MOST_MEMBERS:
            yield Refusal("zip_bomb", path.name, f"a zip may hold {MOST_MEMBERS} files at most")
            return
        for info in sorted(members, key=lambda info: info.filename):
            yield _check(info) or zipfile.Path(archive, info.filename)


def _check(info: zipfile.ZipInfo) -> Refusal | None:
    name = PurePosixPath(info.filename.replace("\\", "/"))
    where = one_line(info.filename)
    if name.is_absolute() or ".." in name.parts or (name.parts and name.parts[0].endswith(":")):
        return Refusal("unsafe_name", where, "a member's name must stay inside the zip; remove it")
    if info.flag_bits & _ENCRYPTED:
        return Refusal("encrypted", where, "unpack the zip with its password first")
    if info.file_size > max(SMALL_BYTES, MOST_RATIO * max(info.compress_size, 1)):
        return Refusal("zip_bomb", where, f"it grows more than {MOST_RATIO} times when unpacked; unpack it yourself")
    return None
