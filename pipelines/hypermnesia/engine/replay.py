"""`replay STAGE`: a stage again over what it refused, after the cause was mended."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from hypermnesia.ports import ModelStage, OpenShard, Part, Shard, Stage
from hypermnesia.rules.identity import Identity


class _Items:
    """A plan that holds only some items of a stage's, as shards of their own.

    `salt` makes a replay's shards differ from those of the one before. What an item gave before is there
    already and counts as merged, so a replay adds only what was missing.
    """

    def __init__(self, stage: Stage | ModelStage, items: Collection[str], identity: Identity, salt: str) -> None:
        self._of = stage
        self._items = items
        self._identity = identity
        self._salt = salt
        self.name = stage.name
        self.version = stage.version
        self.tables = stage.tables
        self.counted_table = stage.counted_table

    def plan(self) -> Iterator[Shard]:
        """The stage's shards without the items that were not refused."""
        for shard in self._of.plan():
            items = tuple(item for item in shard.items if item in self._items)
            if items:
                yield replace(shard, id=self._identity.make("shard", "replay", shard.id, self._salt), items=items)

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """As the stage does."""
        return self._of.refuse(shard, item, reason, detail)


class Replay(_Items):
    """A stage that computes, again."""

    def __init__(self, stage: Stage, items: Collection[str], identity: Identity, salt: str) -> None:
        super().__init__(stage, items, identity, salt)
        self._stage = stage

    def run(self, shard: Shard) -> Iterator[Part]:
        """As the stage does."""
        return self._stage.run(shard)


class ModelReplay(_Items):
    """A stage that asks a model, again: what was answered is in its tables, and not asked for."""

    def __init__(self, stage: ModelStage, items: Collection[str], identity: Identity, salt: str) -> None:
        super().__init__(stage, items, identity, salt)
        self._stage = stage
        self.schemas = stage.schemas

    def open(self, shard: Shard) -> OpenShard:
        """As the stage does."""
        return self._stage.open(shard)
