"""`replay STAGE`: a stage again over what it refused, after the cause was mended."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from hypermnesia.ports import Part, Shard, Stage
from hypermnesia.rules.identity import Identity


class Replay:
    """A stage whose plan holds only some items, as shards of their own.

    `salt` makes a replay's shards differ from those of the one before. What an item gave before is there
    already and counts as merged, so a replay adds only what was missing.
    """

    def __init__(self, stage: Stage, items: Collection[str], identity: Identity, salt: str) -> None:
        self._stage = stage
        self._items = items
        self._identity = identity
        self._salt = salt
        self.name = stage.name
        self.version = stage.version
        self.tables = stage.tables
        self.counted_table = stage.counted_table

    def plan(self) -> Iterator[Shard]:
        """The stage's shards without the items that were not refused."""
        for shard in self._stage.plan():
            items = tuple(item for item in shard.items if item in self._items)
            if items:
                yield replace(shard, id=self._identity.make("shard", "replay", shard.id, self._salt), items=items)

    def run(self, shard: Shard) -> Iterator[Part]:
        """As the stage does."""
        return self._stage.run(shard)

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """As the stage does."""
        return self._stage.refuse(shard, item, reason, detail)
