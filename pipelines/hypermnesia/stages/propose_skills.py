"""propose_skills: by night, a model says what task sessions show and what becomes of skills (DESIGN 6).

It comes before distill_skills, takes the same learners and keeps every answer as it came; what the logs bear out of
it, distill_skills decides when it reads them again. An answer that is there is not asked for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypermnesia.contracts.tables import ANSWERS
from hypermnesia.ports import Call, Completion, Lake, Part, Request, Shard
from hypermnesia.rules.identity import Identity, bucket_of
from hypermnesia.rules.model_calls import ENGINE_ERROR, Asked
from hypermnesia.rules.skills.asking import AskAbout, SkillPrompts
from hypermnesia.rules.skills.consulting import consult
from hypermnesia.rules.skills.verifying import Night
from hypermnesia.skill_view import Learner
from hypermnesia.stages.answer import call_measures
from hypermnesia.stages.stored_answers import answer_row, check_prompts, completion_of, request_of
from hypermnesia.stages.token_budget import SPENT, TokenBudget

NAME = "propose_skills"


@dataclass(frozen=True)
class SkillModel:
    """Which model is asked about skills, and how; `token_budget` is for one worker's calls of a run."""

    name: str
    prompts: SkillPrompts
    token_budget: int | None = None

    @property
    def version(self) -> str:
        """What its answers depend on beside the sessions."""
        return "/".join((self.name, *(f"{prompt.name}-{prompt.version}" for prompt in self.prompts.all)))


@dataclass(frozen=True)
class OpenNight:
    """A learner's night as a stage reads it; `users` says whose each session is, `contents` which revision."""

    learner: Learner
    night: Night
    users: Mapping[str, str]
    contents: Mapping[str, str]

    def user_of(self, subject: str) -> str:
        """Whose row an answer is: the user of a session, else the learner's owner."""
        return self.users.get(subject, self.learner.owner)


