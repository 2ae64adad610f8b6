"""Drafts: each skill as all evidence has it now, before it is compared with the version that there is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hypermnesia.rules.skills.abstraction import Pattern, covers, skeleton_of
from hypermnesia.rules.skills.cautions import avoidances_of, reactions_of
from hypermnesia.rules.skills.evidence import Evidence, gather_evidence
from hypermnesia.rules.skills.experiences import Experience
from hypermnesia.rules.skills.features import checks_of
from hypermnesia.rules.skills.grouping import Group, group_traces
from hypermnesia.rules.skills.procedures import build_procedure, says_something, trace_of
from hypermnesia.rules.skills.proposals import Refusal
from hypermnesia.rules.skills.remedies import Tally, find_dead
from hypermnesia.rules.skills.sessions import Make
from hypermnesia.rules.skills.versions import Avoidance, Citation, Decision, Reaction, Skill, SkillStep

_LEAST_TASKS = 2
_LEAST_STEPS = 2


@dataclass(frozen=True)
class OpenGroup:
    """A kind of task with its successes, and the skill that it continues."""

    group: Group
    old: Skill | None

    @property
    def is_withdrawn(self) -> bool:
        """Whether a person took its skill back: then it is no skill any more."""
        return self.old is not None and self.old.status == "withdrawn"

    @property
    def is_ripe(self) -> bool:
        """Whether enough different tasks show it."""
        return not self.is_withdrawn and self.group.n_tasks >= _LEAST_TASKS

    @property
    def avoided(self) -> set[Pattern]:
        """What its skill says to avoid."""
        return {one.pattern for one in self.old.avoid} if self.old else set()


@dataclass(frozen=True)
class Lines:
    """What a curator makes of a kind of task: the lines of its skill; or that the skill says it already
    (`is_covered`), or the decision and reason for which there is to be none (`declined`).

    `refusals` are what was proposed (`n_proposed` lines) and is not borne out.
    """

    steps: Sequence[SkillStep] = ()
    reactions: tuple[Reaction, ...] = ()
    avoid: tuple[Avoidance, ...] = ()
    is_covered: bool = False
    declined: tuple[Decision, str] | None = None
    refusals: Sequence[Refusal] = ()
    n_proposed: int = 0


#: Says what becomes of one kind of task.
Curator = Callable[[OpenGroup, Evidence], Lines]


@dataclass
class Drafted:
    """Drafts of skills, and why other experiences are in none.

    `declined`: templates of which a curator made no skill. `covered`: skills that say their experiences already.
    `dead`: retired skills and the experiences that show why, `reasons` in a word. `short`: templates whose
    successes share too few steps; `templates`: those that skills have; `withdrawn`: whose skill a person took
    back. `worked`: patterns that worked in some success. `n_failing`: in how many sessions a pattern failed.
    """

    skills: list[Skill] = field(default_factory=list)
    dead: dict[str, list[str]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)
    templates: set[str] = field(default_factory=set)
    withdrawn: set[str] = field(default_factory=set)
    worked: set[Pattern] = field(default_factory=set)
    n_failing: dict[Pattern, int] = field(default_factory=dict)
    declined: dict[str, tuple[Decision, str]] = field(default_factory=dict)
    covered: dict[str, list[str]] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    n_proposed: int = 0


def draft_skills(
    pending: Collection[Experience],
    past: Collection[Experience],
    current: Sequence[Skill],
    tallies: Mapping[Pattern, Tally],
    make: Make,
    agent: str,
    curator: Curator,
    failing: Mapping[str, str],
    judged: Mapping[str, str],
) -> Drafted:
    """The skills that all experiences together support, under the ids of those that there are.

    `failing` skills failed in use, with the figures: what does not become another by this evidence is deleted.
    `judged` are the outcomes of all sessions that were read.
    """
    evidence = gather_evidence(pending, past, current, tallies, judged)
    opened = open_groups(evidence, current)
    drafted = Drafted(n_failing=evidence.n_failing)
    drafted.worked.update(pattern for one in evidence.by_kind["repeat"] for pattern in one.patterns)
    drafted.withdrawn.update(template for one in opened if one.is_withdrawn for template in one.group.templates)
    for one in opened:
        if not one.is_ripe:
            continue
        group = one.group
        lines = curator(one, evidence)
        drafted.refusals += lines.refusals
        drafted.n_proposed += lines.n_proposed
        if lines.declined is not None:
            drafted.declined.update(dict.fromkeys(group.templates, lines.declined))
        elif lines.is_covered and one.old is not None:
            drafted.covered[one.old.skill_id] = [experience.experience_id for experience, _ in group.traces]
            drafted.templates.update(one.old.triggers)
        elif len(lines.steps) < _LEAST_STEPS or not any(says_something(step.pattern) for step in lines.steps):
            drafted.short.update(group.templates)
        else:
            elsewhere = {template for other in opened if other is not one for template in other.group.templates}
            _place(_draft(one, lines, evidence, make, agent, elsewhere), one.old, evidence, drafted)
    taken = {one.old.skill_id for one in opened if one.old is not None}
    for skill in current:
        if skill.status == "active" and skill.skill_id not in taken and _is_absorbed(skill, drafted.skills):
            drafted.dead[skill.skill_id] = []
            drafted.reasons[skill.skill_id] = "same_as_another"
        elif skill.status == "active" and skill.skill_id in failing:
            _end_failing(skill, failing[skill.skill_id], drafted)
    return drafted


def _end_failing(skill: Skill, figures: str, drafted: Drafted) -> None:
    draft = next((one for one in drafted.skills if one.skill_id == skill.skill_id), None)
    if draft is not None and draft.content != skill.content:
        return
    if draft is not None:
        drafted.skills.remove(draft)
    drafted.dead[skill.skill_id] = [*(draft.experience_ids if draft else ()), *drafted.covered.pop(skill.skill_id, ())]
    drafted.reasons[skill.skill_id] = f"failed_in_use: {figures}"


def open_groups(evidence: Evidence, current: Sequence[Skill]) -> list[OpenGroup]:
    """Kinds of task, each with the skill that it continues."""
    words = evidence.todays_words
    traces = (trace_of(one, words, evidence.varying) for one in evidence.by_kind["repeat"])
    opened: list[OpenGroup] = []
    taken: set[str] = set()
    for group in group_traces(traces):
        old = _home(group, current, taken)
        if old is not None:
            taken.add(old.skill_id)
            if old.status == "retired":  # what it was is dead: it comes back by new successes alone
                group = _without(group, evidence.accepted)
        opened.append(OpenGroup(group, old))
    return opened


def rules_curator(opened: OpenGroup, evidence: Evidence) -> Lines:
    """What successes have in common, wherever a word says so, and what failed."""
    steps = with_remedy_citations(build_procedure(opened.group.traces), evidence)
    avoid = avoidances_of(opened.group.templates, steps, evidence, opened.avoided)
    return Lines(steps, reactions_of(steps, evidence), avoid)


def _place(draft: Skill, old: Skill | None, evidence: Evidence, drafted: Drafted) -> None:
    """A draft among the skills; one with a step that is dead and has no remedy retires the skill that there is."""
    always = [step.pattern for step in draft.steps if step.condition is None]
    gone = sorted(find_dead(always, evidence.tallies))
    if not gone:
        drafted.skills.append(draft)
        drafted.templates.update(draft.triggers)
    elif old is not None and old.status == "active":
        drafted.dead[old.skill_id] = _ids_of_dead(gone, evidence, draft)
        drafted.reasons[old.skill_id] = "dead_step: " + " ".join(gone[0])


def _without(group: Group, accepted: Collection[str]) -> Group:
    traces = [trace for trace in group.traces if trace[0].experience_id not in accepted]
    return Group(group.acts, sorted({experience.found.template for experience, _ in traces}), traces)


def _home(group: Group, current: Sequence[Skill], taken: set[str]) -> Skill | None:
    """The skill that a group continues: the one with most triggers in common."""
    free = [skill for skill in current if skill.skill_id not in taken]
    shared = [(len(set(skill.triggers) & set(group.templates)), skill.skill_id, skill) for skill in free]
    best = max(shared, key=lambda one: one[:2], default=None)
    return best[2] if best and best[0] else None


def _draft(opened: OpenGroup, lines: Lines, evidence: Evidence, make: Make, agent: str, elsewhere: set[str]) -> Skill:
    group, old, steps = opened.group, opened.old, lines.steps
    kept = set(old.triggers if old and old.status == "active" else ()) - elsewhere
    triggers = tuple(sorted(kept.union(group.templates)))
    checks = checks_of(triggers, evidence.by_kind["feature"], evidence.judged)
    remedied = {skeleton_of(step.pattern) for step in steps}
    cited = [
        *(experience.experience_id for experience, _ in group.traces),
        *(i for reaction in lines.reactions for i in reaction.step.experience_ids),
        *(i for avoidance in lines.avoid for i in avoidance.experience_ids),
        *(i for check in checks for i in check.experience_ids),
        *(i for remedy, ids in evidence.remedies.values() if remedy.alive in remedied for i in ids),
    ]
    core = tuple(step.pattern for step in steps if step.condition is None)
    return Skill(
        skill_id=old.skill_id if old else make("skill", agent, *(" ".join(pattern) for pattern in core)),
        version=old.version + 1 if old else 1,
        name=max(group.templates, key=lambda template: (-len(template), template)),
        triggers=triggers,
        steps=tuple(steps),
        reactions=lines.reactions,
        avoid=lines.avoid,
        signature=evidence.signature,
        n_tasks=group.n_tasks,
        n_successes=len({experience.session_id for experience, _ in group.traces}),
        experience_ids=tuple(sorted(set(cited))),
        previous=old.version if old else None,
        checks=checks,
    )


def with_remedy_citations(steps: Sequence[SkillStep], evidence: Evidence) -> list[SkillStep]:
    """Steps in the words of a remedy, whose own sessions had the dead ones, cite the remedy."""
    by_id = evidence.by_id
    cited = []
    for step in steps:
        skeleton = skeleton_of(step.pattern)
        shown = next((ids for remedy, ids in evidence.remedies.values() if remedy.alive == skeleton), ())
        source = by_id[step.citation.experience_id]
        is_own = any(s.action == step.citation.action and skeleton_of(s.pattern) == skeleton for s in source.steps)
        if shown and not is_own:
            remedy = min((by_id[i] for i in shown), key=lambda one: (_distance(one, step), one.experience_id))
            citation = Citation(remedy.experience_id, remedy.session_id, remedy.steps[1].action)
            step = replace(step, citation=citation, experience_ids=shown)
        cited.append(step)
    return cited


def _distance(remedy: Experience, step: SkillStep) -> int:
    """How many words of a remedy's step are others than the skill's."""
    return sum(one != other for one, other in zip(remedy.steps[1].pattern, step.pattern, strict=True))


def _ids_of_dead(gone: Sequence[Pattern], evidence: Evidence, draft: Skill) -> list[str]:
    """The experiences that a deletion is for: the failures of the dead step, and the skill's own."""
    failures = [o.experience_id for o in evidence.by_kind["avoid"] if any(covers(g, o.patterns[0]) for g in gone)]
    return sorted({*failures, *draft.experience_ids})


def _is_absorbed(skill: Skill, drafts: Iterable[Skill]) -> bool:
    """Whether another skill has all the triggers of one by now."""
    return any(set(skill.triggers) <= set(draft.triggers) for draft in drafts)
