"""Skills and their versions. A version never changes: what is learned later is the next one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from hypermnesia.rules.skills.abstraction import Pattern, arguments_of, skeleton_of
from hypermnesia.rules.skills.sessions import Make, Span

#: `retired` by a dead step or by being part of another; `withdrawn` by a person, for good.
Status = Literal["active", "retired", "withdrawn"]
Decision = Literal["create", "modify", "delete", "defer", "covered", "not_worth"]

#: The distiller's and curator's rules: a change of what they learn is a new version.
RULES_VERSION = "skills-1"

#: What failed is not to be avoided for ever: a tool may be there tomorrow.
AVOID_DAYS = 90


@dataclass(frozen=True, slots=True)
class Citation:
    """The action that a step was read from: of which experience and session, and its exact words."""

    experience_id: str
    session_id: str
    action: Span


@dataclass(frozen=True, slots=True)
class SkillStep:
    """One step: what to do, when (`condition`: a word of the last answer), and until what is seen.

    `n_runs` successes were looked at, `n_with` of them took the step. `hints`: where "[*]" usually was.
    """

    pattern: Pattern
    condition: str | None
    until: str | None
    hints: tuple[str, ...]
    n_with: int
    n_runs: int
    experience_ids: tuple[str, ...]
    citation: Citation

    @property
    def text(self) -> str:
        """The step in words: what an edit quotes."""
        words = " ".join(self.pattern)
        when = f'if the answer says "{self.condition}": ' if self.condition else ""
        return when + words + (f" (again until you see {self.until})" if self.until else "")


@dataclass(frozen=True, slots=True)
class Reaction:
    """A step taken wherever an answer says `word` behind an action of kind `after`."""

    after: Pattern
    word: str
    step: SkillStep


@dataclass(frozen=True, slots=True)
class Avoidance:
    """What fails. `last_seen` is an ISO time or "": it expires `AVOID_DAYS` later."""

    pattern: Pattern
    answer: str
    n_sessions: int
    last_seen: str
    experience_ids: tuple[str, ...]
    citation: Citation

    def is_in_force(self, as_of: str) -> bool:
        """Whether it still counts at an ISO time; without times it does."""
        if not as_of or not self.last_seen:
            return True
        until = datetime.fromisoformat(self.last_seen) + timedelta(days=AVOID_DAYS)
        now = datetime.fromisoformat(as_of)
        return now.replace(tzinfo=None) <= until.replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class Check:
    """A feature that tells successes from failures: successes and sessions with it and without. `citation` is the
    quote that shows it in one of them."""

    name: str
    is_good: bool
    n_good_with: int
    n_with: int
    n_good_without: int
    n_without: int
    experience_ids: tuple[str, ...]
    citation: Citation


@dataclass(frozen=True, slots=True)
class Skill:
    """One version of a skill. `signature` are the kinds of action that its environment had."""

    skill_id: str
    version: int
    name: str
    triggers: tuple[str, ...]
    steps: tuple[SkillStep, ...]
    reactions: tuple[Reaction, ...]
    avoid: tuple[Avoidance, ...]
    signature: tuple[Pattern, ...]
    n_tasks: int
    n_successes: int
    experience_ids: tuple[str, ...]
    status: Status = "active"
    previous: int | None = None
    checks: tuple[Check, ...] = ()

    @property
    def core(self) -> tuple[Pattern, ...]:
        """The steps that are always taken: what makes it this skill."""
        return tuple(step.pattern for step in self.steps if step.condition is None)

    @property
    def content(self) -> tuple[object, ...]:
        """What it tells an agent: versions differ in it. Counts and hints alone make no new version."""
        return (
            self.status,
            self.triggers,
            tuple(step.text for step in self.steps),
            tuple((reaction.after, reaction.word, reaction.step.pattern) for reaction in self.reactions),
            tuple(avoidance.pattern for avoidance in self.avoid),
            tuple(sorted((check.name, check.is_good) for check in self.checks)),
        )


@dataclass(frozen=True, slots=True)
class Change:
    """One changed line of a skill: "" where it is new or gone. `n` is its number, `part` where it stands."""

    part: Literal["step", "whenever", "avoid", "check", "trigger"]
    n: int
    old: str
    new: str
    experience_ids: tuple[str, ...]
    citation: Citation | None


@dataclass(frozen=True, slots=True)
class Edit:
    """One decision over a group of experiences: each experience is in exactly one."""

    edit_id: str
    decision: Decision
    reason: str
    experience_ids: tuple[str, ...]
    skill_id: str | None = None
    from_version: int | None = None
    to_version: int | None = None
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillUse:
    """A skill that an agent had for a task, and what became of the task."""

    skill_id: str
    version: int
    session_id: str
    is_success: bool


#: A skill that failed so often, and more often than not, is not shown any more.
_LEAST_FAILURES = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """How a skill did in use, over all its versions: a new version keeps the history of the old."""

    n_successes: int
    n_failures: int
    is_demoted: bool


def standing_of(skill: Skill, uses: Iterable[SkillUse]) -> Standing:
    """A skill's standing. A new version comes back only by uses of its own that succeed."""
    of_skill = {(use.session_id, use.version): use for use in uses if use.skill_id == skill.skill_id}.values()
    own = [use for use in of_skill if use.version == skill.version]
    judged = own if len(own) >= _LEAST_FAILURES else list(of_skill)
    n_failed = sum(not use.is_success for use in judged)
    n_successes = sum(use.is_success for use in of_skill)
    return Standing(n_successes, len(of_skill) - n_successes, _mostly_fails(n_failed, len(judged)))


