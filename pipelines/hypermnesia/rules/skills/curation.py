"""The curator: what becomes of skills by new experiences.

create (two tasks or more), modify, delete (a dead step without a remedy; failed in use), covered (said already),
defer (too little yet: it is asked again with later evidence), not_worth. Each pending experience is in exactly
one decision: experiences in = edits + deferred + not worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hypermnesia.rules.skills.abstraction import Pattern, skeleton_of
from hypermnesia.rules.skills.drafts import Curator, Drafted, draft_skills, rules_curator
from hypermnesia.rules.skills.experiences import Experience
from hypermnesia.rules.skills.proposals import Refusal
from hypermnesia.rules.skills.remedies import FAILING, LEAST_SESSIONS, Tally
from hypermnesia.rules.skills.sessions import Make
from hypermnesia.rules.skills.versions import Change, Decision, Edit, Skill, edit_id, newest, retire


@dataclass(frozen=True)
class Curation:
    """New versions of skills, and the decisions. `deferred` are the experiences to bring again.

    `refusals` are what a model proposed of `n_proposed` lines and the experiences do not bear out.
    """

    skills: tuple[Skill, ...]
    edits: tuple[Edit, ...]
    refusals: tuple[Refusal, ...] = ()
    n_proposed: int = 0

    @property
    def deferred(self) -> frozenset[str]:
        """Ids of the experiences that wait for more evidence."""
        return frozenset(i for edit in self.edits if edit.decision == "defer" for i in edit.experience_ids)


def curate(
    pending: Iterable[Experience],
    past: Iterable[Experience],
    skills: Iterable[Skill],
    tallies: Mapping[Pattern, Tally],
    make: Make,
    agent: str,
    curator: Curator = rules_curator,
    failing: Mapping[str, str] | None = None,
    judged: Mapping[str, str] | None = None,
) -> Curation:
    """Decisions over `pending` experiences: new ones, and those deferred before.

    `past` are the experiences in skills by now (of earlier edits), `skills` all their versions, `tallies` those of the
    new sessions, `failing` skills that failed in use, with the figures, `judged` the outcomes of all sessions that were
    read. `curator` says what becomes of each kind of task. The result is the same in any order of each. Raises
    `ValueError` if it does not add up.
    """
    waiting = {one.experience_id: one for one in pending}
    current = newest(skills)
    drafted = draft_skills(
        list(waiting.values()), list(past), current, tallies, make, agent, curator, failing or {}, judged or {}
    )
    edits: list[Edit] = []
    versions: list[Skill] = []
    claimed: set[str] = set()
    by_id = {skill.skill_id: skill for skill in current}
    for draft in sorted(drafted.skills, key=lambda skill: skill.skill_id):
        old = by_id.get(draft.skill_id)
        ids = sorted((set(draft.experience_ids) & set(waiting)) - claimed)
        claimed.update(ids)
        edit, version = _decide(draft, old, ids, make)
        if edit is not None:
            edits.append(edit)
        if version is not None:
            versions.append(version)
    for skill_id, ids_of_same in sorted(drafted.covered.items()):
        ids = sorted((set(ids_of_same) & set(waiting)) - claimed)
        claimed.update(ids)
        if ids:
            edits.append(_edit(make, "covered", "", ids, by_id[skill_id], by_id[skill_id].version))
    for skill_id, ids_of_dead in sorted(drafted.dead.items()):
        ids = sorted((set(ids_of_dead) & set(waiting)) - claimed)
        claimed.update(ids)
        gone = retire(by_id[skill_id])
        versions.append(gone)
        edits.append(_edit(make, "delete", drafted.reasons[skill_id], ids, by_id[skill_id], gone.version))
    edits += _leftovers([waiting[i] for i in sorted(set(waiting) - claimed)], drafted, tallies, make)
    _check_sum(waiting, edits)
    return Curation(tuple(versions), tuple(edits), tuple(drafted.refusals), drafted.n_proposed)


def _decide(draft: Skill, old: Skill | None, ids: list[str], make: Make) -> tuple[Edit | None, Skill | None]:
    if old is None:
        return _edit(make, "create", "", ids, None, 1, draft, _changes(None, draft)), draft
    if old.content != draft.content:
        return _edit(make, "modify", "", ids, old, draft.version, draft, _changes(old, draft)), draft
    return (_edit(make, "covered", "", ids, old, old.version), None) if ids else (None, None)


def _edit(
    make: Make,
    decision: Decision,
    reason: str,
    ids: Sequence[str],
    old: Skill | None,
    to_version: int | None = None,
    new: Skill | None = None,
    changes: tuple[Change, ...] = (),
) -> Edit:
    skill = new or old
    skill_id = skill.skill_id if skill else None
    name = edit_id(make, decision, skill_id, to_version, ids)
    return Edit(name, decision, reason, tuple(ids), skill_id, old.version if old else None, to_version, changes)


def _changes(old: Skill | None, new: Skill) -> tuple[Change, ...]:
    """The lines that a new version has otherwise, each with the experience that it was read from."""
    before = [step.text for step in old.steps] if old else []
    changes = [
        Change("step", n, before[n - 1] if n <= len(before) else "", step.text, step.experience_ids, step.citation)
        for n, step in enumerate(new.steps, start=1)
        if n > len(before) or before[n - 1] != step.text
    ]
    changes += [Change("step", n, text, "", (), None) for n, text in enumerate(before, start=1) if n > len(new.steps)]
    known = {(r.after, r.word, r.step.pattern) for r in old.reactions} if old else set()
    changes += [
        Change("whenever", n, "", r.step.text, r.step.experience_ids, r.step.citation)
        for n, r in enumerate(new.reactions, start=1)
        if (r.after, r.word, r.step.pattern) not in known
    ]
    shunned = {a.pattern for a in old.avoid} if old else set()
    changes += [
        Change("avoid", n, "", " ".join(a.pattern), a.experience_ids, a.citation)
        for n, a in enumerate(new.avoid, start=1)
        if a.pattern not in shunned
    ]
    checked = {check.name for check in old.checks} if old else set()
    changes += [
        Change("check", n, "", c.name, c.experience_ids, c.citation)
        for n, c in enumerate(new.checks, start=1)
        if c.name not in checked
    ]
    changes += [
        Change("trigger", n, "", trigger, (), None)
        for n, trigger in enumerate(new.triggers, start=1)
        if old is None or trigger not in old.triggers
    ]
    return tuple(changes)


def _leftovers(
    left: Sequence[Experience], drafted: Drafted, tallies: Mapping[Pattern, Tally], make: Make
) -> list[Edit]:
    """One decision for each reason that experiences are in no skill for."""
    reasons: dict[tuple[Decision, str], list[str]] = {}
    for one in left:
        reasons.setdefault(_why_left(one, drafted, tallies), []).append(one.experience_id)
    return [_edit(make, decision, reason, ids, None) for (decision, reason), ids in sorted(reasons.items())]


def _why_left(one: Experience, drafted: Drafted, tallies: Mapping[Pattern, Tally]) -> tuple[Decision, str]:
    if one.kind == "repeat":
        if one.found.template in drafted.withdrawn:
            return "not_worth", "withdrawn"
        if one.found.template in drafted.declined:
            return drafted.declined[one.found.template]
        return ("not_worth", "too_short") if one.found.template in drafted.short else ("defer", "few_tasks")
    if one.kind == "condition":
        return "defer", "no_skill_yet"
    if one.kind == "feature":
        return "defer", "no_contrast_yet"
    share = tallies.get(skeleton_of(one.steps[0].pattern), Tally()).share_failed
    if one.kind == "remedy":
        return ("defer", "few_sessions") if share >= FAILING else ("not_worth", "works_as_it_is")
    pattern = one.steps[0].pattern
    if pattern in drafted.worked or (pattern in tallies and tallies[pattern].share_failed < FAILING):
        return "not_worth", "works_elsewhere"
    if one.found.template in drafted.templates and drafted.n_failing.get(pattern, 0) >= LEAST_SESSIONS:
        return "not_worth", "enough_to_avoid"
    return "defer", "few_sessions"


def _check_sum(waiting: Mapping[str, Experience], edits: Sequence[Edit]) -> None:
    """Conservation: each experience is in one decision."""
    placed = [i for edit in edits for i in edit.experience_ids]
    if len(placed) != len(waiting) or set(placed) != set(waiting):
        raise ValueError(f"{len(waiting)} experiences came in, {len(placed)} are in decisions: report this as a bug")
