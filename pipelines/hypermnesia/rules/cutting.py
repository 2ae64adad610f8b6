"""Natural cuts: runs whose ends depend on their own content, not on what stands far before.

Chunks of a session and shards of a stage are cut by the same rule: so a late message moves only the
cuts up to the next natural one, and a shard that nothing touched keeps its id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def natural_runs(
    items: Iterable[Item],
    *,
    size: Callable[[Item], int],
    number: Callable[[Item], int],
    modulus: int,
    least: int,
    most: int,
) -> Iterator[list[Item]]:
    """Runs of at least `least` and at most `most` in size, ended after an item whose number mod `modulus` is 0.

    An item is never split: one larger than `most` is a run alone. The last run may be short.
    """
    run: list[Item] = []
    total = 0
    for item in items:
        if run and total + size(item) > most:
            yield run
            run, total = [], 0
        run.append(item)
        total += size(item)
        if total >= least and number(item) % modulus == 0:
            yield run
            run, total = [], 0
    if run:
        yield run
