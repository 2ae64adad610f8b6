"""distill_skills: by night, task sessions become outcomes, experiences and versions of skills (DESIGN 6).

A shard is one learner: a user's agent, or the users that an operator declares to have one. It starts with five
sessions that were not read yet. What it counts are experiences, new ones and those that waited: each is in one
decision. A new version is published only if it passes `rules/skills/verifying.py`, else it is kept as held.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hypermnesia.contracts.tables import EXPERIENCES, REJECTS, SESSIONS, SKILL_EDITS, SKILLS
from hypermnesia.ports import Lake, Part, Shard
from hypermnesia.rules.identity import Identity, bucket_of, need_user
from hypermnesia.rules.skills.distilling import Distilled
from hypermnesia.rules.skills.proposals import Refusal
from hypermnesia.rules.skills.rows import edit_row, experience_row, hashes_of, session_row, skill_row
from hypermnesia.rules.skills.sessions import TaskSession
from hypermnesia.rules.skills.verifying import Night, Published, verify
from hypermnesia.rules.skills.versions import RULES_VERSION
from hypermnesia.skill_view import STAGE, Learned, Learner, SkillTables
from hypermnesia.stages.propose_skills import OpenNight, SkillModel, StoredSkillAnswers
from hypermnesia.stages.rejects import refused_item, reject_row
from hypermnesia.stages.task_sessions import SessionFinder, owner_users
from hypermnesia.stages.toy_world import World, check_world

LEAST_SESSIONS = 5
MOST_SESSIONS = 2_000

Row = dict[str, Any]


@dataclass(frozen=True)
class _Pending:
    """A learner with sessions that were not read, the oldest first, those that were, and how many wait for later."""

    learner: Learner
    sessions: Sequence[TaskSession]
    earlier: Sequence[TaskSession]
    n_left: int

    def without_sessions(self) -> _Pending:
        """The same, with new sessions waiting too."""
        return replace(self, sessions=[], n_left=self.n_left + len(self.sessions))


class DistillSkills:
    """The distill_skills stage: one night. `measure_world` runs the toy world under these rules.

    With a `model` its stored answers are read (propose_skills asks), and what the logs bear out of them is taken.
    """

    name = STAGE
    tables = ("sessions", "experiences", "skill_edits", "skills")
    counted_table = None

    def __init__(
        self,
        lake: Lake,
        identity: Identity,
        measure_world: Callable[[], World],
        *,
        one_agent: Mapping[str, Sequence[str]] | None = None,
        least_sessions: int = LEAST_SESSIONS,
        most_sessions: int = MOST_SESSIONS,
        model: SkillModel | None = None,
    ) -> None:
        self.version = f"{RULES_VERSION}/{model.version}" if model else RULES_VERSION
        self._answers = StoredSkillAnswers(lake, identity, model) if model else None
        self._lake = lake
        self._identity = identity
        self._measure_world = measure_world
        self._finder = SessionFinder(lake, identity, one_agent or {})
        self._least = least_sessions
        self._most = most_sessions

    def plan(self) -> Iterator[Shard]:
        """A shard for each learner with enough sessions that were not read. What was read makes no shard again."""
        world: dict[str, str] | None = None
        for shard in self.plan_nights():
            if world is None:
                worse, measures = check_world(self._lake, self.name, RULES_VERSION, self._measure_world)
                world = {"worse": worse, "measures": json.dumps(measures, sort_keys=True)}
            shard_id = self._identity.make("shard", shard.id, world["worse"]) if world["worse"] else shard.id
            yield replace(shard, id=shard_id, details={**shard.details, **world})
            world = {"worse": world["worse"], "measures": "{}"}  # they are kept once

    def plan_nights(self) -> Iterator[Shard]:
        """The learners whose night begins, by what they would read. Raises `VersionDriftError`."""
        tables = SkillTables(self._lake)
        for pending in self._pending(tables):
            learner = pending.learner
            details = {"agent": learner.agent, "is_shared": "1" if learner.is_shared else ""}
            details |= {"members": json.dumps(learner.members), "reads": "1" if pending.sessions else ""}
            known = tables.learned(learner)
            content = [self._finder.content_hash(s) for s in pending.sessions] + sorted(known.failing)
            content += [f"{s.skill_id} {s.version}" for s in (*known.skills, *known.held)] + sorted(known.used)
            content += [str(self._answers.count(learner))] if self._answers else []
            shard_id = self._identity.make("shard", self.name, self.version, *learner.key, *content)
            yield Shard(self.name, shard_id, None, (learner.owner,), details)

    def open_night(self, shard: Shard) -> OpenNight:
        """All that the night of a shard reads."""
        return self._opened(shard)[-1]

    def run(self, shard: Shard) -> Iterator[Part]:
        """Counts experiences: merged are covered by a skill, deferred wait for more; reasons are the decisions."""
        pending, known, opened = self._opened(shard)
        night = opened.night if self._answers is None else self._answers.consulted(opened)
        distilled, curation = night.learn(night.sessions)
        published = verify(night, distilled, curation, shard.details["worse"])
        part = self._count(known, distilled, published)
        refusals = (*distilled.refusals, *curation.refusals)
        n_waiting = pending.n_left + len(pending.sessions) - len(night.sessions)
        part.measures |= {"sessions": len(night.sessions), "sessions_left": n_waiting}
        part.measures |= Counter(f"sessions.{outcome.verdict}" for outcome in distilled.outcomes.values())
        part.measures |= Counter(f"versions.{status}" for _, status, *_ in published.versions)
        part.measures |= Counter(f"refused.{refusal.reason}" for refusal in refusals)
        if n_proposed := distilled.n_proposed + curation.n_proposed:
            part.measures |= {"proposed.all": n_proposed, "proposed.kept": n_proposed - len(refusals)}
        part.measures |= json.loads(shard.details["measures"])
        part.tables = self._tables(shard, opened, night, distilled, published, known.n_nights + 1)
        part.tables["rejects"] = REJECTS.table(self._refused(shard, opened, refusals))
        yield part

    def _opened(self, shard: Shard) -> tuple[_Pending, Learned, OpenNight]:
        details = shard.details
        members = tuple(json.loads(details["members"]))
        learner = Learner(shard.items[0], details["agent"], bool(details["is_shared"]), members)
        tables = SkillTables(self._lake)
        pending = self._open(tables, learner, self._finder.of(learner))
        if not details["reads"]:
            pending = pending.without_sessions()
        known = tables.learned(learner).without({session.session_id for session in pending.sessions})
        night = Night(
            pending.sessions,
            pending.earlier,
            known.skills,
            known.held,
            known.used,
            known.deferred,
            partial(_make, self._identity, learner),
            "/".join(learner.key),
            failing=known.failing,
            judged=known.judged,
        )
        users = owner_users(pending.sessions, learner, self._finder)
        contents = {s.session_id: self._finder.content_hash(s) for s in pending.sessions}
        return pending, known, OpenNight(learner, night, users, contents)

    def _refused(self, shard: Shard, opened: OpenNight, refusals: Sequence[Refusal]) -> Iterator[Row]:
        """A reject for each thing that a model proposed and that the logs do not bear out."""
        for place, refusal in enumerate(refusals):
            user = opened.user_of(refusal.subject_id)
            yield reject_row(
                self._identity,
                stage=self.name,
                reason=refusal.reason,
                remedy="nothing of it is in a skill; the answer is kept in `answers`",
                shard_id=shard.id,
                user_id=user,
                bucket=bucket_of(user, self._lake.n_buckets),
                subject_id=refusal.subject_id,
                detail=refusal.detail,
                occurrence=f"{self.version} {shard.id} {place}",
            )

    def refuse(self, shard: Shard, item: str, reason: str, detail: str) -> Part:
        """A learner whose sessions could not be read: the next night tries again."""
        bucket = bucket_of(item, self._lake.n_buckets)
        remedy = "the next `nightly` tries again; until then its skills stay as they are"
        return refused_item(self._identity, shard, item, reason, detail, user_id=item, remedy=remedy, bucket=bucket)

    def waiting(self, user: str) -> Iterator[tuple[Learner, int]]:
        """The learners that read a user's sessions, and how many of them were not read yet."""
        tables = SkillTables(self._lake)
        for learner, sessions in self._finder.learners_of(need_user(user)):
            opened = self._open(tables, learner, sessions)
            yield learner, len(opened.sessions) + opened.n_left

    def _pending(self, tables: SkillTables) -> Iterator[_Pending]:
        failures = self._lake.read("skill_uses", columns=["user_id"], equals={"outcome": "failure"})
        owners = set(failures["user_id"].to_pylist())
        for learner, sessions in self._finder.learners():
            if len(sessions) < self._least and learner.owner not in owners:
                continue
            opened = self._open(tables, learner, sessions)
            if len(opened.sessions) + opened.n_left >= self._least:
                yield opened
            elif learner.owner in owners and tables.learned(learner).failing:  # what failed ends, whoever waits
                yield opened.without_sessions()

    def _open(self, tables: SkillTables, learner: Learner, sessions: Sequence[TaskSession]) -> _Pending:
        read = {
            (row["session_id"], row["content_hash"])
            for user in learner.members
            for row in tables.rows("sessions", user)
            if learner.owns(row)
        }
        ordered = sorted(sessions, key=lambda s: (s.at, s.session_id))
        is_read = [(s.session_id, self._finder.content_hash(s)) in read for s in ordered]
        new = [s for s, known in zip(ordered, is_read, strict=True) if not known]
        earlier = [s for s, known in zip(ordered, is_read, strict=True) if known]
        return _Pending(learner, new[: self._most], earlier, len(new) - len(new[: self._most]))

    def _count(self, known: Learned, distilled: Distilled, published: Published) -> Part:
        """The sum over decisions; `run` and commit fail where it does not add up."""
        names = {one.experience_id for one in distilled.experiences} | set(known.deferred)
        part = Part(tables={}, n_in=len(names))
        reasons: Counter[str] = Counter()
        for edit in published.edits:
            n = len(edit.experience_ids)
            if edit.decision == "defer":
                part.n_deferred += n
            elif edit.decision == "covered":
                part.n_merged += n
            else:
                part.n_out += n
            is_left = edit.decision in ("defer", "not_worth")
            reasons[f"{edit.decision}.{_short(edit.reason)}" if is_left else edit.decision] += n
        part.reasons = {reason: n for reason, n in reasons.items() if n}
        return part

    def _tables(
        self,
        shard: Shard,
        opened: OpenNight,
        night: Night,
        distilled: Distilled,
        published: Published,
        number: int,
    ) -> dict[str, Any]:
        learner, version = opened.learner, {"distiller_version": self.version, "shard_id": shard.id}
        whose = {"agent": learner.agent, "is_shared": learner.is_shared}
        contents = opened.contents
        hashes = hashes_of([*night.earlier, *night.sessions])
        owner = self._owner(learner.owner)
        sessions = [
            self._owner(opened.users[s.session_id])
            | session_row(
                s, contents[s.session_id], distilled.abstractions[s.session_id], distilled.outcomes[s.session_id]
            )
            for s in night.sessions
        ]
        experiences = [
            self._owner(opened.users[one.session_id]) | experience_row(one, contents[one.session_id], hashes)
            for one in distilled.experiences
        ]
        edits = [owner | edit_row(edit, published.verdicts, hashes) for edit in published.edits]
        skills = [
            owner | skill_row(skill, hashes) | {"status": status, "reason": reason, "checked": checked}
            for skill, status, reason, checked in published.versions
        ]
        judged = whose | version | {"judge": "model" if self._answers else "rules"}
        numbered = {"night": number}
        return {
            "sessions": SESSIONS.table(row | whose | version | numbered for row in sessions),
            "experiences": EXPERIENCES.table(row | whose | version | numbered for row in experiences),
            "skill_edits": SKILL_EDITS.table(row | judged | numbered for row in edits),
            "skills": SKILLS.table(row | judged for row in skills),
        }

    def _owner(self, user: str) -> Row:
        return {"user_id": user, "bucket": bucket_of(user, self._lake.n_buckets)}


def _make(identity: Identity, learner: Learner, kind: str, *parts: str) -> str:
    """Ids of a learner: what its sessions do not name already is named by its owner, so that none crosses users."""
    owned = learner.key if kind in ("skill", "edit", "task") else ()
    return identity.make(kind, *owned, *parts)


def _short(reason: str) -> str:
    """The kind of a reason, without its figures."""
    return reason.split(":")[0].replace(" ", "_")
