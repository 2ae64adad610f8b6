"""The backward slice of a session: the steps that its last effective action needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hypermnesia.rules.skills.abstraction import Abstraction, Deed
from hypermnesia.rules.skills.actions import Action
from hypermnesia.rules.skills.outcomes import LOOKING

#: A shorter value stands in an answer by chance.
_LEAST_VALUE = 3


def slice_back(deeds: Sequence[Deed], abstraction: Abstraction) -> list[Deed]:
    """The steps that count, in order, ending with the last effective one.

    What is acted on is an action's first argument. Kept are actions on two or more things that act on something
    needed, on a slot's thing as the end does, or on a slot that nothing kept has yet (such a thing alone too); and the
    last action on one thing alone (go to it, open it) before it is needed, or before something needed is first seen.
    Failed actions, looking and undone pairs are left out. A tool call is kept if it has a needed value or answers with
    one. Sessions whose actions share no things (searches, clicks) keep every effective step once.
    """
    effective = [deed for deed in deeds if deed.has_worked]
    with_things = [deed for deed in effective if deed.action.arguments]
    if not any(len(deed.action.arguments) > 1 for deed in with_things):
        return _once(with_things if with_things else effective)
    goal = with_things[-1]
    walk = _Walk([goal], {a.name for a in goal.action.arguments}, {a.kind for a in goal.action.arguments})
    if len(goal.action.arguments) == 1:
        walk.unseen = goal.action.arguments[0].name
    for deed in reversed(with_things[:-1]):
        if walk.needs(deed, abstraction):
            walk.kept.append(deed)
    return _without_undone(walk.kept[::-1])


@dataclass
class _Walk:
    """The walk back: what is kept, the things and types that it has, the accesses that are served.

    `unseen` is a thing that the end acts on alone: it has to be seen somewhere first.
    """

    kept: list[Deed]
    things: set[str]
    kinds: set[str]
    served: set[tuple[tuple[str, ...], str]] = field(default_factory=set)
    unseen: str = ""

    def needs(self, deed: Deed, abstraction: Abstraction) -> bool:
        """Whether a step is needed for what is kept; what it has is needed from there on."""
        first, *rest = deed.action.arguments
        names = {argument.name for argument in deed.action.arguments}
        if not first.is_numbered:
            return self._gives_values(deed, names)
        if not rest:
            return self._is_access(deed, first.name) or self._is_deed_of_task(deed, abstraction)
        if first.name not in self.things and not self._is_of_task(deed, abstraction):
            return False
        self.things |= names
        self.kinds |= {argument.kind for argument in deed.action.arguments}
        self.served = {access for access in self.served if access[1] not in names}
        return True

    def _gives_values(self, deed: Deed, names: set[str]) -> bool:
        """Whether a tool call or command has a needed value, or its answer gives one."""
        is_needed = bool(names & self.things) or any(v in deed.answer for v in self.things if len(v) >= _LEAST_VALUE)
        if is_needed:
            self.things |= names
        return is_needed

    def _is_of_task(self, deed: Deed, abstraction: Abstraction) -> bool:
        """Whether a slot's thing is acted on as at the end, or one of a slot not come by yet."""
        first = deed.action.arguments[0]
        if first.kind not in abstraction.slots:
            return False
        goal = self.kept[0].action
        is_as_goal = deed.action.skeleton == goal.skeleton and _kinds(deed.action) == _kinds(goal)
        return is_as_goal or first.kind not in self.kinds

    def _is_deed_of_task(self, deed: Deed, abstraction: Abstraction) -> bool:
        """Whether a slot's thing that nothing kept has yet is used by itself ("use lamp")."""
        first = deed.action.arguments[0]
        is_new = first.kind in abstraction.slots and first.kind not in self.kinds
        if not is_new or deed.action.verb in LOOKING:
            return False
        self.kinds.add(first.kind)
        return True

    def _is_access(self, deed: Deed, name: str) -> bool:
        if self.unseen and name != self.unseen and self.unseen in deed.answer.lower():
            self.unseen = ""
            return True
        access = (deed.action.skeleton, name)
        if name not in self.things or access in self.served:
            return False
        self.served.add(access)
        return True


def _kinds(action: Action) -> list[str]:
    return [argument.kind for argument in action.arguments]


def _once(deeds: Sequence[Deed]) -> list[Deed]:
    """Each action once, where it was done last."""
    last = {deed.action: deed.index for deed in deeds}
    return [deed for deed in deeds if last[deed.action] == deed.index]


def _without_undone(kept: list[Deed]) -> list[Deed]:
    """Without pairs like "put it there, take it from there", which leave things as an earlier step had them."""
    while (pair := _undone_pair(kept)) is not None:
        kept = [deed for deed in kept if deed.index not in pair]
    return kept


def _undone_pair(kept: Sequence[Deed]) -> set[int] | None:
    acts = [deed for deed in kept if len(deed.action.arguments) > 1]
    for n, (there, back) in enumerate(pairwise(acts)):
        same_things = set(there.action.arguments) == set(back.action.arguments)
        if not same_things or there.action.skeleton == back.action.skeleton:
            continue
        thing = back.action.arguments[0]
        before = (d for d in acts[:n] if d.action.arguments[0] == thing)
        if any(d.action.skeleton == back.action.skeleton for d in before):
            return {there.index, back.index, *_accesses(kept, there, back)}
    return None


def _accesses(kept: Sequence[Deed], there: Deed, back: Deed) -> list[int]:
    return [d.index for d in kept if there.index < d.index < back.index and len(d.action.arguments) == 1]
