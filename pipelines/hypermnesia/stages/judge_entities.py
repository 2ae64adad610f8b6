"""judge_entities: by night, a model looks at pairs of names that strings leave unsure (DESIGN 6).

It comes after merge_entities and takes the same pairs. "Same" and "different" are decisions of the model and are
remembered; a failed answer is none, and its pair comes first in the next night.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypermnesia.contracts.answers import SameEntityAnswer
from hypermnesia.contracts.tables import MERGES
from hypermnesia.ports import Call, Completion, Lake, Part, Request, Sampling, Shard
from hypermnesia.rules.activation import Active
from hypermnesia.rules.answer_reading import UnreadableAnswerError, parse_answer
from hypermnesia.rules.answer_status import OK
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.merging import Member, Pair, verdict_of
from hypermnesia.rules.name_verdicts import STRENGTHS
from hypermnesia.rules.prompting import Prompt, same_entity_call
from hypermnesia.stages.decision_rows import decision_row
from hypermnesia.stages.merge_entities import NIGHTLY, MergeEntities
from hypermnesia.views import Bucket

PROMPT = "same_entity"
_SENTENCES, _LONGEST = 3, 200
_SAME = float(STRENGTHS["remembered:model"])


@dataclass(frozen=True, slots=True)
class _Asked:
    """One user's unsure pairs, with what is said of each anchor."""

    members: Mapping[str, Member]
    pairs: tuple[Pair, ...]
    said: Mapping[str, tuple[str, ...]]


class JudgeEntities:
    """The judge_entities stage: its items are users."""

    name = "judge_entities"
    tables = ("merges",)
    counted_table = None

    def __init__(
        self, lake: Lake, identity: Identity, active: Active, merging: MergeEntities, model: str, prompt: Prompt
    ) -> None:
        self.version = f"{model}/{prompt.name}-{prompt.version}"
        self._lake = lake
        self._identity = identity
        self._active = active
        self._merging = merging
        self._model = model
        self._prompt = prompt

    @property
    def schemas(self) -> Sequence[Mapping[str, Any]]:
        """The judge's answer."""
        return [self._prompt.model.json_schema()]

    def plan(self) -> Iterator[Shard]:
        """As merge_entities does: users with anything new, or with pairs that wait."""
        for shard in self._merging.plan():
            shard_id = self._identity.make("shard", self.name, self.version, shard.id)
            yield Shard(self.name, shard_id, shard.bucket, shard.items, shard.details)

    def open(self, shard: Shard) -> OpenPairs:
        """Reads the pairs that strings leave unsure, and sentences that name their anchors."""
        assert shard.bucket is not None
        unsure = {user: self._merging.unsure(shard, user) for user in shard.items}
        said = _sentences(Bucket(self._lake, self._identity, shard.bucket, self._active))
        asked = {user: _Asked(members, tuple(pairs), said) for user, (members, pairs) in unsure.items()}
        return OpenPairs(self, shard, asked)

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A user whose pairs nobody could be asked about: they wait for the next night."""
        return self._merging.refuse(shard, item, reason, detail)

    def request(self, user: str, asked: _Asked, pair: Pair) -> Request:
        """Whether the rarer name of a pair is the other one, by what is said of both."""
        rarer, other = sorted((asked.members[end] for end in pair), key=lambda m: (m.n_records, m.anchor_id))
        said, known = (" ".join(asked.said.get(m.anchor_id, ())) for m in (rarer, other))
        call = same_entity_call(self._prompt, rarer.name, rarer.type, said, [(other.name, known)])
        shown = [part for message in call.messages for part in message]
        name = self._identity.make("answer", user, call.prompt, call.version, self._model, *shown)
        return Request(name, call.messages, Sampling(call.max_tokens, call.temperature), call.schema, call.prefix_key)

    def row(self, user: str, asked: _Asked, pair: Pair, decision: str, shard: Shard) -> dict[str, Any]:
        """A decision of the model about two anchors."""
        left, right = (asked.members[end] for end in pair)
        owner = {"user_id": user, "bucket": shard.bucket, "shard_id": shard.id}
        return owner | decision_row(
            self._identity,
            user,
            decision,
            (left, right),
            judge="model",
            judge_version=self.version,
            rule=verdict_of(left, right).rule,
            score=_SAME if decision == "same" else 0.0,
            round=shard.details.get("rounds", NIGHTLY),
            night=shard.details["since"] if decision == "deferred" else None,
        )


class OpenPairs:
    """The users of one shard."""

    answers: Mapping[str, Completion] = {}

    def __init__(self, stage: JudgeEntities, shard: Shard, asked: Mapping[str, _Asked]) -> None:
        self._stage = stage
        self._shard = shard
        self._asked = asked

    async def run_item(self, item: str, call: Call) -> Part:
        """Counts pairs: out were judged, deferred got no answer and wait for the next night."""
        asked = self._asked[item]
        given = await asyncio.gather(*(call(self._stage.request(item, asked, pair)) for pair in asked.pairs))
        rows, reasons = [], Counter[str]()
        for pair, completion in zip(asked.pairs, given, strict=True):
            verdict = verdict_in(completion)
            decision = verdict if verdict in ("same", "different") else "" if verdict == "unsure" else "deferred"
            reasons[f"failed_{verdict}" if decision == "deferred" else verdict] += 1
            if decision:
                rows.append(self._stage.row(item, asked, pair, decision, self._shard))
        n, n_deferred = len(asked.pairs), sum(row["decision"] == "deferred" for row in rows)
        part = Part({"merges": MERGES.table(rows)}, n_in=n, n_out=n - n_deferred, n_deferred=n_deferred)
        part.reasons = dict(reasons)
        part.measures = dict(+Counter({"calls": n, **Counter(f"status.{c.status}" for c in given)}))
        return part


def verdict_in(completion: Completion) -> str:
    """same, different, unsure, or the status of an answer that is none."""
    if completion.status != OK:
        return completion.status
    try:
        answer = parse_answer(completion.text, SameEntityAnswer)
    except UnreadableAnswerError as error:
        return error.status
    assert isinstance(answer, SameEntityAnswer)
    if answer.verdict == "same" and answer.candidate != 1:  # it names a candidate that was not given
        return "unsure"
    return answer.verdict


def _sentences(bucket: Bucket) -> dict[str, tuple[str, ...]]:
    """anchor_id -> the first texts of records that name it, in the order said."""
    named = bucket.records.select("row_id", "text").join(
        bucket.mentions.select("row_id", "anchor_id").unique(), on="row_id", maintain_order="left"
    )
    found: dict[str, list[str]] = {}
    for text, anchor_id in named.sort("anchor_id", maintain_order=True).select("text", "anchor_id").iter_rows():
        texts = found.setdefault(anchor_id, [])
        if len(texts) < _SENTENCES and text[:_LONGEST] not in texts:
            texts.append(text[:_LONGEST])
    return {anchor_id: tuple(texts) for anchor_id, texts in found.items()}
