"""Answers of model calls in flight, kept so that a kill repeats a few calls and not a shard (notes/engine.md).

A shard's folder has one Arrow IPC stream a worker life, only appended to; a file that a kill cut loses its
last batch. Beside it stands which items the life had begun and not ended, and how often an item was running
when its worker died. Everything here can go once the shard is committed. It holds people's words: the
folders are for their owner alone.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from hypermnesia.ports import Completion

_TYPES = {"str": pa.large_string(), "int": pa.int64(), "float": pa.float64()}
_SCHEMA = pa.schema([(field.name, _TYPES[str(field.type)]) for field in fields(Completion)])

#: Answers that wait for a batch of their own: more are written at once.
BATCH_ANSWERS = 64

_BEGUN, _ENDED = "+", "-"


class SpoolLife(Protocol):
    """What one worker writes while it lives."""

    def begin(self, shard_id: str, item: str) -> None:
        """The item runs now; known at once, also after a kill."""
        ...

    def end(self, shard_id: str, item: str) -> None:
        """The item gave its rows."""
        ...

    def keep(self, shard_id: str, answer: Completion) -> None:
        """An answer; kept with the next `flush`, or when there are enough for a batch."""
        ...

    def flush(self) -> None:
        """Everything kept so far survives a kill of this process."""
        ...

    def close(self, shard_id: str) -> None:
        """The shard will get no more answers from this life."""
        ...


class AnswerSpool(Protocol):
    """Where answers in flight are kept, by shard."""

    def life(self, name: str) -> SpoolLife:
        """A new worker's own place; `name` was never used before."""
        ...

    def answers(self, shard_id: str) -> dict[str, Completion]:
        """The answers that any life kept, by request id."""
        ...

    def blame(self, shard_id: str, life: str) -> None:
        """A worker died: what it had begun and not ended is counted against its items."""
        ...

    def deaths(self, shard_id: str) -> Counter[str]:
        """How many workers died while each item ran."""
        ...

    def drop(self, shard_ids: Iterable[str]) -> None:
        """Removes what is kept for these shards; those that have nothing are fine."""
        ...

    def shards(self) -> set[str]:
        """The shards that have something."""
        ...


class FileSpool:
    """A spool in a folder that driver and workers share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def life(self, name: str) -> FileSpoolLife:
        """The files of one worker's life."""
        return FileSpoolLife(self._folder, name)

    def answers(self, shard_id: str) -> dict[str, Completion]:
        """The answers of every life; a stream that was cut gives what came before the cut."""
        found = {}
        for path in sorted((self._folder / shard_id).glob("*.arrow")):
            for row in _rows(path):
                found[row["id"]] = Completion(**row)
        return found

    def blame(self, shard_id: str, life: str) -> None:
        """Appends the items to the shard's `deaths` file, once a life."""
        begun = self._folder / shard_id / f"{life}.begun"
        running = _running(begun)
        if running:
            with (self._folder / shard_id / "deaths").open("a") as file:
                file.write("".join(f"{item}\n" for item in sorted(running)))
        begun.unlink(missing_ok=True)

    def deaths(self, shard_id: str) -> Counter[str]:
        """From the `deaths` file: one line an item and death."""
        path = self._folder / shard_id / "deaths"
        return Counter(path.read_text().splitlines()) if path.exists() else Counter()

    def drop(self, shard_ids: Iterable[str]) -> None:
        """Removes the shards' folders."""
        for shard_id in shard_ids:
            shutil.rmtree(self._folder / shard_id, ignore_errors=True)

    def shards(self) -> set[str]:
        """The names of the folders."""
        return {path.name for path in self._folder.iterdir()} if self._folder.is_dir() else set()


class FileSpoolLife:
    """One worker's streams, one a shard, and its lines about items that run."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._waiting: dict[str, list[Completion]] = {}
        self._streams: dict[str, tuple[Any, Any]] = {}
        self._begun: dict[str, Any] = {}

    def begin(self, shard_id: str, item: str) -> None:
        """A line before the item."""
        self._note(shard_id, _BEGUN, item)

    def end(self, shard_id: str, item: str) -> None:
        """A line after the item."""
        self._note(shard_id, _ENDED, item)

    def keep(self, shard_id: str, answer: Completion) -> None:
        """Into the shard's waiting batch."""
        waiting = self._waiting.setdefault(shard_id, [])
        waiting.append(answer)
        if len(waiting) >= BATCH_ANSWERS:
            self._write(shard_id)

    def flush(self) -> None:
        """Writes every waiting batch to the operating system (not to the disk: a kill of the process is survived)."""
        for shard_id in list(self._waiting):
            self._write(shard_id)

    def close(self, shard_id: str) -> None:
        """Ends the shard's stream and its lines."""
        self._write(shard_id)
        if opened := self._streams.pop(shard_id, None):
            opened[0].close()
            opened[1].close()
        if begun := self._begun.pop(shard_id, None):
            begun.close()

    def _note(self, shard_id: str, sign: str, item: str) -> None:
        file = self._begun.get(shard_id)
        if file is None:
            file = self._begun[shard_id] = (self._place(shard_id) / f"{self._name}.begun").open("a", buffering=1)
        file.write(f"{sign}{item}\n")

    def _write(self, shard_id: str) -> None:
        waiting = self._waiting.pop(shard_id, None)
        if not waiting:
            return
        if shard_id not in self._streams:
            file = (self._place(shard_id) / f"{self._name}.arrow").open("xb")
            self._streams[shard_id] = (pa.ipc.new_stream(file, _SCHEMA), file)
        writer, file = self._streams[shard_id]
        columns = {name: [getattr(answer, name) for answer in waiting] for name in _SCHEMA.names}
        writer.write_batch(pa.RecordBatch.from_pydict(columns, schema=_SCHEMA))
        file.flush()

    def _place(self, shard_id: str) -> Path:
        place = self._folder / shard_id
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.mkdir(exist_ok=True, mode=0o700)
        return place


def _running(begun: Path) -> set[str]:
    """Items with a line before and none after; a last line that was cut is of an item that had not begun to run."""
    running: set[str] = set()
    for line in begun.read_text().splitlines() if begun.exists() else ():
        running = running | {line[1:]} if line[0] == _BEGUN else running - {line[1:]}
    return running


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a stream up to where it was cut."""
    try:
        with pa.ipc.open_stream(path.read_bytes()) as reader:
            for batch in reader:
                yield from batch.to_pylist()
    except (pa.ArrowInvalid, OSError, EOFError):
        return
