"""The publish rule: a new version must not tell held-out sessions worse than the one before (DESIGN 6).

A session that misses a step of the skill for its task is told to fail, the others to succeed. What a night would
have learned without a session says how well that holds for it. Judged by task template: the share of told failures
that failed (missing-step precision) and the share of sessions told rightly; worse is what falls by more than noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from hypermnesia.rules.skills.abstraction import Abstraction, Pattern, deeds_of, is_argument, pattern_of
from hypermnesia.rules.skills.outcomes import Outcome
from hypermnesia.rules.skills.sessions import TaskSession
from hypermnesia.rules.skills.versions import Skill

#: A share that falls by more than so many standard errors got worse.
NOISE = 2.0


@dataclass(frozen=True, slots=True)
class Told:
    """Held-out sessions of one template: those told to fail, of them failed, all told rightly, all."""

    n_told: int = 0
    n_failed: int = 0
    n_right: int = 0
    n: int = 0

    def __add__(self, other: Told) -> Told:
        return Told(
            self.n_told + other.n_told,
            self.n_failed + other.n_failed,
            self.n_right + other.n_right,
            self.n + other.n,
        )


def tell(
    skills: Iterable[Skill],
    sessions: Iterable[TaskSession],
    outcomes: Mapping[str, Outcome],
    abstractions: Mapping[str, Abstraction],
) -> dict[str, Told]:
    """By template, how sessions with a known outcome are told by the skill for it; without a skill, all to fail."""
    of_template = {trigger: skill for skill in skills if skill.status == "active" for trigger in skill.triggers}
    told: dict[str, Told] = {}
    for session in sessions:
        verdict = outcomes[session.session_id].verdict
        if verdict == "unclear":
            continue
        abstraction = abstractions[session.session_id]
        skill = of_template.get(abstraction.template)
        misses = skill is None or not is_whole(skill, session, abstraction)
        has_failed = verdict == "failure"
        one = Told(int(misses), int(misses and has_failed), int(misses == has_failed), 1)
        told[abstraction.template] = told.get(abstraction.template, Told()) + one
    return told


def is_whole(skill: Skill, session: TaskSession, abstraction: Abstraction) -> bool:
    """Whether a session took every step that the skill always takes, in its order."""
    waiting = list(skill.core)
    for deed in deeds_of(session):
        if waiting and deed.has_worked and _shows(waiting[0], pattern_of(deed.action, abstraction)):
            waiting.pop(0)
    return not waiting


def _shows(step: Pattern, found: Pattern) -> bool:
    """The same words; things that the slots of a run alone do not tell apart ({A2}, a place) are the same."""
    return len(step) == len(found) and all(
        one == other or (is_argument(one) and is_argument(other) and (_is_place(one) or one[:2] == other[:2]))
        for one, other in zip(step, found, strict=True)
    )


def _is_place(word: str) -> bool:
    return word == "[*]"


def worse_templates(before: Mapping[str, Told], after: Mapping[str, Told], triggers: Sequence[str]) -> list[str]:
    """Those of a version's triggers for which it tells held-out sessions worse, each with its figures."""
    worse = []
    for trigger in triggers:
        old, new = before.get(trigger, Told()), after.get(trigger, Told())
        shares = {
            "missing-step precision": (old.n_failed, old.n_told, new.n_failed, new.n_told),
            "told rightly": (old.n_right, old.n, new.n_right, new.n),
        }
        worse += [
            f"{trigger}: {name} {shares_of[0]}/{shares_of[1]} -> {shares_of[2]}/{shares_of[3]}"
            for name, shares_of in shares.items()
            if is_worse(*shares_of)
        ]
    return worse


def is_worse(n_before: int, of_before: int, n_after: int, of_after: int) -> bool:
    """Whether a share fell by more than `NOISE` standard errors of the difference (add-one smoothed, pooled)."""
    if not of_before or not of_after:
        return False
    pooled = (n_before + n_after + 1) / (of_before + of_after + 2)
    error = sqrt(pooled * (1 - pooled) * (1 / of_before + 1 / of_after))
    return n_before / of_before - n_after / of_after > NOISE * error


def said_of(before: Mapping[str, Told], after: Mapping[str, Told], triggers: Sequence[str]) -> str:
    """What the replay says of a version, in a line."""
    old, new = (sum((told.get(trigger, Told()) for trigger in triggers), Told()) for told in (before, after))
    if not new.n:
        return "no held-out session"
    precision = f"missing-step precision {old.n_failed}/{old.n_told} -> {new.n_failed}/{new.n_told}"
    return f"{new.n} held-out sessions: {precision}, told rightly {old.n_right} -> {new.n_right}"
