"""The current view of what holds: of statements about one subject and predicate, which value is in force (DESIGN 7).

Statements are ordered by when they were said: a fact is stated in the present tense, so its event time tells since
when it holds ("since 2010"), not when it was last true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hypermnesia.rules.anchor_keys import fold

#: In the order in which they are shown: what holds, what a newer value replaced, what a newer statement denies,
#: what was never said to be so (planned, hypothetical, quoted, asked).
IN_FORCE, SUPERSEDED, DENIED, NOT_ASSERTED = STATUSES = ("in_force", "superseded", "denied", "not_asserted")


@dataclass(frozen=True, slots=True)
class Statement:
    """One record that states a fact; `said` is a civil ISO time, "" where nobody knows."""

    row_id: str
    predicate: str
    subject: str
    value: str
    said: str
    is_negated: bool = False
    modality: str = "done"

    @property
    def when(self) -> tuple[str, str]:
        """Its place among statements: when it was said, then its id."""
        return self.said, self.row_id

    @property
    def is_asserted(self) -> bool:
        """Whether it says that something is so, or is not so."""
        return self.modality == "done"


@dataclass(frozen=True, slots=True)
class Held:
    """One value with every statement of it, the newest first; the first one decided its status."""

    predicate: str
    subject: str
    value: str
    status: str
    statements: tuple[Statement, ...]


def core_view(statements: Iterable[Statement], is_single_valued: Callable[[str], bool]) -> list[Held]:
    """Every value of every subject and predicate: subjects and predicates by name, then status, then the newest first.

    Where a predicate holds one value at a time, the value that was said last is in force and those before it are
    superseded. A value whose last statement denies it is `denied`. Does not depend on the order given.
    """
    groups: dict[tuple[str, str], dict[str, list[Statement]]] = defaultdict(lambda: defaultdict(list))
    for one in statements:
        groups[fold(one.subject), one.predicate][fold(one.value)].append(one)
    return [
        held
        for (_, predicate), values in sorted(groups.items())
        for held in _held(list(values.values()), is_single=is_single_valued(predicate))
    ]


def _held(values: list[list[Statement]], *, is_single: bool) -> list[Held]:
    """The values of one subject and predicate."""
    ordered = [sorted(of_value, key=lambda s: s.when, reverse=True) for of_value in values]
    said = [s.when for of_value in ordered for s in of_value if s.is_asserted and not s.is_negated]
    newest = max(said, default=("", ""))
    found = []
    for of_value in ordered:
        asserted = [s for s in of_value if s.is_asserted]
        status = _status(asserted, newest if is_single else None)
        decided = asserted[0] if asserted else of_value[0]
        shown = (decided, *(s for s in of_value if s is not decided))
        found.append(Held(decided.predicate, decided.subject, decided.value, status, shown))
    found.sort(key=lambda held: held.statements[0].when, reverse=True)
    return sorted(found, key=lambda held: STATUSES.index(held.status))


def _status(asserted: list[Statement], newest: tuple[str, str] | None) -> str:
    """`asserted` are newest first; `newest` is the last assertion of any value of a predicate that holds only one."""
    if not asserted:
        return NOT_ASSERTED
    if asserted[0].is_negated:
        return DENIED
    return SUPERSEDED if newest is not None and asserted[0].when < newest else IN_FORCE
