"""Which task templates are one skill: those whose successes do the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hypermnesia.rules.skills.abstraction import Pattern
from hypermnesia.rules.skills.alignment import common_pairs
from hypermnesia.rules.skills.procedures import Trace, build_procedure, is_act, says_something
from hypermnesia.rules.skills.templates import numbers_in

#: A template with fewer tasks joins a group by what its successes have in common: its own procedure is noise.
_FEW_TASKS = 5


@dataclass
class Group:
    """Templates of one skill, with their successes.

    `acts` make it that skill: what is always done with more than one thing, and the last step. The ways to it differ.
    """

    acts: tuple[Pattern, ...]
    templates: list[str]
    traces: list[Trace] = field(default_factory=list)

    @property
    def n_tasks(self) -> int:
        """Different tasks, not sessions."""
        return len({experience.found.task_key for experience, _ in self.traces})


def group_traces(traces: Iterable[Trace]) -> list[Group]:
    """Groups of templates, from the templates with most tasks down; the same in any order of traces."""
    of_template: dict[str, list[Trace]] = defaultdict(list)
    for trace in traces:
        of_template[trace[0].found.template].append(trace)
    alone = [_alone(template, of_one) for template, of_one in sorted(of_template.items())]
    groups: list[Group] = []
    for one in sorted(alone, key=lambda group: (-group.n_tasks, group.templates)):
        home = next((group for group in groups if _is_same(group, one)), None)
        if home is None:
            groups.append(one)
        else:
            home.templates += one.templates
            home.traces += one.traces
    return groups


def _alone(template: str, traces: Sequence[Trace]) -> Group:
    core = [step.pattern for step in build_procedure(traces) if step.condition is None]
    acts = tuple(pattern for pattern in core[:-1] if is_act(pattern)) + tuple(core[-1:])
    return Group(acts, [template], list(traces))


def _is_same(group: Group, other: Group) -> bool:
    if numbers_in(" ".join(other.templates).split()) != numbers_in(" ".join(group.templates).split()):
        return False
    if not any(says_something(pattern) for pattern in group.acts):
        return False  # "click [*]" is the end of anything
    if other.acts == group.acts:
        return True
    if other.n_tasks >= _FEW_TASKS or not group.acts:
        return False
    every = [frozenset(step.pattern for step in steps if is_act(step.pattern)) for _, steps in other.traces]
    ways = [[step.pattern for step in steps] for _, steps in other.traces]
    n_whole = sum(len(common_pairs(group.acts, way)) == len(group.acts) for way in ways)
    return frozenset.intersection(*every) <= set(group.acts) and 2 * n_whole >= len(ways)
