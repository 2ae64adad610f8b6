"""A model's answers in the lake: requests by their ids, completions as rows, and readings of what is stored."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypermnesia.ports import Completion, Lake, Request, Sampling, VersionDriftError
from hypermnesia.rules import injection_check, model_reading
from hypermnesia.rules.answer_reuse import renumbered
from hypermnesia.rules.answer_status import OK
from hypermnesia.rules.extraction import MEMORY_TYPES, Passage, Reading
from hypermnesia.rules.identity import Identity, bucket_of
from hypermnesia.rules.model_calls import ENGINE_ERROR, Asked
from hypermnesia.rules.model_reading import prompts_of, read_with_model
from hypermnesia.rules.prompting import Prompt
from hypermnesia.stages.chunk_shards import Marks

Row = dict[str, Any]
_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class ModelPrompts:
    """Which model is asked, how, and with what: all that its answers and readings depend on beside the passages."""

    model: str
    mode: str
    prompts: Mapping[str, Prompt]
    checks_injection: bool = False

    @property
    def used(self) -> dict[str, Prompt]:
        """The prompts that are asked, by name."""
        checks = (injection_check.PROMPT,) if self.checks_injection else ()
        return {name: self.prompts[name] for name in (*prompts_of(self.mode), *checks)}

    def version(self, identity: Identity) -> str:
        """The version of readings: it names the model and the mode, and holds prompts and parser."""
        versions = [part for name, prompt in sorted(self.used.items()) for part in (name, prompt.version)]
        asked = identity.make("content", self.model, *versions).rpartition("_")[2][:6]
        return f"model-{_NAME.sub('_', self.model)}-{self.mode}-p{asked}-r{model_reading.VERSION}"

    def request(self, identity: Identity, passage: Passage, asked: Asked) -> Request:
        """The call as it is sent."""
        return request_of(identity, self.model, (passage.user_id, passage.chunk_id), asked)


def request_of(identity: Identity, model: str, about: tuple[str, ...], asked: Asked) -> Request:
    """A call as it is sent. Its id is of what it is about (the user first), its prompt, its model and all that it
    shows the model."""
    call = asked.call
    shown = [part for message in call.messages for part in message]
    how = (str(call.max_tokens), str(call.temperature))
    request_id = identity.make("answer", *about, call.prompt, call.version, model, *how, *shown)
    sampling = Sampling(call.max_tokens, call.temperature)
    return Request(request_id, call.messages, sampling, call.schema, call.prefix_key)


class BucketAnswers:
    """The committed answers of one bucket, by model and prompts of one configuration."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.by_id: dict[str, Completion] = {}
        self._about: dict[tuple[str, str, str, int, int], list[Row]] = {}
        for row in sorted(rows, key=lambda row: (row["status"] != OK, row["status"], row["answer_id"])):
            if row["status"] != ENGINE_ERROR:
                self.by_id.setdefault(row["answer_id"], completion_of(row))
            if row["status"] == OK and row["about"]:
                place = (row["chunk_id"], row["prompt"], row["prompt_version"], row["first_turn"], row["n_turns"])
                self._about.setdefault(place, []).append(row)

    def get(self, request_id: str, passage: Passage, asked: Asked) -> Completion | None:
        """The answer of a call, or of an older one about these records and more: so that grounding may change."""
        if request_id in self.by_id or not asked.about:
            return self.by_id.get(request_id)
        place = (passage.chunk_id, asked.prompt.name, asked.prompt.version, asked.first, asked.n_turns)
        for row in self._about.get(place, ()):
            text = renumbered(row["raw_text"], row["about"], asked.about)
            if text is not None:
                return replace(completion_of(row), text=text)
        return None


