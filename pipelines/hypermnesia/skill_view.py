"""Skills in force and what they were learned from, as the lake's tables say.

Rows of a night count only where its shard is committed whole; a person's rows count at once. So a night that was
killed has left nothing that anybody reads, and the next one makes the same rows again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypermnesia.ports import Lake
from hypermnesia.rules.identity import bucket_of, need_user
from hypermnesia.rules.skills.experiences import Experience
from hypermnesia.rules.skills.rows import experience_of, skill_of
from hypermnesia.rules.skills.versions import Skill, SkillUse, failing_in_use

Row = dict[str, Any]

STAGE = "distill_skills"
PERSON = "person"
HELD = "held"
ROLL_BACK, WITHDRAW = "roll_back", "withdraw"
#: Decisions by which an experience is in a skill.
_USED = ("create", "modify", "covered", "delete")


@dataclass(frozen=True, slots=True)
class Learner:
    """Who learns: one user's agent, or the users that an operator declares to have one agent (`is_shared`).

    `owner` is the user, or the name of what is declared; `members` are the users whose sessions are read.
    """

    owner: str
    agent: str
    is_shared: bool = False
    members: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """What every id that belongs to it begins with."""
        return (self.owner, self.agent, "shared" if self.is_shared else "")

    def owns(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of skills, edits, sessions or experiences is its own."""
        return bool(row["agent"] == self.agent and row["is_shared"] == self.is_shared)


@dataclass(frozen=True)
class Learned:
    """What a learner's nights have left: versions in force and held, and experiences by what became of them.

    `failing` are skills whose newest version mostly failed in use, with the figures; `judged` are the outcomes of
    sessions, by id.
    """

    skills: Sequence[Skill] = ()
    held: Sequence[Skill] = ()
    used: Mapping[str, Experience] = field(default_factory=dict)
    deferred: Mapping[str, Experience] = field(default_factory=dict)
    failing: Mapping[str, str] = field(default_factory=dict)
    judged: Mapping[str, str] = field(default_factory=dict)
    n_nights: int = 0

    def without(self, session_ids: Collection[str]) -> Learned:
        """The same without the experiences of sessions that are read again, since they are longer now."""
        used, deferred = (
            {i: one for i, one in experiences.items() if one.session_id not in session_ids}
            for experiences in (self.used, self.deferred)
        )
        return replace(self, used=used, deferred=deferred)


def owners_of(user: str, one_agent: Mapping[str, Sequence[str]]) -> list[tuple[str, bool]]:
    """Whose skills a user may have: (owner, whether it is a shared agent)."""
    return [(need_user(user), False)] + [(name, True) for name, users in one_agent.items() if user in users]


