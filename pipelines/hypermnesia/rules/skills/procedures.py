"""Procedures: the steps that successes have in common, each with its support and condition."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hypermnesia.rules.skills.abstraction import ANY, Pattern, arguments_of, is_argument, skeleton_of
from hypermnesia.rules.skills.alignment import common_pairs, medoid
from hypermnesia.rules.skills.conditions import separates, separating_word
from hypermnesia.rules.skills.experiences import CitedStep, Experience
from hypermnesia.rules.skills.remedies import Remedy
from hypermnesia.rules.skills.versions import Citation, SkillStep

#: A step stays where this share of the successes took it; below, only with a word that says when.
SUPPORT = 0.6

_MOST_HINTS = 6

#: A trace: the steps of one success, and the experience that they are from.
Trace = tuple[Experience, tuple[CitedStep, ...]]
_Taken = list[tuple[int, int]]  # (trace, position in it)


def trace_of(
    experience: Experience, remedies: Mapping[Pattern, Remedy], varying: frozenset[tuple[Pattern, int]]
) -> Trace:
    """A success with its dead steps in the words of today, and its places as general as all sessions have them."""
    steps = [replace(step, pattern=in_todays_words(step.pattern, remedies)) for step in experience.steps]
    places = {
        word
        for step in steps
        if len(arguments_of(step.pattern)) > 1
        for n, word in enumerate(arguments_of(step.pattern))
        if word.startswith("[") and (skeleton_of(step.pattern), n) in varying
    }
    return experience, tuple(_generalise(step, places) for step in steps)


def in_todays_words(pattern: Pattern, remedies: Mapping[Pattern, Remedy]) -> Pattern:
    """A pattern in the words of today; a remedy may have died itself."""
    for _ in remedies:
        remedy = remedies.get(skeleton_of(pattern))
        if remedy is None:
            break
        pattern = remedy.apply(pattern)
    return pattern


def _generalise(step: CitedStep, places: set[str]) -> CitedStep:
    """With "[*]" for the types in `places`, which become hints."""
    named = tuple(word[1:-1] for word in step.pattern if word in places and word != ANY)
    pattern = tuple(ANY if word in places else word for word in step.pattern)
    return replace(step, pattern=pattern, places=step.places + named) if named else step


def is_act(pattern: Pattern) -> bool:
    """Whether a step does something with more than one thing; others are ways to it."""
    return len(arguments_of(pattern)) > 1


def says_something(pattern: Pattern) -> bool:
    """Whether a step names the task's thing, or nothing that may be anything."""
    return ANY not in pattern or any(word.startswith("{") for word in pattern)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A step that some of the successes of one kind took: `taken` are (trace, position in it)."""

    traces: Sequence[Trace]
    pattern: Pattern
    taken: Sequence[tuple[int, int]]

    @property
    def share(self) -> float:
        """Of the successes, those that took it."""
        return len({n for n, _ in self.taken}) / len(self.traces)

    def separates(self, word: str) -> bool:
        """Whether a word of the answer before tells the successes that took the step from those that did not."""
        return separates(word, *self.answers)

    def separating_word(self) -> str | None:
        """The word that tells them apart best, or None."""
        return separating_word(*self.answers)

    def step(self, condition: str | None) -> SkillStep:
        """The step with its figures and its citation."""
        first_of = dict(reversed(self.taken))
        steps = self._steps()
        ids = tuple(sorted(self.traces[n][0].experience_id for n in first_of))
        places = Counter(place for step in steps for place in step.places) if ANY in self.pattern else Counter[str]()
        until = Counter(step.until for step in steps if step.until)
        searches = 2 * until.total() > len(steps)
        return SkillStep(
            pattern=self.pattern,
            condition=condition,
            until=min(until, key=lambda word: (-until[word], word)) if searches else None,
            hints=tuple(sorted(places, key=lambda place: (-places[place], place))[:_MOST_HINTS]),
            n_with=len(steps),
            n_runs=len(self.traces),
            experience_ids=ids,
            citation=_citation(self.traces, first_of),
        )

    def _steps(self) -> list[CitedStep]:
        return [self.traces[n][1][position] for n, position in sorted(dict(reversed(self.taken)).items())]

    @property
    def answers(self) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
        """The words of the answers before the step, and where those that did not take it would have."""
        first_of = dict(reversed(self.taken))
        return [step.before for step in self._steps()], _answers_without(self.traces, first_of, self.pattern)


def build_procedure(traces: Sequence[Trace]) -> list[SkillStep]:
    """The steps of successes of one kind of task, in order."""
    steps = []
    for candidate in candidates_of(traces):
        condition = candidate.separating_word() if candidate.share < 1 else None
        if candidate.share >= SUPPORT or condition is not None:
            steps.append(candidate.step(condition))
    return steps


def candidates_of(traces: Sequence[Trace]) -> list[Candidate]:
    """Every step that any of the successes took, in the order of their alignment."""
    traces = sorted(traces, key=lambda trace: trace[0].experience_id)
    centre = medoid([tuple(step.pattern for step in steps) for _, steps in traces])
    columns: dict[int, _Taken] = defaultdict(list)
    between: dict[int, dict[Pattern, _Taken]] = defaultdict(lambda: defaultdict(list))
    for n, (_, steps) in enumerate(traces):
        pairs = common_pairs(centre, [step.pattern for step in steps])
        for column, position in pairs:
            columns[column].append((n, position))
        matched = {position: column for column, position in pairs}
        gap = 0
        for position, step in enumerate(steps):
            if position in matched:
                gap = matched[position] + 1
            else:
                between[gap][step.pattern].append((n, position))
    built: list[Candidate] = []
    for column in range(len(centre) + 1):
        for pattern, taken in sorted(between[column].items(), key=lambda item: (-len(item[1]), item[0])):
            built.append(Candidate(traces, pattern, taken))
        if column < len(centre):
            built.append(Candidate(traces, centre[column], columns[column]))
    return built


def _answers_without(traces: Sequence[Trace], first_of: Mapping[int, int], pattern: Pattern) -> list[frozenset[str]]:
    """In traces without the step: the answer before the next step on the same things, where it would have stood."""
    things = {word for word in pattern if is_argument(word)}
    answers = []
    for n, (_, steps) in enumerate(traces):
        if n in first_of:
            continue
        ways = [s for s in steps if len(arguments_of(s.pattern)) > 1 and things <= set(arguments_of(s.pattern))]
        answers += [way.before for way in ways[-1:]]
    return answers


def _citation(traces: Sequence[Trace], first_of: Mapping[int, int]) -> Citation:
    """The first trace whose own words the step has; where none has them (all are of before a remedy), the first."""
    ranked = sorted(first_of.items(), key=lambda item: traces[item[0]][0].experience_id)
    for n, position in ranked:
        experience, steps = traces[n]
        if skeleton_of(experience.steps[position].pattern) == skeleton_of(steps[position].pattern):
            return Citation(experience.experience_id, experience.session_id, steps[position].action)
    experience, steps = traces[ranked[0][0]]
    return Citation(experience.experience_id, experience.session_id, steps[ranked[0][1]].action)
