"""The evidence of a night: all experiences, old and new, by kind, and what they say together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hypermnesia.rules.skills.abstraction import ANY, Pattern, arguments_of, skeleton_of
from hypermnesia.rules.skills.experiences import Experience
from hypermnesia.rules.skills.remedies import Remedy, Tally, find_remedies
from hypermnesia.rules.skills.versions import Skill, varying_places


@dataclass(frozen=True)
class Evidence:
    """All experiences by kind (`accepted` ones are in skills by now), and what they say together.

    `remedies`: each dead kind of action with what works in its place and the experiences that show it. `judged`: the
    outcome of each session that was read, by its id. `varying`: argument places that vary in any experience or skill.
    `signature`: the kinds of action that there are.
    """

    by_kind: Mapping[str, Sequence[Experience]]
    accepted: Collection[str]
    remedies: Mapping[Pattern, tuple[Remedy, tuple[str, ...]]]
    tallies: Mapping[Pattern, Tally]
    judged: Mapping[str, str]
    varying: frozenset[tuple[Pattern, int]]
    signature: tuple[Pattern, ...]

    @property
    def todays_words(self) -> dict[Pattern, Remedy]:
        """Each dead kind of action with its remedy."""
        return {dead: remedy for dead, (remedy, _) in self.remedies.items()}

    @property
    def by_id(self) -> dict[str, Experience]:
        """All experiences by id."""
        return {one.experience_id: one for of_kind in self.by_kind.values() for one in of_kind}

    @property
    def n_failing(self) -> dict[Pattern, int]:
        """In how many sessions each pattern failed."""
        sessions: dict[Pattern, set[str]] = defaultdict(set)
        for one in self.by_kind["avoid"]:
            sessions[one.patterns[0]].add(one.session_id)
        return {pattern: len(names) for pattern, names in sessions.items()}


def gather_evidence(
    pending: Collection[Experience],
    past: Collection[Experience],
    current: Sequence[Skill],
    tallies: Mapping[Pattern, Tally],
    judged: Mapping[str, str] | None = None,
) -> Evidence:
    """The evidence of `pending` and `past` experiences, in an order of their own."""
    unique = {one.experience_id: one for one in [*pending, *past]}
    by_kind: dict[str, list[Experience]] = defaultdict(list)
    for name in sorted(unique):
        by_kind[unique[name].kind].append(unique[name])
    accepted = frozenset(one.experience_id for one in past)
    remedies = find_remedies(by_kind["remedy"], accepted, tallies, _known(past, current))
    works = {kind for kind, of_one in tallies.items() if of_one.has_worked and skeleton_of(kind) == kind}
    seen = works | {skeleton for skill in current for skeleton in skill.signature}
    varying = frozenset(_varying(by_kind["repeat"])) | frozenset(varying_places(current))
    return Evidence(by_kind, accepted, remedies, tallies, judged or {}, varying, tuple(sorted(seen - set(remedies))))


def _known(past: Iterable[Experience], current: Iterable[Skill]) -> frozenset[Pattern]:
    """The kinds of action in skills and in the successes that they were made of."""
    steps = [step.pattern for skill in current for step in skill.steps]
    return frozenset(map(skeleton_of, [*steps, *(p for one in past if one.kind == "repeat" for p in one.patterns)]))


def _varying(repeats: Iterable[Experience]) -> set[tuple[Pattern, int]]:
    return {
        (skeleton_of(pattern), n)
        for one in repeats
        for pattern in one.patterns
        if len(arguments_of(pattern)) > 1
        for n, word in enumerate(arguments_of(pattern))
        if word == ANY
    }
