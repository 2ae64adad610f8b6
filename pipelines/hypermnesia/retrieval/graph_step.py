"""The graph's part of one question: where it enters, which frames fit, which records they cite, what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hypermnesia.ports import Frame, GraphReader
from hypermnesia.retrieval.entry import Entered, enter
from hypermnesia.retrieval.facts import facts
from hypermnesia.retrieval.graphs import Graphs
from hypermnesia.retrieval.history import History, Vectors
from hypermnesia.retrieval.lanes import MOST_FRAMES, Matched, base_frames, cited_rows, frames_asked, score_frames
from hypermnesia.retrieval.other_names import other_names
from hypermnesia.retrieval.tokens import terms
from hypermnesia.rules.linguistic.inventory import is_single_valued
from hypermnesia.rules.planning import Plan
from hypermnesia.rules.relations import asked_predicates

MOST_SHOWN = 20  # frames in `explain`


@dataclass(frozen=True, slots=True)
class GraphView:
    """What the graph says to a question. `cited` are row_id -> score, best first; `around` is the base lane.

    `known_as` are other names of those whom the question names.
    """

    entered: tuple[Entered, ...] = ()
    predicates: tuple[str, ...] = ()
    matched: tuple[Matched, ...] = ()
    cited: Mapping[str, float] = field(default_factory=dict)
    around: frozenset[str] = frozenset()
    facts: list[dict[str, Any]] = field(default_factory=list)
    known_as: tuple[str, ...] = ()


NOTHING = GraphView()


class GraphStep:
    """Asks the published graph."""

    def __init__(self, graphs: Graphs) -> None:
        self._graphs = graphs

    def view(
        self, history: History, user: str, question: str, vector: Vectors, planned: Plan
    ) -> tuple[GraphView, str | None]:
        """What the graph says, and None; or nothing, and why the graph could not be read.

        Every error of the store is caught here and told to the caller, who says it in the answer: a graph that
        errs is no empty answer (DESIGN 7).
        """
        try:
            with self._graphs.lend() as graph:
                return read_graph(graph, history, user, question, vector, planned), None
        except Exception as error:
            return NOTHING, f"the graph could not be read, rows are by text alone: {type(error).__name__}: {error}"


def read_graph(
    graph: GraphReader, history: History, user: str, question: str, vector: Vectors, planned: Plan
) -> GraphView:
    """What one graph says to a question over a history."""
    entered = enter(graph, user, history.names, question, vector)
    said = [e.anchor.anchor_id for e in entered if e.is_said]
    predicates = asked_predicates(terms([question])[0], history.predicates)
    asked = (_known(f, history) for f in frames_asked(graph, user, said, predicates, planned))
    frames = [frame for frame in asked if frame.citations]
    around = [_known(f, history) for f in base_frames(graph, user, entered)]
    names = _names(graph, user, frames)
    matched = score_frames(frames, names, said, predicates, question, planned)
    near = {c.row_id for f in around for c in f.citations}
    return GraphView(
        entered=tuple(entered),
        predicates=tuple(predicates),
        matched=tuple(matched[:MOST_SHOWN]),
        cited=cited_rows(matched[:MOST_FRAMES]),
        around=_with_neighbours(near, history),
        facts=facts(matched, names, is_single_valued, planned.budgets[1]),
        known_as=other_names(graph, history, user, question, entered),
    )


def _with_neighbours(row_ids: Iterable[str], history: History) -> frozenset[str]:
    """Rows with the turns just before and after them in their session."""
    found = set(row_ids)
    places = [history.places[row_id] for row_id in found if row_id in history.places]
    beside = (int(history.near[step][place]) for place in places for step in (-1, 1))
    return frozenset(found | {history.rows[place].row_id for place in beside if place >= 0})


def _known(frame: Frame, history: History) -> Frame:
    """The frame with those citations that the history holds: what was said later than asked is out."""
    if history.by_id.keys() >= {c.row_id for c in frame.citations}:
        return frame
    return replace(frame, citations=tuple(c for c in frame.citations if c.row_id in history.by_id))


def _names(graph: GraphReader, user: str, frames: list[Frame]) -> dict[str, str]:
    ids = sorted({role.anchor_id for frame in frames for role in frame.roles})
    return {anchor.anchor_id: anchor.name for anchor in graph.anchors(user, ids)}
