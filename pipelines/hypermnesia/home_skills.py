"""All that a home does with skills: the stage that learns them, finding, looking, and what people decide of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from hypermnesia.engine.flow import new_run_id
from hypermnesia.engine.lease import lease
from hypermnesia.inspection.skill_changes import diff_versions, versions_of
from hypermnesia.inspection.skill_evaluation import measure_world
from hypermnesia.ports import Lake, ModelStage, Stage
from hypermnesia.retrieval.skills import OwnSkill, SkillFinder, answer_of
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.skills.matching import FLOOR
from hypermnesia.settings import Settings
from hypermnesia.skill_view import STAGE, SkillTables
from hypermnesia.stages.distill_skills import DistillSkills
from hypermnesia.stages.propose_skills import ProposeSkills, SkillModel
from hypermnesia.stages.skill_decisions import SkillDecisions

T = TypeVar("T")


class HomeSkills:
    """The skills of one home."""

    def __init__(
        self, lake: Lake, identity: Identity, settings: Settings, leases: Path, model: SkillModel | None = None
    ) -> None:
        self._model = model
        self._lake = lake
        self._identity = identity
        self._settings = settings
        self._leases = leases

    @property
    def stage(self) -> DistillSkills:
        """The pass of a night."""
        return DistillSkills(
            self._lake,
            self._identity,
            lambda: measure_world(self._identity.make),
            one_agent=self._settings.one_agent,
            least_sessions=self._settings.skill_sessions,
            most_sessions=self._settings.skill_sessions_most,
            model=self._model,
        )

    @property
    def proposals(self) -> ProposeSkills:
        """Asks the model before the pass. Raises `ValueError` where the rules distil alone."""
        if self._model is None:
            raise ValueError("no model distils here: set `distiller` to model")
        night = self.stage
        plan, opened, refuse = night.plan_nights, night.open_night, night.refuse
        return ProposeSkills(self._lake, self._identity, self._model, plan, opened, refuse)

    @property
    def stages(self) -> Sequence[Stage | ModelStage]:
        """The steps of a night: a model is asked where there is one to ask, then its answers are read."""
        is_asked = self._model is not None and self._settings.generator != "none"
        return [self.proposals, self.stage] if is_asked else [self.stage]

    @property
    def finder(self) -> SkillFinder:
        """Finds skills for tasks."""
        return SkillFinder(self._lake, self._settings.one_agent)

    def list(self, user: str, agent: str | None = None) -> dict[str, Any]:
        """A user's skills, and the sessions that wait for a night, by agent."""
        waits = [
            {"agent": learner.agent, "n_sessions": n, "n_needed": self._settings.skill_sessions}
            for learner, n in self.stage.waiting(user)
            if n
        ]
        return {"skills": [_listed(one) for one in self.finder.skills(user, agent)], "waiting": waits}

    def find(self, user: str, task: str, *, agent: str | None = None, floor: float = FLOOR) -> dict[str, Any]:
        """The skill for a task as Markdown, or null."""
        return answer_of(task, self.finder.find(user, task, agent=agent, floor=floor), datetime.now(UTC))

    def show(self, skill_id: str, version: int | None = None) -> dict[str, Any]:
        """A skill's versions, the decisions behind them, and one of them as Markdown (else the newest)."""
        return versions_of(SkillTables(self._lake), skill_id, version)

    def diff(self, skill_id: str, old: int | None = None, new: int | None = None) -> dict[str, Any]:
        """What a version says otherwise than another; without numbers the newest against the one before."""
        return diff_versions(SkillTables(self._lake), skill_id, old, new)

    def undo(self, skill_id: str, reason: str, to: int | None, say: Callable[[str], None]) -> int:
        """Brings back the version before, or version `to`; returns the new version's number."""
        return self._decide(say, lambda made, run, at: made.undo(skill_id, reason, run, at, to))

    def undo_run(self, run: str, reason: str, say: Callable[[str], None]) -> int:
        """Takes back what a night made of skills; returns how many versions."""
        return self._decide(say, lambda made, run_id, at: made.undo_run(run, reason, run_id, at))

    def retire(self, skill_id: str, reason: str, say: Callable[[str], None]) -> int:
        """Takes a skill away for good; returns the new version's number."""
        return self._decide(say, lambda made, run, at: made.retire(skill_id, reason, run, at))

    def use(self, skill_id: str, session: str, outcome: str, version: int | None, say: Callable[[str], None]) -> str:
        """Takes down how a task went for which the skill was had; returns the event's id."""
        return self._decide(say, lambda made, _, at: made.use(skill_id, session, outcome, at, version))

    def _decide(self, say: Callable[[str], None], decide: Callable[[SkillDecisions, str, datetime], T]) -> T:
        with lease(self._leases / f"{STAGE}.lock", wait_s=self._settings.lease_wait_s, on_wait=say):
            return decide(SkillDecisions(self._lake, self._identity), new_run_id(), datetime.now(UTC))


def _listed(one: OwnSkill) -> dict[str, Any]:
    skill = one.skill
    return {
        "skill_id": skill.skill_id,
        "version": skill.version,
        "name": skill.name,
        "status": "demoted" if one.is_demoted and skill.status == "active" else skill.status,
        "agent": one.agent,
        "is_shared": one.is_shared,
        "triggers": list(skill.triggers),
        "n_steps": len(skill.steps),
        "n_tasks": skill.n_tasks,
        "n_sessions": skill.n_successes,
        "uses": {"success": one.n_successes, "failure": one.n_failures},
    }
