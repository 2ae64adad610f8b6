"""Natural cuts: runs whose ends depend on their own content, not on what stands far before.

Chunks of a session and shards of a stage are cut by the same rule: so a late message moves only the
cuts up to the next natural one, and a shard that nothing touched keeps its id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from hypermnesia.rules.identity import hash_number

Item = TypeVar("Item")


def natural_runs(
    items: Iterable[Item],
    *,
    size: Callable[[Item], int],
    key: Callable[[Item], str],
    modulus: int,
    most: int,
    least: int | None = None,
) -> Iterator[list[Item]]:
    """Runs of at least `least` (a quarter of `most`) and at most `most` in size, ended after an item whose key's
    number mod `modulus` is 0.

    An item is never split: one larger than `most` is a run alone. The last run may be short.
    """
    least = most // 4 if least is None else least
    run: list[Item] = []
    total = 0
    for item in items:
        if run and total + size(item) > most:
            yield run
            run, total = [], 0
        run.append(item)
        total += size(item)
        if total >= least and hash_number(key(item)) % modulus == 0:
            yield run
            run, total = [], 0
    if run:
        yield run
