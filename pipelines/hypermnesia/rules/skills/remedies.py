"""Failures: what to avoid, and what worked in its place (a remedy); and which kinds of action are dead.

A dead one worked once and works no more: the environment has changed. A remedy is another action on the same
things, in other words, behind the failure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hypermnesia.rules.skills.abstraction import (
    Abstraction,
    Deed,
    Pattern,
    covers,
    is_argument,
    pattern_of,
    skeleton_of,
)
from hypermnesia.rules.skills.experiences import Experience, Found

#: So many steps behind a failure an action may be its remedy.
_REACH = 10

#: A failing kind of action fails in at least this share of its tries, in at least so many sessions.
FAILING = 0.8
LEAST_SESSIONS = 2

#: Without a remedy it takes more sessions to call an action dead.
_LEAST_WITHOUT_REMEDY = 4


@dataclass(frozen=True, slots=True)
class Tally:
    """The tries of one kind of action: (when, session, failed, worked) a session.

    `answers` are those of failures, without the words of the action itself.
    """

    tries: tuple[tuple[str, str, int, int], ...] = ()
    answers: frozenset[str] = frozenset()

    @property
    def share_failed(self) -> float:
        """The share of tries that failed; 0 without tries."""
        failed = sum(one[2] for one in self.tries)
        return failed / (failed + sum(one[3] for one in self.tries) or 1)

    @property
    def has_worked(self) -> bool:
        """Whether it worked in any session."""
        return any(n for *_, n in self.tries)

    def failing_since(self) -> list[str]:
        """The sessions behind the last one in which it worked, where times tell; all where it never did."""
        worked = max((at for at, _, _, n in self.tries if n), default=None)
        return [
            session for at, session, failed, n in self.tries if failed and not n and (worked is None or at > worked)
        ]


@dataclass(frozen=True, slots=True)
class Remedy:
    """A dead kind of action and the one that works in its place: `order` maps the new arguments to the old."""

    dead: Pattern
    alive: Pattern
    order: tuple[int, ...]

    def apply(self, pattern: Pattern) -> Pattern:
        """A pattern of the dead kind in the new words."""
        old = [word for word, part in zip(pattern, self.dead, strict=True) if part == "_"]
        new = iter([old[n] for n in self.order])
        return tuple(next(new) if part == "_" else part for part in self.alive)


def tally(sessions: Iterable[tuple[Found, Sequence[Deed], Abstraction]]) -> dict[Pattern, Tally]:
    """The tries of each kind of action (its skeleton) and of each pattern, by session."""
    counts: dict[Pattern, dict[tuple[str, str], list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    answers: dict[Pattern, set[str]] = defaultdict(set)
    for found, deeds, abstraction in sessions:
        for deed in deeds:
            for kind in {deed.action.skeleton, pattern_of(deed.action, abstraction)}:
                counts[kind][found.at, found.session_id][deed.has_worked] += 1
                if not deed.has_worked:
                    answers[kind].add(_without_things(deed))
    return {
        kind: Tally(tuple((at, name, n[0], n[1]) for (at, name), n in sorted(of_one.items())), frozenset(answers[kind]))
        for kind, of_one in counts.items()
    }


def _without_things(deed: Deed) -> str:
    answer = deed.answer.lower()
    for argument in deed.action.arguments:
        answer = answer.replace(argument.name.lower(), "_")
    return answer


def failures_of(
    deeds: Sequence[Deed], abstraction: Abstraction
) -> Iterator[tuple[Literal["avoid", "remedy"], tuple[Deed, ...]]]:
    """(kind, steps) of a session's failures, each pattern once: with what worked instead, or to avoid."""
    patterns = [pattern_of(deed.action, abstraction) for deed in deeds]
    worked = {pattern for pattern, deed in zip(patterns, deeds, strict=True) if deed.has_worked}
    told: set[Pattern] = set()
    for deed, pattern in zip(deeds, patterns, strict=True):
        if deed.has_worked or pattern in worked or pattern in told or not deed.action.arguments:
            continue
        told.add(pattern)
        if remedy := _remedy(deed, deeds):
            yield "remedy", (deed, remedy)
        elif _is_of_task(deed, pattern):
            yield "avoid", (deed,)


