"""Generations of an embedded index: built beside the published one, published by one pointer (DESIGN 9).

    <root>/published             name of the published generation, swapped atomically
    <root>/write.lock            locked while a build is open: one writer
    <root>/generations/<name>/   what adapters wrote; nothing but `published` makes one readable
    <root>/readers/<id>/         one reader's own copy of a generation; <id>.lock is locked while it lives

Locks are the kernel's (flock): a killed process gives them back, so nothing has to guess who is alive.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO


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
    """The generations under `root`.

    `linked` are the suffixes of files that are never written again once they are there: readers share
    them by hard link. Every other file is copied, since writing to a link would write to the original.
    """

    root: Path
    linked: frozenset[str]

    def published(self) -> str | None:
        """The published generation's name, or None before the first."""
        return _read(self.root / "published")

    def start(self, *, is_fresh: bool) -> Draft:
        """A draft with a copy of the published generation, or empty where `is_fresh` or nothing is published.

        Drops what killed builds left. Raises `LockConflictError` while another build is open.
        """
        folder = self.root / "generations"
        folder.mkdir(parents=True, exist_ok=True)
        lock = try_lock(self.root / "write.lock")
        if lock is None:
            raise LockConflictError(f"another build is open in {self.root}: wait for it, or end its process")
        published = self.published()
        number = int(published.split("-")[0]) + 1 if published else 1
        draft = Draft(self.root, f"{number:06d}-{secrets.token_hex(4)}", lock)
        try:
            _drop_others(folder, published)
            if published is None or is_fresh:
                draft.path.mkdir()
            else:
                shutil.copytree(folder / published, draft.path)
        except BaseException:
            draft.abandon()
            raise
        return draft

    def copy_published(self) -> ReaderCopy:
        """A copy of the published generation for one reader. Raises `LookupError` before the first."""
        while True:
            name = self.published()
            if name is None:
                raise LookupError(f"nothing is published in {self.root} yet: run `hypermnesia backfill` first")
            copy = self._register(name)
            try:
                self._fill(copy)
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

    def _fill(self, copy: ReaderCopy) -> None:
        def link_or_copy(source: str, target: str) -> None:
            if Path(source).suffix in self.linked:
                os.link(source, target)
            else:
                shutil.copy2(source, target)

        source = self.root / "generations" / copy.name
        shutil.copytree(source, copy.path, copy_function=link_or_copy, dirs_exist_ok=True)


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
        _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
    _sync(pointer.parent)
