"""extract: chunks become records, with the names and frames in them. What is made of a chunk says the extractor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hypermnesia.contracts.tables import REJECTS, TABLES
from hypermnesia.ports import Extractor, Lake, Part, Shard
from hypermnesia.rules.chunking import Chunk, cut_chunks, in_sittings
from hypermnesia.rules.cutting import natural_runs
from hypermnesia.rules.extraction import Made, Passage, Reading, Refused
from hypermnesia.rules.grounding import why_quarantined
from hypermnesia.rules.grounding_reasons import REMEDIES
from hypermnesia.rules.identity import Identity, hash_number
from hypermnesia.rules.passages import COLUMNS, passage_of
from hypermnesia.rules.survival import survival
from hypermnesia.stages.made_rows import made_rows
from hypermnesia.stages.rejects import NO_BUCKET, reject_row
from hypermnesia.views import Buckets

Message = dict[str, Any]


class Extract:
    """The extract stage over the chunks in force, by an extractor that needs no model server."""

    name = "extract"
    tables = ("extractions", "records", "mentions", "assertions")
    counted_table = None

    def __init__(self, lake: Lake, identity: Identity, extractor: Extractor, shard_messages: int) -> None:
        self.version = extractor.version
        self._buckets = Buckets(lake, identity)
        self._identity = identity
        self._extractor = extractor
        self._shard_messages = shard_messages
        self._chunks: tuple[int, dict[str, Chunk], dict[str, Message]] | None = None

    def plan(self) -> Iterator[Shard]:
        """Shards of chunks of one bucket, about `shard_messages` messages each; a long history is many shards."""
        for number in self._buckets.numbers():
            runs = natural_runs(
                self._open(number)[0].values(),
                size=lambda chunk: len(chunk.messages),
                number=lambda chunk: hash_number(chunk.chunk_id),
                modulus=4,
                least=self._shard_messages // 4,
                most=self._shard_messages,
            )
            for run in runs:
                content = [part for chunk in run for part in (chunk.chunk_id, chunk.passage_hash)]
                shard_id = self._identity.make("shard", self.name, self.version, *content)
                yield Shard(self.name, shard_id, number, tuple(chunk.chunk_id for chunk in run))

    def run(self, shard: Shard) -> Iterator[Part]:
        """One extraction a chunk, its records, and what they name and assert."""
        assert shard.bucket is not None
        chunks, messages = self._open(shard.bucket)
        passages = [passage_of(chunks[chunk_id], messages) for chunk_id in shard.items]
        rows: dict[str, list[dict[str, Any]]] = {table: [] for table in (*self.tables, "rejects")}
        part = Part(tables={})
        reasons: Counter[str] = Counter()
        for passage, read in zip(passages, self._extractor.read(passages), strict=True):
            reading = quarantined(read)
            owner = {"user_id": passage.user_id, "bucket": shard.bucket, "shard_id": shard.id}
            answer = self._answer(chunks[passage.chunk_id])
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

    def _answer(self, chunk: Chunk) -> dict[str, Any]:
        """The extraction's row: one answer for a chunk as it reads now and one rule set."""
        return {
            "extraction_id": self._identity.make(
                "extraction", chunk.chunk_id, chunk.passage_hash, self._extractor.name, self.version
            ),
            "chunk_id": chunk.chunk_id,
            "passage_hash": chunk.passage_hash,
            "memory_types": list(self._extractor.memory_types),
            "extractor": self._extractor.name,
            "extractor_version": self.version,
        }

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A chunk that could not be read: its messages stay, its records are missing until a replay."""
        assert shard.bucket is not None
        chunk = self._open(shard.bucket)[0][item]
        row = reject_row(
            self._identity,
            stage=self.name,
            reason=reason,
            remedy="look at the chunk with `show`; its messages are kept",
            shard_id=shard.id,
            user_id=chunk.user_id,
            bucket=shard.bucket,
            subject_id=item,
            detail=detail,
        )
        n = len(chunk.messages)
        return Part(tables={"rejects": REJECTS.table([row])}, n_in=n, n_rejected=n, reasons={reason: n})

    def _open(self, bucket: int) -> tuple[dict[str, Chunk], dict[str, Message]]:
        """The bucket's chunks in force, and its messages in force by id."""
        if self._chunks is None or self._chunks[0] != bucket:
            said = in_sittings(self._buckets.open(bucket).messages)
            chunks = {chunk.chunk_id: chunk for chunk in cut_chunks(said, self._identity)}
            messages = {row["message_id"]: row for row in said.select(COLUMNS).iter_rows(named=True)}
            self._chunks = (bucket, chunks, messages)
        return self._chunks[1], self._chunks[2]


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
    return Reading(kept, reading.left_out, [*reading.refused, *out]) if out else reading


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