def _is_of_task(deed: Deed, pattern: Pattern) -> bool:
    """Whether a failure says something of the task: where things have types, one of the task's was acted on."""
    first = next(word for word in pattern if is_argument(word))
    return not deed.action.arguments[0].is_numbered or first.startswith("{")


def _remedy(failed: Deed, deeds: Sequence[Deed]) -> Deed | None:
    for deed in deeds[failed.index + 1 : failed.index + 1 + _REACH]:
        if works_instead(failed, deed):
            # What was done to these things before the failure too is no new word for it.
            was_known = any(d.action == deed.action and d.has_worked for d in deeds[: failed.index])
            return None if was_known else deed
    return None


def works_instead(failed: Deed, other: Deed) -> bool:
    """Whether a later action on the same things, in other words, worked where one had failed."""
    things, others = (sorted(argument.name for argument in deed.action.arguments) for deed in (failed, other))
    is_later = other.index > failed.index and other.action.skeleton != failed.action.skeleton
    return not failed.has_worked and other.has_worked and is_later and bool(things) and things == others


def find_remedies(
    experiences: Iterable[Experience],
    accepted: Collection[str],
    tallies: Mapping[Pattern, Tally],
    known: Collection[Pattern],
) -> dict[Pattern, tuple[Remedy, tuple[str, ...]]]:
    """Each dead kind of action with its remedy and the experiences that show it.

    `known` are the kinds of action in skills and successes before: what is none of them can't have died, and
    what is one of them is no new word, unless it had died itself. `accepted` experiences made edits before: their
    remedy stays until the dead action works again.
    """
    shown: dict[Remedy, dict[str, str]] = defaultdict(dict)
    stands: set[Remedy] = set()
    for one in experiences:
        remedy = _compare(*one.patterns) if one.kind == "remedy" else None
        if remedy is None or remedy.dead not in known:
            continue
        shown[remedy][one.session_id] = one.experience_id
        if one.experience_id in accepted and not tallies.get(remedy.dead, Tally()).has_worked:
            stands.add(remedy)
    died = {remedy.dead for remedy in shown if any(i in accepted for i in shown[remedy].values())}
    best: dict[Pattern, tuple[Remedy, tuple[str, ...]]] = {}
    for remedy in sorted(shown, key=lambda r: (r not in stands, -len(shown[r]), r.alive)):
        is_new = remedy.alive not in known or remedy.alive in died
        is_shown = is_new and len(shown[remedy]) >= LEAST_SESSIONS and _is_dead(remedy.dead, tallies)
        if remedy in stands or is_shown:
            best.setdefault(remedy.dead, (remedy, tuple(sorted(shown[remedy].values()))))
    return best


def _compare(dead: Pattern, alive: Pattern) -> Remedy | None:
    """How a failing step's arguments stand in the one that worked."""
    skeletons = skeleton_of(dead), skeleton_of(alive)
    old = [word for word, part in zip(dead, skeletons[0], strict=True) if part == "_"]
    new = [word for word, part in zip(alive, skeletons[1], strict=True) if part == "_"]
    if sorted(old) != sorted(new):
        return None
    return Remedy(*skeletons, tuple(old.index(word) for word in new))


def _is_dead(skeleton: Pattern, tallies: Mapping[Pattern, Tally]) -> bool:
    return len(tallies.get(skeleton, Tally()).failing_since()) >= LEAST_SESSIONS


def find_dead(steps: Collection[Pattern], tallies: Mapping[Pattern, Tally]) -> frozenset[Pattern]:
    """Those of a skill's steps that failed wherever they were tried, in enough sessions, with one same answer.

    A step done at the wrong place or time fails too, but for many reasons.
    """
    dead = set()
    for step in steps:
        tried = [tallies[pattern] for pattern in sorted(tallies) if covers(step, pattern)]
        failing = {session for one in tried for session in one.failing_since()}
        has_worked = any(one.has_worked and not one.failing_since() for one in tried)
        answers = {answer for one in tried for answer in one.answers}
        if len(failing) >= _LEAST_WITHOUT_REMEDY and not has_worked and len(answers) == 1:
            dead.add(step)
    return frozenset(dead)
