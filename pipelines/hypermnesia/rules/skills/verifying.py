"""What a night's new versions must pass before they are published: their citations, and the held-out sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hypermnesia.rules.identity import hash_number
from hypermnesia.rules.skills.abstraction import (
    Abstraction,
    Pattern,
    abstract,
    deeds_of,
    name_things,
    read_lexicon,
)
from hypermnesia.rules.skills.citations import check_citation
from hypermnesia.rules.skills.curation import Curation, curate
from hypermnesia.rules.skills.distilling import Distilled, distill
from hypermnesia.rules.skills.drafts import rules_curator
from hypermnesia.rules.skills.experiences import Experience
from hypermnesia.rules.skills.proposals import SessionAnswers
from hypermnesia.rules.skills.proposed_edits import GroupAnswers, model_curator
from hypermnesia.rules.skills.publishing import Told, said_of, tell, worse_templates
from hypermnesia.rules.skills.remedies import Tally
from hypermnesia.rules.skills.rows import Verdicts, verdict_of
from hypermnesia.rules.skills.sessions import Make, TaskSession
from hypermnesia.rules.skills.versions import Edit, Skill, newest, varying_places

#: Sessions are held out in so many parts, each told by what the others teach.
FOLDS = 2

ABSORBED = "same_as_another"


@dataclass(frozen=True)
class Said:
    """What a model said of a night's sessions, and of its kinds of task."""

    sessions: SessionAnswers
    groups: GroupAnswers


@dataclass(frozen=True)
class Night:
    """All that a night reads: new sessions, earlier ones, and what is known already.

    `failing` are skills that failed in use, with the figures, `judged` the outcomes of earlier sessions; `said` is what
    a model says of the night, None where rules read.
    """

    sessions: Sequence[TaskSession]
    earlier: Sequence[TaskSession]
    skills: Sequence[Skill]
    held: Sequence[Skill]
    used: Mapping[str, Experience]
    deferred: Mapping[str, Experience]
    make: Make
    agent: str
    failing: Mapping[str, str] = field(default_factory=dict)
    judged: Mapping[str, str] = field(default_factory=dict)
    said: Said | None = None

    def distil(
        self, sessions: Sequence[TaskSession]
    ) -> tuple[Distilled, list[Experience], list[Experience], Mapping[Pattern, Tally]]:
        """What some of the new sessions show, and then: pending experiences, those in skills, and the tallies."""
        names = {session.session_id for session in sessions}
        others = [*self.earlier, *(s for s in self.sessions if s.session_id not in names)]
        varying = varying_places(newest(self.skills))
        answers = self.said.sessions if self.said else None
        distilled = distill(sessions, self.make, earlier=others, varying=varying, answers=answers)
        pending = {**self.deferred, **{one.experience_id: one for one in distilled.experiences}}
        past = [one for i, one in self.used.items() if i not in pending]
        return distilled, list(pending.values()), past, distilled.tallies

    def learn(self, sessions: Sequence[TaskSession]) -> tuple[Distilled, Curation]:
        """What some of the new sessions teach together with what is known."""
        distilled, pending, past, tallies = self.distil(sessions)
        curator = model_curator(self.said.groups) if self.said else rules_curator
        outcomes = {name: outcome.verdict for name, outcome in distilled.outcomes.items()}
        learned = (self.make, self.agent, curator, self.failing, {**self.judged, **outcomes})
        return distilled, curate(pending, past, self.skills, tallies, *learned)


@dataclass(frozen=True)
class Published:
    """A night's versions with their status and what was found of them, and the decisions as they stand then."""

    versions: tuple[tuple[Skill, str, str, str], ...]  # version, status, reason, what the replay says
    edits: tuple[Edit, ...]
    verdicts: Verdicts = field(default_factory=dict)


def verify(night: Night, distilled: Distilled, curation: Curation, world: str = "") -> Published:
    """Publishes the new versions that pass; the others are held, and their new experiences wait.

    `world` says why nothing new may be published at all (the toy world got worse), or "". A version that only ends
    a skill is always published: no skill is better than a wrong one.
    """
    verdicts = _verdicts(night, distilled, curation)
    before, after = _replay(night, distilled, curation)
    versions: list[tuple[Skill, str, str, str]] = []
    edits = {(edit.skill_id, edit.to_version): edit for edit in curation.edits if _makes_version(edit)}
    changed: dict[str, Edit | None] = {}
    for skill in sorted(curation.skills, key=lambda one: (one.status != "active", one.skill_id)):
        edit = edits[skill.skill_id, skill.version]
        is_new = skill.status == "active"
        reason = _reason(skill, edit, before, after, verdicts, world) if is_new else ""
        if not is_new and edit.reason == ABSORBED and any(status == "held" for _, status, *_ in versions):
            changed[edit.edit_id] = None  # the skill that takes its place is not there yet
            continue
        held = (one for one in night.held if one.skill_id == skill.skill_id)
        same = next((one for one in held if one.content == skill.content), None)
        if reason and same is not None:
            changed[edit.edit_id] = replace(edit, decision="defer", reason=reason, to_version=same.version)
            continue
        numbered = replace(skill, version=_next_version(skill, night))
        versions.append((numbered, "held" if reason else skill.status, reason, said_of(before, after, skill.triggers)))
        changed[edit.edit_id] = (
            replace(edit, to_version=numbered.version)
            if not reason
            else replace(edit, decision="defer", reason=reason, to_version=numbered.version)
        )
    kept = (changed.get(edit.edit_id, edit) for edit in curation.edits)
    return Published(tuple(versions), tuple(edit for edit in kept if edit is not None), verdicts)


