"""answer: a model is asked about the chunks in force; every completion is a row, whatever its status (DESIGN 5.3).

What is made of the answers says `extract`, which reads them again out of the lake: so nothing of a reading is kept
here, and an answer that is there is not asked for again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypermnesia.contracts.tables import ANSWERS
from hypermnesia.ports import Call, Completion, Lake, Part, Request, Shard, VersionDriftError
from hypermnesia.rules.extraction import Passage
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.model_calls import ENGINE_ERROR, Ask, Asked, says_anything
from hypermnesia.rules.model_reading import read_with_model
from hypermnesia.stages.chunk_shards import ChunkShards
from hypermnesia.stages.stored_answers import ModelPrompts, StoredAnswers, answer_row

NOTHING_TO_ASK = "says_nothing"
_REMEDY = "the engine failed, not the chunk: `replay answer` asks again for what is missing"


class Answer:
    """The answer stage: its items are chunks, which wait for a model most of the time."""

    name = "answer"
    tables = ("answers",)
    counted_table = None

    def __init__(self, lake: Lake, identity: Identity, model: ModelPrompts, shard_messages: int) -> None:
        self.version = model.version(identity)
        self._shards = ChunkShards(lake, identity, shard_messages)
        self._stored = StoredAnswers(lake, model)
        self._identity = identity
        self._model = model

    @property
    def schemas(self) -> Sequence[Mapping[str, Any]]:
        """The answers of the mode's prompts."""
        return [prompt.model.json_schema() for prompt in self._model.used.values()]

    def plan(self) -> Iterator[Shard]:
        """Shards of chunks of one bucket. Raises `VersionDriftError`."""
        for shard in self._shards.plan(self.name, self.version):
            assert shard.bucket is not None
            self._stored.check(shard.bucket)
            yield shard

    def open(self, shard: Shard) -> OpenAnswers:
        """Reads the shard's passages, and the answers that its bucket has. Raises `VersionDriftError`."""
        assert shard.bucket is not None
        if shard.details["version"] != self.version:
            raise VersionDriftError(f"the run was planned with {shard.details['version']}, here is {self.version}")
        answers = self._stored.of(shard.bucket).by_id
        passages = {chunk.chunk_id: (chunk.passage_hash, p) for chunk, p in self._shards.passages(shard)}
        return OpenAnswers(self, shard, passages, answers)

    def request(self, passage: Passage, asked: Asked) -> Request:
        """A call as it is sent."""
        return self._model.request(self._identity, passage, asked)

    async def read(self, passage: Passage, ask: Ask) -> None:
        """Asks all that the reading of one passage asks."""
        await read_with_model(passage, self._model.used, ask, self._model.mode)

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A chunk about which nobody could be asked."""
        return self._shards.refused(shard, item, reason, detail, _REMEDY, 1)


class OpenAnswers:
    """The chunks of one shard."""

    def __init__(
        self,
        stage: Answer,
        shard: Shard,
        passages: Mapping[str, tuple[str, Passage]],
        answers: Mapping[str, Completion],
    ) -> None:
        self.answers = answers
        self._stage = stage
        self._shard = shard
        self._passages = passages

    async def run_item(self, item: str, call: Call) -> Part:
        """Asks all that the reading of one chunk asks. Counts chunks: one whose call nobody answered is rejected."""
        passage_hash, passage = self._passages[item]
        if not says_anything(passage):
            return Part({}, n_in=1, n_deferred=1, reasons={NOTHING_TO_ASK: 1})
        given: dict[str, tuple[Asked, Completion]] = {}

        async def ask(asked: Asked) -> Completion:
            completion = await call(self._stage.request(passage, asked))
            given[completion.id] = (asked, completion)
            return completion

        await self._stage.read(passage, ask)
        fresh = [given[name] for name in sorted(given) if name not in self.answers]
        owner = {"user_id": passage.user_id, "bucket": self._shard.bucket, "shard_id": self._shard.id}
        rows = [owner | answer_row(asked, completion, passage_hash, passage.chunk_id) for asked, completion in fresh]
        part = Part({"answers": ANSWERS.table(rows)}, n_in=1, measures=call_measures([c for _, c in fresh]))
        failed = [(asked.prompt.name, c.detail) for asked, c in given.values() if c.status == ENGINE_ERROR]
        if failed:
            name, detail = min(failed)
            refused = self._stage.refuse(self._shard, item, ENGINE_ERROR, f"{name}: {detail}")
            part.tables |= refused.tables
            part.n_rejected, part.reasons = refused.n_rejected, refused.reasons
        else:
            part.n_out = 1
        return part


def call_measures(completions: Sequence[Completion]) -> dict[str, int]:
    """Sums for the run's report: calls, tokens, and calls and milliseconds of each status."""
    sums: Counter[str] = Counter(calls=len(completions))
    for completion in completions:
        sums["tokens.in"] += completion.n_tokens_in
        sums["tokens.cached"] += completion.n_tokens_cached
        sums["tokens.out"] += completion.n_tokens_out
        sums[f"status.{completion.status}"] += 1
        sums[f"milliseconds.{completion.status}"] += round(completion.seconds * 1000)
    return dict(+sums)
