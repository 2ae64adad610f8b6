"""Drafts: each skill as all evidence has it now, before it is compared with the version that there is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hypermnesia.rules.skills.abstraction import Pattern, arguments_of, skeleton_of
from hypermnesia.rules.skills.experiences import CitedStep, Experience
from hypermnesia.rules.skills.grouping import Group, group_traces
from hypermnesia.rules.skills.procedures import build_procedure, in_todays_words, trace_of
from hypermnesia.rules.skills.remedies import (
    FAILING,
    LEAST_SESSIONS,
    Remedy,
    Tally,
    find_dead,
    find_remedies,
)
from hypermnesia.rules.skills.sessions import Make
from hypermnesia.rules.skills.versions import Avoidance, Citation, Reaction, Skill, SkillStep, varying_places

_LEAST_TASKS = 2
_LEAST_STEPS = 2
_MOST_AVOIDED = 8


@dataclass(frozen=True)
class Drafted:
    """Drafts of skills, and why other experiences are in none.

    `dead`: retired skills and the experiences that show why, `reasons` in a word. `short`: templates whose
    successes share too few steps, `templates`: that skills have; `withdrawn`: whose skill a person took back. `worked`: patterns that worked in
    some success. `n_failing`: in how many sessions a pattern failed.
    """

    skills: list[Skill] = field(default_factory=list)
    dead: dict[str, list[str]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)
    templates: set[str] = field(default_factory=set)
    withdrawn: set[str] = field(default_factory=set)
    worked: set[Pattern] = field(default_factory=set)
    n_failing: dict[Pattern, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Evidence:
    """All experiences by kind, and what they say together."""

    by_kind: Mapping[str, Sequence[Experience]]
    remedies: Mapping[Pattern, tuple[Remedy, tuple[str, ...]]]
    tallies: Mapping[Pattern, Tally]
    signature: tuple[Pattern, ...]


def draft_skills(
    pending: Collection[Experience],
    past: Collection[Experience],
    current: Sequence[Skill],
    tallies: Mapping[Pattern, Tally],
    make: Make,
    agent: str,
) -> Drafted:
    """The skills that all experiences together support, under the ids of those that there are."""
    known = _known(past, current)
    accepted = {one.experience_id for one in past}
    evidence = _gather([*pending, *past], accepted, current, tallies, known)
    varying = frozenset(_varying(evidence.by_kind["repeat"], varying_places(current)))
    rules = {dead: remedy for dead, (remedy, _) in evidence.remedies.items()}
    groups = group_traces(trace_of(one, rules, varying) for one in evidence.by_kind["repeat"])
    dead = find_dead(tallies, known) - set(rules)
    drafted = Drafted()
    drafted.worked.update(p for one in evidence.by_kind["repeat"] for p in one.patterns)
    drafted.n_failing.update(_n_failing(evidence.by_kind["avoid"]))
    taken: set[str] = set()
    for group in groups:
        steps = _with_remedy_citations(build_procedure(group.traces), evidence)
        if group.n_tasks < _LEAST_TASKS:
            continue
        if len(steps) < _LEAST_STEPS:
            drafted.short.update(group.templates)
            continue
        old = _home(group, current, taken)
        if old is not None and not _may_change(old, group, accepted):
            taken.add(old.skill_id)
            if old.status == "withdrawn":
                drafted.withdrawn.update(group.templates)
            continue
        elsewhere = {template for other in groups if other is not group for template in other.templates}
        draft = _draft(group, steps, evidence, old, make, agent, elsewhere)
        taken.add(draft.skill_id)
        gone = sorted({skeleton_of(step.pattern) for step in steps} & dead)
        if gone:
            if old is not None and old.status == "active":
                drafted.dead[old.skill_id] = _ids_of_dead(gone, evidence, draft)
                drafted.reasons[old.skill_id] = "dead_step: " + " ".join(gone[0])
            continue
        drafted.skills.append(draft)
        drafted.templates.update(draft.triggers)
    for skill in current:
        if skill.status == "active" and skill.skill_id not in taken and _is_absorbed(skill, drafted.skills):
            drafted.dead[skill.skill_id] = []
            drafted.reasons[skill.skill_id] = "same_as_another"
    return drafted


def _known(past: Iterable[Experience], current: Iterable[Skill]) -> frozenset[Pattern]:
    """The kinds of action in skills and in the successes that they were made of."""
    steps = [step.pattern for skill in current for step in skill.steps]
    return frozenset(map(skeleton_of, [*steps, *(p for one in past if one.kind == "repeat" for p in one.patterns)]))


def _gather(
    experiences: Iterable[Experience],
    accepted: Collection[str],
    current: Iterable[Skill],
    tallies: Mapping[Pattern, Tally],
    known: frozenset[Pattern],
) -> _Evidence:
    unique = {one.experience_id: one for one in experiences}
    by_kind: dict[str, list[Experience]] = defaultdict(list)
    for name in sorted(unique):
        by_kind[unique[name].kind].append(unique[name])
    remedies = find_remedies(by_kind["remedy"], accepted, tallies, known)
    works = {skeleton for skeleton, of_one in tallies.items() if any(n for *_, n in of_one.tries)}
    seen = works | {skeleton for skill in current for skeleton in skill.signature}
    return _Evidence(by_kind, remedies, tallies, tuple(sorted(seen - set(remedies))))


def _varying(repeats: Iterable[Experience], known: Iterable[tuple[Pattern, int]]) -> set[tuple[Pattern, int]]:
    """Places that vary in any night's experiences or skills."""
    return set(known) | {
        (skeleton_of(pattern), n)
        for one in repeats
        for pattern in one.patterns
        if len(arguments_of(pattern)) > 1
        for n, word in enumerate(arguments_of(pattern))
        if word == "[*]"
    }


