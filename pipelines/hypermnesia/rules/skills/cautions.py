"""What a skill says beside its steps: what to do wherever a word says so, and what to avoid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from hypermnesia.rules.skills.abstraction import Pattern, skeleton_of
from hypermnesia.rules.skills.evidence import Evidence
from hypermnesia.rules.skills.experiences import CitedStep, Experience
from hypermnesia.rules.skills.procedures import in_todays_words
from hypermnesia.rules.skills.remedies import FAILING, LEAST_SESSIONS
from hypermnesia.rules.skills.versions import Avoidance, Citation, Reaction, SkillStep

_MOST_AVOIDED = 8


def reactions_of(steps: Sequence[SkillStep], evidence: Evidence) -> tuple[Reaction, ...]:
    """What to do at any place where a word says so, where the skill goes to places by that kind of action."""
    ways = {skeleton_of(step.pattern) for step in steps}
    shown: dict[tuple[Pattern, str, Pattern], list[Experience]] = defaultdict(list)
    for one in evidence.by_kind["condition"]:
        after, step = (in_todays_words(pattern, evidence.todays_words) for pattern in one.patterns)
        shown[skeleton_of(after), one.word, step].append(one)
    return tuple(
        Reaction(after, word, _step_of(pattern, experiences))
        for (after, word, pattern), experiences in sorted(shown.items())
        if after in ways and len({one.session_id for one in experiences}) >= LEAST_SESSIONS
    )


def _step_of(pattern: Pattern, experiences: Sequence[Experience]) -> SkillStep:
    n = len({one.session_id for one in experiences})
    ids = tuple(sorted(one.experience_id for one in experiences))
    return SkillStep(pattern, None, None, (), n, n, ids, _cite(experiences[0], experiences[0].steps[1]))


def avoidances_of(
    templates: Collection[str], steps: Sequence[SkillStep], evidence: Evidence, before: Collection[Pattern]
) -> tuple[Avoidance, ...]:
    """What failed in two or more sessions of these tasks, and hardly ever worked.

    What a skill does not say `before` takes a new failure: a refuted one does not come back by old ones.
    """
    own = {step.pattern for step in steps}
    shown: dict[Pattern, list[Experience]] = defaultdict(list)
    for one in evidence.by_kind["avoid"]:
        if one.found.template in templates and one.steps[0].pattern not in own:
            shown[one.steps[0].pattern].append(one)
    avoided = []
    for pattern, experiences in shown.items():
        n = len({one.session_id for one in experiences})
        is_refuted = pattern in evidence.tallies and evidence.tallies[pattern].share_failed < FAILING
        is_said = pattern in before or any(one.experience_id not in evidence.accepted for one in experiences)
        if n >= LEAST_SESSIONS and is_said and not is_refuted:
            avoided.append(_avoidance(pattern, n, experiences))
    avoided.sort(key=lambda one: (one.pattern not in before, -one.n_sessions, one.pattern))
    return tuple(sorted(avoided[:_MOST_AVOIDED], key=lambda one: one.pattern))


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