def _makes_version(edit: Edit) -> bool:
    return edit.decision in ("create", "modify", "delete")


def _next_version(skill: Skill, night: Night) -> int:
    """A version that was held has had its number."""
    known = [one.version for one in (*night.skills, *night.held) if one.skill_id == skill.skill_id]
    return max([skill.version, *(number + 1 for number in known)])


def _reason(
    skill: Skill,
    edit: Edit,
    before: Mapping[str, Told],
    after: Mapping[str, Told],
    verdicts: Verdicts,
    world: str,
) -> str:
    """Why a version is not published, or ""."""
    bad = [f"{c.part} {c.n}: {v}" for c in edit.changes if (v := verdict_of(verdicts, edit, c) or "ok") != "ok"]
    if bad:
        return f"citation refused: {'; '.join(bad)}"
    if worse := worse_templates(before, after, skill.triggers):
        return f"held-out sessions are told worse: {'; '.join(worse)}"
    return f"the toy world got worse: {world}" if world else ""


def _verdicts(night: Night, distilled: Distilled, curation: Curation) -> Verdicts:
    """Of each new step and reaction, whether its citation bears it out."""
    experiences = {**night.used, **night.deferred, **{one.experience_id: one for one in distilled.experiences}}
    steps = [
        (skill, part, step)
        for skill in curation.skills
        if skill.status == "active"
        for part, of_part in (("step", skill.steps), ("whenever", tuple(r.step for r in skill.reactions)))
        for step in of_part
    ]
    sessions = {session.session_id: session for session in (*night.earlier, *night.sessions)}
    abstractions = dict(distilled.abstractions)
    cited = {step.citation.session_id for *_, step in steps} - set(abstractions)
    abstractions |= _abstractions_of([sessions[i] for i in sorted(cited & set(sessions))], experiences, night)
    known = (experiences, sessions, abstractions)
    return {
        (skill.skill_id, part, step.text): check_citation(skill, step, step.citation, *known)
        for skill, part, step in steps
    }


def _abstractions_of(
    cited: Sequence[TaskSession], experiences: Mapping[str, Experience], night: Night
) -> Mapping[str, Abstraction]:
    """The slots of earlier sessions that steps cite, with the things that their experience has."""
    if not cited:
        return {}
    lexicon = read_lexicon([*night.earlier, *night.sessions], varying_places(newest(night.skills)))
    kept = {one.session_id: one for one in experiences.values() if one.kind == "repeat"}
    found = {}
    for session in cited:
        actions = {step.action for step in kept[session.session_id].steps} if session.session_id in kept else set()
        deeds = [deed for deed in deeds_of(session) if session.steps[deed.index].action in actions]
        found[session.session_id] = name_things(abstract(session, lexicon), deeds)
    return found


def _replay(night: Night, distilled: Distilled, curation: Curation) -> tuple[dict[str, Told], dict[str, Told]]:
    """Each new session told by the skills that there were, and by what the night would have learned without it."""
    before: dict[str, Told] = {}
    after: dict[str, Told] = {}
    if not any(skill.status == "active" for skill in curation.skills):
        return before, after
    current = newest(night.skills)
    for fold in range(FOLDS):
        held_out = [s for s in night.sessions if hash_number(s.session_id) % FOLDS == fold]
        others = [s for s in night.sessions if hash_number(s.session_id) % FOLDS != fold]
        if not held_out or not others:
            continue
        _, learned = night.learn(others)
        new = newest([*night.skills, *learned.skills])
        # A template that the others are too few to teach says nothing of what it becomes.
        known = {trigger for skill in new if skill.status == "active" for trigger in skill.triggers}
        told = [tell(skills, held_out, distilled.outcomes, distilled.abstractions) for skills in (current, new)]
        for total, of_fold in zip((before, after), told, strict=True):
            for template in known & set(of_fold):
                total[template] = total.get(template, Told()) + of_fold[template]
    return before, after