def _home(group: Group, current: Sequence[Skill], taken: set[str]) -> Skill | None:
    """The skill that a group continues: the one with most triggers in common."""
    free = [skill for skill in current if skill.skill_id not in taken]
    shared = [(len(set(skill.triggers) & set(group.templates)), skill.skill_id, skill) for skill in free]
    best = max(shared, key=lambda one: one[:2], default=None)
    return best[2] if best and best[0] else None


def _may_change(old: Skill, group: Group, accepted: Collection[str]) -> bool:
    """A skill that a person withdrew stays so; one that was retired comes back by new successes alone."""
    new = {one.found.task_key for one, _ in group.traces if one.experience_id not in accepted}
    return old.status == "active" or (old.status == "retired" and len(new) >= _LEAST_TASKS)


def _draft(
    group: Group,
    steps: Sequence[SkillStep],
    evidence: _Evidence,
    old: Skill | None,
    make: Make,
    agent: str,
    elsewhere: Collection[str],
) -> Skill:
    reactions = _reactions(steps, evidence)
    avoid = _avoid(group, steps, evidence)
    kept = set(old.triggers if old else ()) - elsewhere
    triggers = tuple(sorted(kept.union(group.templates)))
    remedied = {skeleton_of(step.pattern) for step in steps}
    cited = [
        *(experience.experience_id for experience, _ in group.traces),
        *(i for reaction in reactions for i in reaction.step.experience_ids),
        *(i for avoidance in avoid for i in avoidance.experience_ids),
        *(i for remedy, ids in evidence.remedies.values() if remedy.alive in remedied for i in ids),
    ]
    core = tuple(step.pattern for step in steps if step.condition is None)
    return Skill(
        skill_id=old.skill_id if old else make("skill", agent, *(" ".join(pattern) for pattern in core)),
        version=old.version + 1 if old else 1,
        name=max(group.templates, key=lambda template: (-len(template), template)),
        triggers=triggers,
        steps=tuple(steps),
        reactions=reactions,
        avoid=avoid,
        signature=evidence.signature,
        n_tasks=group.n_tasks,
        n_successes=len({experience.session_id for experience, _ in group.traces}),
        experience_ids=tuple(sorted(set(cited))),
        previous=old.version if old else None,
    )


