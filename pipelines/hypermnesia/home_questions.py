"""Many questions to one home, over all cores: each process reads its own copy of the published generation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from hypermnesia.engine.fan_out import fan_out
from hypermnesia.retrieval.ask import Asker
from hypermnesia.settings import Settings

FEW = 512  # questions that one process has answered before others have started
WINDOW = 2_048  # lines read ahead, so that questions of one user are asked together
PIECE = 32  # questions a task

Line = Mapping[str, Any]
Placed = tuple[int, Line]
Evidence = dict[str, Any]

One = TypeVar("One")

_opened: list[Asker] = []  # of this process, at most one


def ask_line(asker: Asker, line: Line, options: Mapping[str, Any]) -> Evidence:
    """The evidence for a line {"id", "user", "question", "as_of"}."""
    return asker.ask(line["user"], line["question"], id=line.get("id"), as_of=line.get("as_of"), **options)


def ask_many(settings: Settings, lines: Iterable[Line], options: Mapping[str, Any]) -> Iterator[Evidence]:
    """The evidence for each line, in their order, by `settings.workers` processes. Raises what `Asker.ask` raises."""
    waiting: dict[int, Evidence] = {}
    place = 0
    for found in fan_out(_Ask(settings, options), _pieces(lines), settings.workers):
        waiting.update(found)
        while place in waiting:
            yield waiting.pop(place)
            place += 1


def _pieces(lines: Iterable[Line]) -> Iterator[Sequence[Placed]]:
    """Lines with their places, some at a time, those of one user together: each process builds few histories."""
    for window in _parts(enumerate(lines), WINDOW):
        yield from _parts(sorted(window, key=lambda placed: placed[1]["user"]), PIECE)


def _parts(items: Iterable[One], size: int) -> Iterator[list[One]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


@dataclass(frozen=True)
class _Ask:
    """Answers a piece, in a worker that keeps what it opened."""

    settings: Settings
    options: Mapping[str, Any]

    def __call__(self, piece: Sequence[Placed]) -> list[tuple[int, Evidence]]:
        from hypermnesia.app import App

        if not _opened:
            _opened.append(App(self.settings, makes_home=False).asker)
        return [(place, ask_line(_opened[0], line, self.options)) for place, line in piece]
