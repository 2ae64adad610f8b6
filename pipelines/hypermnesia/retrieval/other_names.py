"""Other names, by the graph, of those whom a question names: what merged into them, and who "Nadia's cousin" is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypermnesia.ports import GraphReader
from hypermnesia.retrieval.entry import Entered
from hypermnesia.retrieval.history import History
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.relatives import MY, asked_relatives

#: Types of anchors whose names are proper: of a thing, another name is another word, which similarity knows.
_NAMED = frozenset(["person", "organization", "location"])
MOST_FACTS = 24  # of one relation that are looked at
MOST_NAMES = 6
NAME = "name"  # the role of who somebody's relative is (`rules/linguistic/inventory.py`)


def other_names(
    graph: GraphReader, history: History, user: str, question: str, entered: Sequence[Entered]
) -> tuple[str, ...]:
    """At most `MOST_NAMES` names that the question does not say, of those whom it names, in a total order."""
    said = question.casefold()
    merged = [name for e in entered if e.is_said and e.anchor.type in _NAMED for name in e.anchor.aliases]
    found = dict.fromkeys([*_relatives(graph, history, user, question), *merged])
    return tuple(name for name in found if name.casefold() not in said)[:MOST_NAMES]


def _relatives(graph: GraphReader, history: History, user: str, question: str) -> Iterable[str]:
    for relative in asked_relatives(question):
        owners = _asking(history) if relative.owner == MY else [relative.owner]
        keys = [key for owner in owners if (key := anchor_key(owner))]
        ids = [anchor.anchor_id for anchor in graph.anchors_by_key(user, keys)] if keys else []
        for predicate in relative.predicates:
            ids = _led_to(graph, user, ids, predicate)
        yield from (anchor.name for anchor in graph.anchors(user, ids))


def _asking(history: History) -> list[str]:
    """The speaker who asks, by the role of a user."""
    return [speaker for speaker, role in history.roles.items() if role == "user"]


def _led_to(graph: GraphReader, user: str, owners: Sequence[str], predicate: str) -> list[str]:
    """The anchors that one relation leads to from the owners: never back to them."""
    if not owners:
        return []
    frames = graph.frames_around(user, owners, predicates=[predicate], limit=MOST_FACTS)
    wanted = set(owners)
    led = [f for f in frames if any(r.role != NAME and r.anchor_id in wanted for r in f.roles)]
    return sorted({r.anchor_id for f in led for r in f.roles if r.role == NAME} - wanted)
