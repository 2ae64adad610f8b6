"""Generations of an embedded index: built beside the published one, published by one pointer (DESIGN 9).

    <root>/published             name of the published generation, swapped atomically
    <root>/write.lock            locked while a build is open: one writer
    <root>/generations/<name>/   one part an adapter (vectors, graph); nothing but `published` makes it readable
    <root>/readers/<id>/         one reader's own copy of a generation; <id>.lock is locked while it lives

Locks are the kernel's (flock): a killed process gives them back, so nothing has to guess who is alive.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

from hypermnesia.adapters.key_files import sync_path

T = TypeVar("T")


class LockConflictError(RuntimeError):
    """Somebody else has open what only one may have open; the message names the path."""


def try_lock(path: Path) -> IO[bytes] | None:
    """Locks a file (made where missing) until it is closed; None where somebody else holds it."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


class Draft:
    """A generation being made in `path`. Nobody reads it before `publish`."""

    def __init__(self, root: Path, name: str, lock: IO[bytes]) -> None:
        self.name = name
        self.path = root / "generations" / name
        self._root = root
        self._lock = lock

    def publish(self) -> None:
        """Makes the draft the published generation and drops the others. Files in it must be closed.

        Readers keep the generation that they opened: their hard links hold its files.
        """
        _sync_tree(self.path)
        _swap(self._root / "published", self.name)
        _drop_others(self.path.parent, self.name)
        self._lock.close()

    def abandon(self) -> None:
        """Drops the draft; nothing happens where it was published or dropped before."""
        if self._lock.closed:
            return
        if _read(self._root / "published") != self.name:  # an error may come after the pointer's swap
            shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


class ReaderCopy:
    """One reader's own copy of the generation `name`, in `path`."""

    def __init__(self, path: Path, name: str, lock: IO[bytes]) -> None:
        self.path = path
        self.name = name
        self._lock = lock

    def close(self) -> None:
        """Removes the copy; a second call does nothing."""
        if not self._lock.closed:
            _drop_copy(self.path)
            self._lock.close()


@dataclass(frozen=True)
class Generations:
    """The generations under `root`, as the adapter sees them whose files are in `part`.

    `linked` are the suffixes of the part's files that are never written again once they are there: drafts
    and readers share them by hard link. Its other files are copied, since writing to a link would write
    to the original. A draft links the parts of other adapters whole: its build does not write them.
    """

    root: Path
    part: str
    linked: frozenset[str]

    def published(self) -> str | None:
        """The published generation's name, or None where there is none with this part."""
        while True:
            name = _read(self.root / "published")
            if name is None or self._folder(name, self.part).exists():
                return name
            has_other_parts = self._folder(name).exists()
            if _read(self.root / "published") == name:  # else it was dropped meanwhile
                return None if has_other_parts else name

    def read(self, open_copy: Callable[[ReaderCopy], T], *, is_read_only: bool = False) -> T:
        """What reads a copy of the published part, and closes it. Raises `LookupError` before the first."""
        copy = self.copy_published(is_read_only=is_read_only)
        try:
            return open_copy(copy)
        except BaseException:
            copy.close()
            raise

    def build(self, open_draft: Callable[[Draft], T], *, is_fresh: bool) -> T:
        """What writes a draft, as `start` makes it, and publishes or abandons it."""
        draft = self.start(is_fresh=is_fresh)
        try:
            return open_draft(draft)
        except BaseException:
            draft.abandon()
            raise

    def start(self, *, is_fresh: bool) -> Draft:
        """A draft with the published generation's files, without those of this part where `is_fresh`.

        Drops what killed builds left. A fresh draft also starts where the published files are lost.
        Raises `LockConflictError` while another build is open.
        """
        folder = self.root / "generations"
        folder.mkdir(parents=True, exist_ok=True)
        lock = try_lock(self.root / "write.lock")
        if lock is None:
            raise LockConflictError(f"another build is open in {self.root}: wait for it, or end its process")
        published = _read(self.root / "published")
        number = int(published.split("-")[0]) + 1 if published else 1
        draft = Draft(self.root, f"{number:06d}-{secrets.token_hex(4)}", lock)
        try:
            _drop_others(folder, published)
            draft.path.mkdir()
            is_lost = is_fresh and published is not None and not (folder / published).exists()
            for path in (folder / published).iterdir() if published and not is_lost else ():
                if path.name != self.part:
                    _share(path, draft.path / path.name, os.link)
                elif not is_fresh:
                    _share(path, draft.path / path.name, self._link_or_copy)
        except BaseException:
            draft.abandon()
            raise
        return draft

    def copy_published(self, *, is_read_only: bool = False) -> ReaderCopy:
        """A copy of the published part for one reader; `is_read_only` links files that are written in drafts.

        Raises `LookupError` before the first.
        """
        while True:
            name = self.published()
            if name is None:
                raise LookupError(f"nothing is published in {self.root} yet: run `hypermnesia backfill` first")
            copy = self._register(name)
            try:
                share = os.link if is_read_only else self._link_or_copy
                _share(self._folder(name, self.part), copy.path / self.part, share)
            except FileNotFoundError:
                copy.close()
                if self.published() == name:
                    raise
            except BaseException:
                copy.close()
                raise
            else:
                # A generation is dropped only after the pointer has moved on, so this copy is whole.
                if self.published() == name:
                    return copy
                copy.close()

    def _folder(self, *names: str) -> Path:
        return self.root.joinpath("generations", *names)

    def _link_or_copy(self, source: str, target: str) -> None:
        if Path(source).suffix in self.linked:
            os.link(source, target)
        else:
            shutil.copy2(source, target)

    def _register(self, name: str) -> ReaderCopy:
        """A new, locked, empty copy; drops those of dead readers."""
        readers = self.root / "readers"
        readers.mkdir(exist_ok=True)
        with _locked(readers / "registry"):
            for file in readers.glob("*.lock"):
                if (dead := try_lock(file)) is not None:
                    _drop_copy(file.with_suffix(""))
                    dead.close()
            path = readers / f"{os.getpid()}-{secrets.token_hex(4)}"
            lock = try_lock(path.with_suffix(".lock"))
            if lock is None:
                raise LockConflictError(f"another reader holds {path}")
            path.mkdir()
        return ReaderCopy(path, name, lock)


def _share(source: Path, target: Path, share: Callable[[str, str], object]) -> None:
    """Gives a file or a folder another place, file by file."""
    if source.is_dir():
        shutil.copytree(source, target, copy_function=share)
    else:
        share(str(source), str(target))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Waits for the lock on a file and holds it."""
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _drop_copy(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    path.with_suffix(".lock").unlink(missing_ok=True)


def _drop_others(folder: Path, kept: str | None) -> None:
    for generation in folder.iterdir():
        if generation.name != kept:
            shutil.rmtree(generation, ignore_errors=True)


def _sync_tree(folder: Path) -> None:
    """Waits until a folder's files are on disk, so that no power cut leaves a pointer to half of them."""
    for path in (folder, *folder.rglob("*")):
        sync_path(path)


def _read(pointer: Path) -> str | None:
    try:
        return pointer.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _swap(pointer: Path, name: str) -> None:
    """Points to another generation: a reader sees the old name or the new one, never half of one."""
    temporary = pointer.with_suffix(".next")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(name)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(pointer)
    sync_path(pointer.parent)