class StoredSkillAnswers:
    """The committed answers of one model about sessions and skills."""

    def __init__(self, lake: Lake, identity: Identity, model: SkillModel) -> None:
        self._lake = lake
        self._identity = identity
        self._model = model

    def request(self, opened: OpenNight, subject: str, asked: Asked) -> Request:
        """A call as it is sent: of one learner, so that no answer crosses users."""
        about = (opened.user_of(subject), *opened.learner.key, subject)
        return request_of(self._identity, self._model.name, about, asked)

    def of(self, learner: Learner) -> dict[str, Completion]:
        """A learner's answers by id; an engine's error is none. Raises `VersionDriftError`."""
        rows = self._rows(learner)
        return {row["answer_id"]: completion_of(row) for row in rows if row["status"] != ENGINE_ERROR}

    def count(self, learner: Learner) -> int:
        """How many answers there are: with one more, a night is another. Raises `VersionDriftError`."""
        rows = self._rows(learner, ["prompt", "prompt_version", "prompt_hash", "status"])
        return sum(row["status"] != ENGINE_ERROR for row in rows)

    def _rows(self, learner: Learner, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
        users = sorted({learner.owner, *learner.members})
        buckets = sorted({bucket_of(user, self._lake.n_buckets) for user in users})
        prompts = [prompt.name for prompt in self._model.prompts.all]
        wanted = {"model": self._model.name, "user_id": users, "prompt": prompts}
        rows: list[dict[str, Any]] = self._lake.read(
            "answers", columns=columns, buckets=buckets, equals=wanted
        ).to_pylist()
        check_prompts(rows, self._model.prompts.all)
        return rows

    def consulted(self, opened: OpenNight) -> Night:
        """The night with what is stored of the model's answers."""
        answers = self.of(opened.learner)

        async def ask(subject: str, asked: Asked) -> Completion | None:
            return answers.get(self.request(opened, subject, asked).id)

        with asyncio.Runner() as runner:
            return runner.run(consult(opened.night, self._model.prompts, ask))


class ProposeSkills:
    """The propose_skills stage: an item is a learner. `plan_nights` and `open_night` are those of distill_skills."""

    name = NAME
    tables = ("answers",)
    counted_table = None

    def __init__(
        self,
        lake: Lake,
        identity: Identity,
        model: SkillModel,
        plan_nights: Callable[[], Iterator[Shard]],
        open_night: Callable[[Shard], OpenNight],
        refuse: Callable[[Shard, str, str, str], Part],
    ) -> None:
        self.version = model.version
        self.stored = StoredSkillAnswers(lake, identity, model)
        self.budget = TokenBudget(model.token_budget)
        self.n_buckets = lake.n_buckets
        self._lake = lake
        self._identity = identity
        self._model = model
        self._plan_nights = plan_nights
        self._open_night = open_night
        self.refuse = refuse

    @property
    def schemas(self) -> Sequence[Mapping[str, Any]]:
        """The distiller's and the curator's answer."""
        return [prompt.model.json_schema() for prompt in self._model.prompts.all]

    def plan(self) -> Iterator[Shard]:
        """A shard for each learner whose night begins; where calls failed, what is missing is asked for again."""
        commits = self._lake.read("commits", columns=["n_deferred"], equals={"stage": self.name}).to_pylist()
        n_failed = sum(row["n_deferred"] > 0 for row in commits)
        for shard in self._plan_nights():
            shard_id = self._identity.make("shard", self.name, self.version, shard.id, str(n_failed))
            yield Shard(self.name, shard_id, None, shard.items, shard.details)

    def open(self, shard: Shard) -> OpenProposals:
        """Reads the learner's sessions and skills, and the answers that there are. Raises `VersionDriftError`."""
        opened = self._open_night(shard)
        return OpenProposals(self, shard, opened, self.stored.of(opened.learner))

    async def consult(self, night: Night, ask: AskAbout) -> Night:
        """Asks all that a night asks."""
        return await consult(night, self._model.prompts, ask)


class OpenProposals:
    """The night of one shard."""

    def __init__(
        self, stage: ProposeSkills, shard: Shard, opened: OpenNight, answers: Mapping[str, Completion]
    ) -> None:
        self.answers = answers
        self._stage = stage
        self._shard = shard
        self._opened = opened

    async def run_item(self, item: str, call: Call) -> Part:  # noqa: ARG002  (the shard's only one)
        """Counts calls: out were answered, merged had been before; deferred got no answer, or were not made since the
        budget was spent, and come next night.
        """
        given: dict[str, tuple[str, Asked, Completion]] = {}
        unasked: set[str] = set()

        async def ask(subject: str, asked: Asked) -> Completion | None:
            request = self._stage.stored.request(self._opened, subject, asked)
            is_known = request.id in self.answers
            completion = await (call(request) if is_known else self._stage.budget.call(request, call))
            if completion is None:
                unasked.add(request.id)
            else:
                given[completion.id] = (subject, asked, completion)
            return completion

        await self._stage.consult(self._opened.night, ask)
        fresh = [given[name] for name in sorted(given) if name not in self.answers]
        rows = [self._row(*one) for one in fresh]
        n_failed = sum(completion.status == ENGINE_ERROR for *_, completion in fresh)
        part = Part({"answers": ANSWERS.table(rows)}, n_in=len(given) + len(unasked), n_merged=len(given) - len(fresh))
        part.n_out, part.n_deferred = len(fresh) - n_failed, n_failed + len(unasked)
        part.reasons = {reason: n for reason, n in ((ENGINE_ERROR, n_failed), (SPENT, len(unasked))) if n}
        part.measures = call_measures([completion for *_, completion in fresh])
        return part

    def _row(self, subject: str, asked: Asked, completion: Completion) -> dict[str, Any]:
        user = self._opened.user_of(subject)
        owner = {"user_id": user, "bucket": bucket_of(user, self._stage.n_buckets), "shard_id": self._shard.id}
        return owner | answer_row(asked, completion, self._opened.contents.get(subject, ""), subject)