def failing_in_use(skills: Iterable[Skill], uses: Iterable[SkillUse]) -> dict[str, str]:
    """Active skills whose newest version mostly failed in uses of its own, by id, with the figures."""
    known = list(uses)
    failing = {}
    for skill in newest(skills):
        own = {use.session_id: use for use in known if (use.skill_id, use.version) == (skill.skill_id, skill.version)}
        n_failed = sum(not use.is_success for use in own.values())
        if skill.status == "active" and _mostly_fails(n_failed, len(own)):
            failing[skill.skill_id] = f"{n_failed} of {len(own)} uses of version {skill.version}"
    return failing


def _mostly_fails(n_failed: int, n: int) -> bool:
    return n_failed >= _LEAST_FAILURES and 2 * n_failed > n


def newest(versions: Iterable[Skill]) -> list[Skill]:
    """The newest version of each skill, by id."""
    latest: dict[str, Skill] = {}
    for skill in versions:
        if skill.skill_id not in latest or skill.version > latest[skill.skill_id].version:
            latest[skill.skill_id] = skill
    return [latest[name] for name in sorted(latest)]


def roll_back(versions: Sequence[Skill], skill_id: str, to_version: int) -> Skill:
    """The next version of a skill, with the content of an older one. Raises `ValueError` where there is none."""
    of_skill = {skill.version: skill for skill in versions if skill.skill_id == skill_id}
    if to_version not in of_skill:
        raise ValueError(f"skill {skill_id} has no version {to_version}: it has {sorted(of_skill)}")
    latest = max(of_skill)
    return replace(of_skill[to_version], version=latest + 1, previous=latest)


def retire(skill: Skill, status: Status = "retired") -> Skill:
    """The next version of a skill, which is not shown any more."""
    return replace(skill, version=skill.version + 1, previous=skill.version, status=status)


def varying_places(skills: Iterable[Skill]) -> list[tuple[Pattern, int]]:
    """Argument places that vary in skills: what a night with few sessions could not tell."""
    return [
        (skeleton_of(step.pattern), n)
        for skill in skills
        for step in skill.steps
        for n, word in enumerate(arguments_of(step.pattern))
        if word == "[*]"
    ]


def edit_id(make: Make, decision: Decision, skill_id: str | None, version: int | None, ids: Sequence[str]) -> str:
    """The id of an edit: hash(decision, skill, version, experiences)."""
    return make("edit", decision, skill_id or "", str(version or 0), *ids)
