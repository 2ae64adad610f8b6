"""The predicates of stable facts: their sentence, the role of their value, and what kind of fact they are."""

from __future__ import annotations

from dataclasses import dataclass

from hypermnesia.rules.linguistic.lexicon import KIN


@dataclass(frozen=True, slots=True)
class Predicate:
    """One predicate. `says` stands between subject and value, for one and for several ("lives in", "live in").

    `role` is the value's in the frame; `value_type` its anchor type where the predicate says more of it than a tagger
    does (whom one works at is an organization). Core facts belong to a user's current view; of a single-valued one
    the newest is in force.
    """

    name: str
    says: tuple[str, str]
    role: str = "object"
    is_core: bool = False
    is_single_valued: bool = False
    value_type: str | None = None

    @property
    def denies(self) -> tuple[str, str]:
        """What stands between subject and value where the fact is denied."""
        verb, _, rest = self.says[1].partition(" ")
        if verb == "are":
            return f"is not {rest}".strip(), f"are not {rest}".strip()
        return f"does not {self.says[1]}", f"do not {self.says[1]}"


FAVOURITE = "favourite_"

_PREDICATES = (
    Predicate("lives_in", ("lives in", "live in"), "place", is_core=True, is_single_valued=True, value_type="location"),
    Predicate("moved_to", ("moved to", "moved to"), "place", value_type="location"),
    Predicate("from", ("is from", "are from"), "source", is_core=True, is_single_valued=True, value_type="location"),
    Predicate("grew_up_in", ("grew up in", "grew up in"), "place", is_core=True, is_single_valued=True),
    Predicate(
        "works_at", ("works at", "work at"), "place", is_core=True, is_single_valued=True, value_type="organization"
    ),
    Predicate("job", ("is", "are"), is_core=True, is_single_valued=True),
    Predicate("teaches", ("teaches", "teach"), is_core=True),
    Predicate("studies", ("studies", "study"), is_core=True),
    Predicate("studies_at", ("studies at", "study at"), "place", is_core=True, value_type="organization"),
    Predicate(
        "graduated_from", ("graduated from", "graduated from"), "source", is_core=True, value_type="organization"
    ),
    Predicate("allergic_to", ("is allergic to", "are allergic to"), "topic", is_core=True),
    Predicate("diet", ("is", "are"), is_core=True),
    Predicate("health", ("has", "have"), is_core=True),
    Predicate("likes", ("likes", "like")),
    Predicate("dislikes", ("dislikes", "dislike")),
    Predicate("hobby", ("is into", "are into"), "topic"),
    Predicate("plays", ("plays", "play")),
    Predicate("speaks", ("speaks", "speak"), is_core=True),
    Predicate("owns", ("owns", "own")),
    Predicate("has_pet", ("has", "have"), is_core=True),
    Predicate("named", ("named", "named"), "name", is_core=True),
    Predicate(
        "married_to",
        ("is married to", "are married to"),
        "companion",
        is_core=True,
        is_single_valued=True,
        value_type="person",
    ),
    Predicate("birthday", ("has the birthday", "have the birthday"), is_core=True, is_single_valued=True),
    Predicate("age", ("is", "are"), is_core=True, is_single_valued=True),
    Predicate("has_family", ("has", "have"), is_core=True),
    *(
        Predicate(name, (f"has the {name}", f"have the {name}"), "name", is_core=True)
        for name in sorted(set(KIN.values()))
    ),
)
PREDICATES = {p.name: p for p in _PREDICATES}

#: Facts of a user's current view; favourites (`is_core`) are too.
CORE_PREDICATES = frozenset(p.name for p in _PREDICATES if p.is_core)
#: Facts that hold one value at a time; favourites (`is_single_valued`) do too.
SINGLE_VALUED = frozenset(p.name for p in _PREDICATES if p.is_single_valued)


def is_core(name: str) -> bool:
    """Whether facts of a predicate belong to a current view."""
    return name in CORE_PREDICATES or name.startswith(FAVOURITE)


def is_single_valued(name: str) -> bool:
    """Whether the newest fact of a predicate replaces the one before."""
    return name in SINGLE_VALUED or name.startswith(FAVOURITE)


def predicate_of(name: str) -> Predicate:
    """A predicate by its name; every favourite is one. KeyError for a name that is none."""
    if name.startswith(FAVOURITE):
        thing = name.removeprefix(FAVOURITE).replace("_", " ")
        return Predicate(name, (f"has the favourite {thing}", f"have the favourite {thing}"), "object", True, True)
    return PREDICATES[name]
