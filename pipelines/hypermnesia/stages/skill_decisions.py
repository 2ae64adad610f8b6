"""What people and agents say of skills: versions taken back, skills withdrawn, and what became of their use.

Rows are appended; a version that there is stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from hypermnesia.contracts.tables import SKILL_EDITS, SKILL_USES, SKILLS
from hypermnesia.ports import Lake
from hypermnesia.rules.identity import Identity, bucket_of
from hypermnesia.rules.skills.rows import skill_row
from hypermnesia.rules.skills.versions import RULES_VERSION, Skill, newest, retire, roll_back
from hypermnesia.skill_view import HELD, PERSON, ROLL_BACK, WITHDRAW, Learner, SkillTables

Row = dict[str, Any]
OUTCOMES = ("success", "failure")


class SkillDecisions:
    """A person's decisions about skills. Use it under the lease of `distill_skills`: one writer at a time."""

    def __init__(self, lake: Lake, identity: Identity) -> None:
        self._lake = lake
        self._identity = identity

    def undo(self, skill_id: str, reason: str, run_id: str, at: datetime, to: int | None = None) -> int:
        """Brings back the version before the newest one, or version `to`, as the next version, which is returned.

        What the versions between were learned from does not make them again. Raises `LookupError` for a skill that
        there is not, and `ValueError` where there is no such version.
        """
        learner, versions, n_next = self._open(skill_id)
        latest = newest(versions)[0]
        target = to if to is not None else latest.previous
        if target is None:
            raise ValueError(f"{skill_id} has one version only: `skills retire` takes it away")
        back = roll_back(versions, skill_id, target)
        return self._append(learner, back, n_next, ROLL_BACK, target, reason, run_id, at)

    def undo_run(self, run: str, reason: str, run_id: str, at: datetime) -> int:
        """Takes back every version that a night made and that is still the newest; a skill that it created is
        withdrawn. Returns how many were taken back. Raises `LookupError` where the run made no version.
        """
        made = SkillTables(self._lake).committed(self._lake.read("skills", equals={"run_id": run}).to_pylist())
        if not made:
            raise LookupError(f"run {run} made no version of a skill: `status` names the runs")
        n_undone = 0
        for skill_id, version in sorted((row["skill_id"], row["version"]) for row in made if row["status"] != HELD):
            latest = newest(self._open(skill_id)[1])[0]
            if latest.version == version:
                take_back = self.retire if latest.previous is None else self.undo
                take_back(skill_id, reason, run_id, at)
                n_undone += 1
        return n_undone

    def retire(self, skill_id: str, reason: str, run_id: str, at: datetime) -> int:
        """Takes a skill away for good: only `undo` brings it back. Returns the version that says so."""
        learner, versions, n_next = self._open(skill_id)
        latest = newest(versions)[0]
        if latest.status == "withdrawn":
            return latest.version
        return self._append(learner, retire(latest, "withdrawn"), n_next, WITHDRAW, latest.version, reason, run_id, at)

    def use(self, skill_id: str, session: str, outcome: str, at: datetime, version: int | None = None) -> str:
        """Takes down what became of a task for which an agent had a skill (its newest version, or `version`).

        The same event again is the same row. Raises `LookupError` for a skill that there is not, `ValueError` for
        a version or an outcome that there is not.
        """
        learner, versions, _ = self._open(skill_id)
        used = version if version is not None else newest(versions)[0].version
        if used not in {skill.version for skill in versions}:
            raise ValueError(f"skill {skill_id} has no version {used}: it has {[s.version for s in versions]}")
        if outcome not in OUTCOMES or not session.strip():
            raise ValueError(f"a use names its session, and an outcome that is one of {', '.join(OUTCOMES)}")
        use_id = self._identity.make("use", skill_id, str(used), session, outcome)
        row = self._owner(learner.owner) | {"use_id": use_id, "skill_id": skill_id, "version": used}
        row |= {"session": session, "outcome": outcome, "used_at": at, "shard_id": use_id}
        self._write("skill_uses", SKILL_USES.table([row]), f"use/{use_id}")
        return use_id

    def _open(self, skill_id: str) -> tuple[Learner, Sequence[Skill], int]:
        """A skill's learner, its published versions, and the number that the next one has."""
        tables = SkillTables(self._lake)
        _, learner = tables.owner_of(skill_id)
        rows = tables.rows("skills", learner.owner, skill_id=skill_id)
        numbers = [row["version"] for row in rows]
        versions = tables.published(rows)
        if not versions:
            raise ValueError(f"{skill_id} is held and was never published: `skills show {skill_id}` says why")
        return learner, versions, max(numbers) + 1

    def _append(
        self,
        learner: Learner,
        skill: Skill,
        version: int,
        decision: str,
        source: int,
        reason: str,
        run_id: str,
        at: datetime,
    ) -> int:
        """A version and its decision; the decision first, so that a version never stands without one.

        `source` is the version whose content this one has.
        """
        edit_id = self._identity.make("edit", decision, skill.skill_id, str(version))
        whose = {"agent": learner.agent, "is_shared": learner.is_shared, "judge": PERSON, "reason": reason}
        made = {"run_id": run_id, "decided_at": at, "shard_id": run_id, "distiller_version": RULES_VERSION}
        edit = self._owner(learner.owner) | whose | made
        edit |= {"edit_id": edit_id, "decision": decision, "skill_id": skill.skill_id, "experience_ids": []}
        edit |= {"from_version": source, "to_version": version, "changes": [], "night": 0}
        self._write("skill_edits", SKILL_EDITS.table([edit]), f"edit/{edit_id}")
        row = skill_row(skill, self._hashes(learner, skill)) | {"version": version, "checked": ""}
        self._write("skills", SKILLS.table([self._owner(learner.owner) | row | whose | made]), f"skill/{edit_id}")
        return version

    def _hashes(self, learner: Learner, skill: Skill) -> Mapping[str, str]:
        """The revisions of the messages that a skill cites, as its other versions name them."""
        rows = SkillTables(self._lake).rows("skills", learner.owner, skill_id=skill.skill_id)
        actions = [
            one["citation"]["action"]
            for row in rows
            for one in (*row["steps"], *(r["step"] for r in row["reactions"]), *row["avoid"], *row["checks"])
        ]
        return {action["message_id"]: action["content_hash"] for action in actions}

    def _owner(self, user: str) -> Row:
        return {"user_id": user, "bucket": bucket_of(user, self._lake.n_buckets)}

    def _write(self, table: str, rows: Any, transaction: str) -> None:
        """Appends once: a command that was killed and comes again writes what is missing."""
        handle = self._lake.open(table)
        if not handle.transactions([transaction]):
            handle.append(rows, [transaction])