class StoredAnswers:
    """The committed answers of one model; those of the last bucket are kept."""

    def __init__(self, lake: Lake, model: ModelPrompts) -> None:
        self._lake = lake
        self._model = model
        self._opened: tuple[int, BucketAnswers] | None = None

    def of(self, bucket: int) -> BucketAnswers:
        """Every answer of a bucket as the lake has them now; an engine's error is none.

        Raises `VersionDriftError` where a prompt's text is not the one that its version had.
        """
        rows = self._lake.read("answers", buckets=[bucket], equals={"model": self._model.model}).to_pylist()
        self._check(rows)
        return BucketAnswers(rows)

    def check(self, bucket: int) -> None:
        """Raises `VersionDriftError` where a prompt's text is not the one that its version had."""
        self.marks(bucket)

    def marks(self, bucket: int) -> dict[str, str]:
        """How many answers each chunk has: with one more, its reading is another. Raises as `of`."""
        columns = ["chunk_id", "status", "prompt", "prompt_version", "prompt_hash"]
        ours = {"model": self._model.model}
        rows = self._lake.read("answers", columns=columns, buckets=[bucket], equals=ours).to_pylist()
        self._check(rows)
        numbers = Counter(row["chunk_id"] for row in rows if row["status"] != ENGINE_ERROR)
        return {chunk_id: str(n) for chunk_id, n in numbers.items()}

    def last(self, bucket: int) -> BucketAnswers:
        """As `of`, read once for passages of one bucket in a row."""
        if self._opened is None or self._opened[0] != bucket:
            self._opened = (bucket, self.of(bucket))
        return self._opened[1]

    def _check(self, rows: Sequence[Row]) -> None:
        check_prompts(rows, self._model.used.values())


class ModelExtractor:
    """Reads passages out of the stored answers; needs no model."""

    name = "model"
    memory_types = MEMORY_TYPES

    def __init__(self, lake: Lake, identity: Identity, model: ModelPrompts) -> None:
        self.version = model.version(identity)
        self._n_buckets = lake.n_buckets
        self._identity = identity
        self._model = model
        self._answers = StoredAnswers(lake, model)

    @property
    def marks(self) -> Marks:
        """What its readings depend on beside the passages."""
        return self._answers.marks

    def read(self, passages: Sequence[Passage]) -> list[Reading]:
        """One reading a passage; one of which a call has no answer is unread, with the prompt's name."""
        with asyncio.Runner() as runner:
            return [runner.run(self._read(passage)) for passage in passages]

    async def _read(self, passage: Passage) -> Reading:
        answers = self._answers.last(bucket_of(passage.user_id, self._n_buckets))

        async def ask(asked: Asked) -> Completion | None:
            return answers.get(self._model.request(self._identity, passage, asked).id, passage, asked)

        return await read_with_model(passage, self._model.used, ask, self._model.mode)


def check_prompts(rows: Iterable[Row], prompts: Iterable[Prompt]) -> None:
    """Raises `VersionDriftError` where a prompt's text is not the one that its version had in these answers."""
    texts = {(p.name, p.version): p.content_hash for p in prompts}
    for row in rows:
        version = (row["prompt"], row["prompt_version"])
        if texts.get(version, row["prompt_hash"]) != row["prompt_hash"]:
            raise VersionDriftError(
                f"prompt {version[0]} calls itself version {version[1]}, but its text ({texts[version]}) is not "
                f"that of version {version[1]} in this home ({row['prompt_hash']}): give it a new version"
            )


def answer_row(asked: Asked, completion: Completion, passage_hash: str, chunk_id: str) -> Row:
    """A completion's row, without owner and shard. Of skills `chunk_id` names a session or a kind of task."""
    return {
        "answer_id": completion.id,
        "chunk_id": chunk_id,
        "passage_hash": passage_hash,
        "prompt": asked.prompt.name,
        "prompt_version": asked.prompt.version,
        "prompt_hash": asked.prompt.content_hash,
        "model": completion.model,
        "first_turn": asked.first,
        "n_turns": asked.n_turns,
        "attempt": asked.attempt,
        "change": asked.change,
        "about": list(asked.about),
        "status": completion.status,
        "raw_text": completion.text,
        "detail": completion.detail,
        "n_tokens_in": completion.n_tokens_in,
        "n_tokens_cached": completion.n_tokens_cached,
        "n_tokens_out": completion.n_tokens_out,
        "seconds": completion.seconds,
    }


def completion_of(row: Row) -> Completion:
    """The completion of a row."""
    names = ("status", "model", "n_tokens_in", "n_tokens_cached", "n_tokens_out", "seconds", "detail")
    return Completion(id=row["answer_id"], text=row["raw_text"], **{name: row[name] for name in names})