def _with_remedy_citations(steps: Sequence[SkillStep], evidence: _Evidence) -> list[SkillStep]:
    """Steps in the words of a remedy, whose own sessions had the dead ones, cite the remedy."""
    by_id = {one.experience_id: one for kind in evidence.by_kind.values() for one in kind}
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


def _reactions(steps: Sequence[SkillStep], evidence: _Evidence) -> tuple[Reaction, ...]:
    """What to do at any place where a word says so, where the skill goes to places by that kind of action."""
    ways = {skeleton_of(step.pattern) for step in steps}
    shown: dict[tuple[Pattern, str, Pattern], list[Experience]] = defaultdict(list)
    for one in evidence.by_kind["condition"]:
        after, step = (_alive(pattern, evidence.remedies) for pattern in one.patterns)
        shown[skeleton_of(after), one.word, step].append(one)
    return tuple(
        Reaction(after, word, _step_of(pattern, experiences))
        for (after, word, pattern), experiences in sorted(shown.items())
        if after in ways and len({one.session_id for one in experiences}) >= LEAST_SESSIONS
    )


def _alive(pattern: Pattern, remedies: Mapping[Pattern, tuple[Remedy, tuple[str, ...]]]) -> Pattern:
    """A pattern in the words of today."""
    return in_todays_words(pattern, {dead: remedy for dead, (remedy, _) in remedies.items()})


def _step_of(pattern: Pattern, experiences: Sequence[Experience]) -> SkillStep:
    n = len({one.session_id for one in experiences})
    ids = tuple(sorted(one.experience_id for one in experiences))
    return SkillStep(pattern, None, None, (), n, n, ids, _cite(experiences[0], experiences[0].steps[1]))


def _avoid(group: Group, steps: Sequence[SkillStep], evidence: _Evidence) -> tuple[Avoidance, ...]:
    """What failed in two or more sessions of these tasks, and hardly ever worked."""
    own = {step.pattern for step in steps}
    shown: dict[Pattern, list[Experience]] = defaultdict(list)
    for one in evidence.by_kind["avoid"]:
        if one.found.template in group.templates and one.steps[0].pattern not in own:
            shown[one.steps[0].pattern].append(one)
    avoided = []
    for pattern, experiences in shown.items():
        n = len({one.session_id for one in experiences})
        is_refuted = pattern in evidence.tallies and evidence.tallies[pattern].share_failed < FAILING
        if n >= LEAST_SESSIONS and not is_refuted:
            avoided.append(_avoidance(pattern, n, experiences))
    return tuple(sorted(avoided, key=lambda one: (-one.n_sessions, one.pattern))[:_MOST_AVOIDED])


def _avoidance(pattern: Pattern, n: int, experiences: Sequence[Experience]) -> Avoidance:
    first = experiences[0]
    return Avoidance(
        pattern=pattern,
        answer=first.quote.text if first.quote else "",
        n_sessions=n,
        last_seen=max(one.found.at for one in experiences),
        experience_ids=tuple(sorted(one.experience_id for one in experiences)),
        citation=_cite(first, first.steps[0]),
    )


def _cite(experience: Experience, step: CitedStep) -> Citation:
    return Citation(experience.experience_id, experience.session_id, step.action)


def _n_failing(avoid: Iterable[Experience]) -> dict[Pattern, int]:
    sessions: dict[Pattern, set[str]] = defaultdict(set)
    for one in avoid:
        sessions[one.steps[0].pattern].add(one.session_id)
    return {pattern: len(names) for pattern, names in sessions.items()}


def _ids_of_dead(gone: Sequence[Pattern], evidence: _Evidence, draft: Skill) -> list[str]:
    """The experiences that a deletion is for: the failures of the dead step, and the skill's own."""
    failures = [o.experience_id for o in evidence.by_kind["avoid"] if skeleton_of(o.steps[0].pattern) in gone]
    return sorted({*failures, *draft.experience_ids})


def _is_absorbed(skill: Skill, drafts: Iterable[Skill]) -> bool:
    """Whether another skill has all the triggers of one by now."""
    return any(set(skill.triggers) <= set(draft.triggers) for draft in drafts)
