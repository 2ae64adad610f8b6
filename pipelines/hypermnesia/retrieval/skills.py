"""Which skill a user's agent gets for a task: its exact template, else the nearest above a floor, else none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hypermnesia.ports import Lake
from hypermnesia.rules.identity import need_user
from hypermnesia.rules.skills.markdown import render_skill
from hypermnesia.rules.skills.matching import FLOOR, Match, find_skill
from hypermnesia.rules.skills.sessions import task_of
from hypermnesia.rules.skills.versions import Skill, SkillUse, newest, standing_of
from hypermnesia.skill_view import SkillTables


@dataclass(frozen=True, slots=True)
class OwnSkill:
    """A user's skill: the newest published version, how it did in use, and whose it is."""

    skill: Skill
    agent: str
    is_shared: bool
    n_successes: int
    n_failures: int
    is_demoted: bool


class SkillFinder:
    """Finds skills of one user: their own, and those of the agent that an operator declares them to share."""

    def __init__(self, lake: Lake, one_agent: Mapping[str, Sequence[str]]) -> None:
        self._lake = lake
        self._one_agent = one_agent

    def skills(self, user: str, agent: str | None = None) -> list[OwnSkill]:
        """A user's skills, active or not, by id. `agent` keeps those of one agent and the shared ones."""
        tables = SkillTables(self._lake)
        owners = [(need_user(user), False)] + [(name, True) for name, users in self._one_agent.items() if user in users]
        found = []
        for owner, is_shared in owners:
            rows = [row for row in tables.rows("skills", owner) if row["is_shared"] == is_shared]
            agents = {row["skill_id"]: row["agent"] for row in rows}
            uses = tables.uses(owner)
            found += [_own(skill, agents[skill.skill_id], is_shared, uses) for skill in newest(tables.published(rows))]
        kept = [one for one in found if agent is None or one.is_shared or one.agent == agent]
        return sorted(kept, key=lambda one: one.skill.skill_id)

    def find(self, user: str, task: str, *, agent: str | None = None, floor: float = FLOOR) -> Match | None:
        """The skill for a task, or None: a wrong skill harms. One that mostly failed in use is not given."""
        own = self.skills(user, agent)
        demoted = [one.skill.skill_id for one in own if one.is_demoted]
        return find_skill(task_of(task), [one.skill for one in own], demoted, floor)


def _own(skill: Skill, agent: str, is_shared: bool, uses: Sequence[SkillUse]) -> OwnSkill:
    standing = standing_of(skill, uses)
    return OwnSkill(skill, agent, is_shared, standing.n_successes, standing.n_failures, standing.is_demoted)


def answer_of(task: str, match: Match | None, as_of: datetime) -> dict[str, Any]:
    """A match as the command and the API give it; `skill` is null where there is none. `as_of` lets failures expire."""
    if match is None:
        return {"task": task, "skill": None}
    skill = match.skill
    return {
        "task": task,
        "skill": {
            "skill_id": skill.skill_id,
            "version": skill.version,
            "name": skill.name,
            "trigger": match.trigger,
            "bindings": dict(match.bindings),
            "how": match.how,
            "score": round(match.score, 4),
            "markdown": render_skill(skill, match.bindings, as_of.isoformat()),
        },
    }