class SkillTables:
    """Reads the tables of skills, one user's rows at a time."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._done: frozenset[str] | None = None

    def rows(self, table: str, user: str, **equals: str) -> list[Row]:
        """A user's committed rows."""
        bucket = bucket_of(need_user(user), self._lake.n_buckets)
        found = self._lake.read(table, buckets=[bucket], equals={"user_id": user, **equals})
        return self.committed(found.to_pylist())

    def committed(self, rows: Iterable[Row]) -> list[Row]:
        """Those of whole nights, and a person's."""
        return [row for row in rows if row.get("judge") == PERSON or row["shard_id"] in self.done]

    @property
    def done(self) -> frozenset[str]:
        """The shards of nights that are whole, as this object first saw them."""
        if self._done is None:
            commits = self._lake.read("commits", columns=["shard_id"], equals={"stage": STAGE})
            self._done = frozenset(commits["shard_id"].to_pylist())
        return self._done

    def owner_of(self, skill_id: str) -> tuple[str, Learner]:
        """The user or declared name that owns a skill, and its learner. Raises `LookupError`."""
        columns = ["user_id", "agent", "is_shared", "shard_id", "judge"]
        found = self.committed(self._lake.read("skills", columns=columns, equals={"skill_id": skill_id}).to_pylist())
        if not found:
            raise LookupError(f"no skill {skill_id} in this home: `skills list USER` names them")
        row = found[0]
        return row["user_id"], Learner(row["user_id"], row["agent"], row["is_shared"])

    def published(self, rows: Iterable[Row]) -> list[Skill]:
        """The versions among rows of `skills` that were published, in order."""
        versions = (skill_of(row) for row in rows if row["status"] != HELD)
        return sorted(versions, key=lambda skill: (skill.skill_id, skill.version))

    def uses(self, owner: str) -> list[SkillUse]:
        """What became of the tasks for which an owner's skills were had."""
        bucket = bucket_of(need_user(owner), self._lake.n_buckets)
        rows = self._lake.read("skill_uses", buckets=[bucket], equals={"user_id": owner}).to_pylist()
        return [SkillUse(r["skill_id"], r["version"], r["session"], r["outcome"] == "success") for r in rows]

    def learned(self, learner: Learner) -> Learned:
        """What a learner knows: its skills, and its experiences with what the decisions made of them."""
        rows = [row for row in self.rows("skills", learner.owner) if learner.owns(row)]
        edits = [row for row in self.rows("skill_edits", learner.owner) if learner.owns(row)]
        in_force = self.published(rows)
        used, deferred = _fates(edits, {(skill.skill_id, skill.version) for skill in in_force})
        experiences = self._experiences(learner)
        return Learned(
            skills=in_force,
            held=[skill_of(row) for row in rows if row["status"] == HELD],
            used={i: experiences[i] for i in sorted(used & experiences.keys())},
            deferred={i: experiences[i] for i in sorted(deferred & experiences.keys())},
            failing=failing_in_use(in_force, self.uses(learner.owner)),
            judged=self._judged(learner),
            n_nights=max((row["night"] or 0 for row in edits), default=0),
        )

    def _judged(self, learner: Learner) -> dict[str, str]:
        rows = [row for user in learner.members or (learner.owner,) for row in self.rows("sessions", user)]
        own = sorted((row for row in rows if learner.owns(row)), key=lambda row: row["night"])
        return {row["session_id"]: row["outcome"] for row in own}

    def _experiences(self, learner: Learner) -> dict[str, Experience]:
        """All of a learner's experiences by id; of a session that was read again, those of its last reading."""
        rows = [row for user in learner.members or (learner.owner,) for row in self.rows("experiences", user)]
        rows = sorted((row for row in rows if learner.owns(row)), key=lambda row: (row["night"], row["experience_id"]))
        last = {row["session_id"]: row["session_hash"] for row in rows}
        rows = [row for row in rows if last[row["session_id"]] == row["session_hash"]]
        return {row["experience_id"]: experience_of(row) for row in rows}


def _fates(edits: Iterable[Row], in_force: set[tuple[str, int]]) -> tuple[set[str], set[str]]:
    """Ids of experiences that are in skills now, and of those that wait.

    What made a version that was taken back is in no skill any more, and does not come again by itself.
    """
    of_version: dict[tuple[str, int], set[str]] = {}
    newest: dict[str, int] = {}
    fate: dict[str, str] = {}
    for edit in sorted(edits, key=lambda row: (row["decided_at"], row["edit_id"])):
        ids, skill_id = edit["experience_ids"], edit["skill_id"]
        fate.update(dict.fromkeys(ids, edit["decision"]))
        if skill_id is None or (skill_id, edit["to_version"]) not in in_force:
            continue
        before = of_version.get((skill_id, edit["from_version"]), set())
        of_version.setdefault((skill_id, edit["to_version"]), set()).update(before, ids)
        newest[skill_id] = max(newest.get(skill_id, 0), edit["to_version"])
    used = {i for skill_id, version in newest.items() for i in of_version[skill_id, version] if fate[i] in _USED}
    return used, {i for i, decision in fate.items() if decision == "defer"}
