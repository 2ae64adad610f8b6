"""Features: what a model says that runs did or left out, and whether it tells successes from failures.

A model names them (feature, quote); the logs decide (`notes/skills.md`): over all sessions with a known outcome, the
share of successes with and without one must differ by two standard errors, with eight sessions on either side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from math import sqrt

from hypermnesia.rules.skills.experiences import Experience
from hypermnesia.rules.skills.versions import Check, Citation

LEAST_SESSIONS, LEAST_Z = 8, 2.0
_MOST_CHECKS = 8


def checks_of(
    templates: Collection[str], features: Sequence[Experience], judged: Mapping[str, str]
) -> tuple[Check, ...]:
    """The features of these tasks that tell successes from failures, the clearest first.

    `judged` are the outcomes of all sessions that were read, by id.
    """
    by_name: dict[str, list[Experience]] = defaultdict(list)
    for one in features:
        by_name[one.word].append(one)
    found = []
    for name, shown in by_name.items():
        if not any(one.found.template in templates for one in shown):
            continue
        check, z = _check(name, sorted(shown, key=lambda one: one.experience_id), judged)
        if min(check.n_with, check.n_without) >= LEAST_SESSIONS and abs(z) >= LEAST_Z:
            found.append((-abs(z), name, check))
    return tuple(check for *_, check in sorted(found, key=lambda one: one[:2])[:_MOST_CHECKS])


def contrast(n_good: int, n: int, n_other_good: int, n_other: int) -> float:
    """By how many standard errors (pooled) the first share is above the second; 0 where a side is empty."""
    if not n or not n_other:
        return 0.0
    pooled = (n_good + n_other_good) / (n + n_other)
    error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / n_other))
    return (n_good / n - n_other_good / n_other) / error if error else 0.0


def _check(name: str, shown: Sequence[Experience], judged: Mapping[str, str]) -> tuple[Check, float]:
    having = {one.session_id for one in shown}
    known = {session: outcome for session, outcome in judged.items() if outcome != "unclear"}
    outcomes = {
        side: [outcome for session, outcome in known.items() if (session in having) == side] for side in (True, False)
    }
    n_good, n_other_good = (outcomes[side].count("success") for side in (True, False))
    z = contrast(n_good, len(outcomes[True]), n_other_good, len(outcomes[False]))
    cited = next((one for one in shown if known.get(one.session_id) == ("success" if z > 0 else "failure")), shown[0])
    assert cited.quote is not None
    check = Check(
        name=name,
        is_good=z > 0,
        n_good_with=n_good,
        n_with=len(outcomes[True]),
        n_good_without=n_other_good,
        n_without=len(outcomes[False]),
        experience_ids=tuple(one.experience_id for one in shown),
        citation=Citation(cited.experience_id, cited.session_id, cited.quote),
    )
    return check, z
