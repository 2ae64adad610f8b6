"""extract: chunks become records, with the names and frames in them. What is made of a chunk says the extractor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from hypermnesia.contracts.tables import TABLES
from hypermnesia.ports import Extractor, Lake, Part, Shard
from hypermnesia.rules.chunking import Chunk
from hypermnesia.rules.extraction import Made, Passage, Reading, Refused
from hypermnesia.rules.grounding import why_quarantined
from hypermnesia.rules.grounding_reasons import REMEDIES
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.survival import survival
from hypermnesia.stages.chunk_shards import ChunkShards, Marks
from hypermnesia.stages.made_rows import made_rows
from hypermnesia.stages.rejects import NO_BUCKET, reject_row


class Extract:
    """The extract stage over the chunks in force, by an extractor that needs no model server."""

    name = "extract"
    tables = ("extractions", "records", "mentions", "assertions")
    counted_table = None

    def __init__(
        self,
        lake: Lake,
        identity: Identity,
        extractor: Extractor,
        shard_messages: int,
        marks: Marks | None = None,
    ) -> None:
        self.version = extractor.version
        self._shards = ChunkShards(lake, identity, shard_messages)
        self._identity = identity
        self._extractor = extractor
        self._marks = marks

    def plan(self) -> Iterator[Shard]:
        """Shards of chunks of one bucket; what the extractor reads beside passages is part of their ids."""
        return self._shards.plan(self.name, self.version, self._marks)

    def run(self, shard: Shard) -> Iterator[Part]:
        """One extraction a chunk, its records, and what they name and assert."""
        assert shard.bucket is not None
        chunks = self._shards.passages(shard)
        rows: dict[str, list[dict[str, Any]]] = {table: [] for table in (*self.tables, "rejects")}
        part = Part(tables={})
        reasons: Counter[str] = Counter()
        readings = self._extractor.read([passage for _, passage in chunks])
        for (chunk, passage), read in zip(chunks, readings, strict=True):
            if read.unread is not None:
                unread = self.refuse(shard, chunk.chunk_id, read.unread.reason, read.unread.detail)
                rows["rejects"].extend(unread.tables["rejects"].to_pylist())
                part.n_in, part.n_rejected = part.n_in + unread.n_in, part.n_rejected + unread.n_rejected
                reasons.update(unread.reasons)
                continue
            reading = quarantined(read)
            owner = {"user_id": passage.user_id, "bucket": shard.bucket, "shard_id": shard.id}
            answer = self._answer(chunk, reading)
            made = made_rows(
                reading.made, passage, answer["extraction_id"], self.version, self._extractor.name, self._identity
            )
            answer |= {"status": "ok" if made.records else "empty", "items": made.items}
            rows["extractions"].append(owner | answer)
            for table in ("records", "mentions", "assertions"):
                rows[table].extend(owner | row for row in getattr(made, table))
            rows["rejects"].extend(self._refused(passage, reading, shard))
            _count(passage, reading, part, reasons)
            part.measures = dict(Counter(part.measures) + survivals(passage, reading.made))
            reasons.update(made.left_out)
        part.tables = {table: TABLES[table].table(rows[table]) for table in rows}
        part.reasons = dict(+reasons)
        yield part

    def _refused(self, passage: Passage, reading: Reading, shard: Shard) -> Iterator[dict[str, Any]]:
        """A reject for each item that is no record; what was said stays in its messages."""
        for place, item in enumerate(reading.refused):
            cited = [passage.turns[turn].message_id for turn in item.turns]
            yield reject_row(
                self._identity,
                stage=self.name,
                reason=item.reason,
                remedy=REMEDIES[item.reason],
                shard_id=shard.id,
                user_id=passage.user_id,
                bucket=shard.bucket if shard.bucket is not None else NO_BUCKET,
                subject_id=cited[0] if cited else passage.chunk_id,
                detail=item.detail,
                occurrence=f"{self.version} {place}",
            )

    def _answer(self, chunk: Chunk, reading: Reading) -> dict[str, Any]:
        """The extraction's row: one answer for a chunk as it reads now and one rule set."""
        return {
            "extraction_id": self._identity.make(
                "extraction", chunk.chunk_id, chunk.passage_hash, self._extractor.name, self.version
            ),
            "chunk_id": chunk.chunk_id,
            "passage_hash": chunk.passage_hash,
            "memory_types": list(
                self._extractor.memory_types if reading.memory_types is None else reading.memory_types
            ),
            "extractor": self._extractor.name,
            "extractor_version": self.version,
        }

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A chunk that could not be read: its messages stay, its records are missing until a replay."""
        remedy = REMEDIES.get(reason, "look at the chunk with `show`; its messages are kept")
        n = len(self._shards.chunk(shard, item).messages)
        return self._shards.refused(shard, item, reason, detail, remedy, n)


def quarantined(reading: Reading) -> Reading:
    """The reading without records that would instruct their reader; those are refused, their messages stay."""
    kept: list[Made] = []
    out: list[Refused] = []
    for made in reading.made:
        why = why_quarantined(made)
        if why is None:
            kept.append(made)
        else:
            out.append(why)
    if not out:
        return reading
    return replace(reading, made=kept, refused=[*reading.refused, *out])


def _count(passage: Passage, reading: Reading, part: Part, reasons: Counter[str]) -> None:
    """Every message of a turn: one is out where a record cites it, what came with it is merged into its turn.

    A turn without a record is rejected where one of it was refused, else deferred.
    """
    cited = {place for made in reading.made for place in made.turns}
    refused = {place: item.reason for item in reading.refused for place in item.turns}
    for place, turn in enumerate(passage.turns):
        n = len(turn.cited)
        part.n_in += n
        if place in cited:
            part.n_out += 1
            part.n_merged += n - 1
        elif place in refused:
            part.n_rejected += n
            reasons[refused[place]] += n
        else:
            part.n_deferred += n
            reasons[reading.left_out[place]] += n


def survivals(passage: Passage, made: Sequence[Made]) -> Counter[str]:
    """Of the distinctive words of the turns that give records: how many there are, and how many the records keep."""
    texts: dict[int, list[str]] = {}
    for record in made:
        for place in record.turns:
            texts.setdefault(place, []).append(record.text)
    sums: Counter[str] = Counter()
    for place, records in texts.items():
        for kind, (n, n_kept) in survival(passage.turns[place].text, records).items():
            sums[f"survival.{kind}.all"] += n
            sums[f"survival.{kind}.kept"] += n_kept
    return sums
