"""Other names of those whom a question names, read off a graph in memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from rows_in_memory import BagOfWords, EmptyGraph, MemoryIndex, make_rows

from hypermnesia.ports.graph import Anchor, Frame, FrameRole
from hypermnesia.retrieval.ask import Asker
from hypermnesia.retrieval.entry import Entered
from hypermnesia.retrieval.history import build_history
from hypermnesia.retrieval.other_names import MOST_NAMES, other_names
from hypermnesia.rules.anchor_keys import anchor_key

TALK = [
    ("Nadia", "My cousin Leyla came by."),
    ("Theo", "How nice."),
    ("Nadia", "Leyla found a flat in Ghent."),
    ("Theo", "My cousin found a flat as well."),
    *[("Theo", f"The weather of day {n} was dull.") for n in range(20)],
]


def person(name: str, *others: str) -> Anchor:
    aliases = (name, *others)
    keys = tuple(key for alias in aliases if (key := anchor_key(alias)))
    return Anchor(name, "nadia", "person", name, aliases, keys, (name,), 1, 1, "")


def relation(predicate: str, owner: str, name: str) -> Frame:
    roles = (FrameRole("agent", owner, owner), FrameRole("name", name, name))
    return Frame(f"{owner} {predicate}", "nadia", predicate, False, "", "", roles, (), "")


class SmallGraph(EmptyGraph):
    """The relatives of a few people."""

    people = (person("Nadia"), person("Leyla", "Leyla Demir"), person("Theo"), person("Elias"))
    told = (
        relation("cousin", "Nadia", "Leyla"),
        relation("son", "Leyla", "Elias"),
        relation("cousin", "Theo", "Nadia"),
    )

    def anchors(self, user: str, ids: Sequence[str]) -> list[Anchor]:
        return [p for p in self.people if p.anchor_id in ids]

    def anchors_by_key(self, user: str, keys: Sequence[str]) -> list[Anchor]:
        return [p for p in self.people if set(p.keys) & set(keys)]

    def frames_around(self, user: str, ids: Sequence[str], *, predicates: Any = None, limit: int = 240) -> list[Frame]:
        around = [f for f in self.told if {r.anchor_id for r in f.roles} & set(ids)]
        return [f for f in around if predicates is None or f.predicate in predicates]


def named(question: str, *entered: Anchor, roles: dict[str, str] | None = None) -> tuple[str, ...]:
    history = build_history(make_rows(TALK, user="nadia", roles=roles))
    return other_names(SmallGraph(), history, "nadia", question, [Entered(a, 1.0, True) for a in entered])  # type: ignore[arg-type]


def test_a_relative_is_known_by_name_along_a_chain_and_never_backwards() -> None:
    assert named("Where does Nadia's cousin live?") == ("Leyla",)
    assert named("What is Nadia's cousin's son called?") == ("Elias",)
    assert named("What is my cousin's son called?", roles={"Nadia": "user"}) == ("Elias",)
    assert named("Where does Leyla's cousin live?") == ()
    assert named("Where does Omar's cousin live?") == ()
    assert named("Where does Nadia's uncle live?") == ()


def test_what_merged_into_somebody_is_another_name_of_a_bounded_number() -> None:
    assert named("Where does Leyla live?", person("Leyla", "Leyla Demir")) == ("Leyla Demir",)
    thing = dataclasses.replace(person("flat", "apartment"), type="object")
    assert named("Where is the flat?", thing) == ()
    assert len(named("Who is A?", person("A", *(f"A{n}" for n in range(20))))) == MOST_NAMES


def test_a_question_about_somebodys_cousin_finds_what_is_said_of_her_by_name() -> None:
    index = MemoryIndex(make_rows(TALK, user="nadia"))
    asker = Asker(index, SmallGraph(), BagOfWords())  # type: ignore[arg-type]
    found = asker.ask("nadia", "Where is the flat of Nadia's cousin?", explain=True)
    assert found["explain"]["plan"]["known_as"] == ["Leyla"]
    assert found["rows"][0]["text"] == "Leyla found a flat in Ghent."
