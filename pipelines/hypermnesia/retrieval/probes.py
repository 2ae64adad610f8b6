"""Probes: questions made of frames whose citing records are known, asked before and after a night (DESIGN 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypermnesia.ports import Anchor, Embedder, Frame, GraphReader
from hypermnesia.retrieval.graph_step import read_graph
from hypermnesia.retrieval.history import History
from hypermnesia.rules.planning import plan
from hypermnesia.rules.signals import ACTING

MOST_PROBES = 20  # of one user
DEPTH = 12  # records among which the citing one must be


@dataclass(frozen=True, slots=True)
class Probe:
    """One question, and the records that a frame cites for it."""

    question: str
    row_ids: frozenset[str]


def make_probes(frames: Sequence[Frame], anchors: Sequence[Anchor]) -> list[Probe]:
    """Questions of some frames that say who does what to what: every so many-th by id, so that nobody picks them."""
    names = {anchor.anchor_id: anchor.name for anchor in anchors}
    asked = [probe for frame in sorted(frames, key=lambda f: f.frame_id) if (probe := _probe(frame, names))]
    step = max(1, len(asked) // MOST_PROBES)
    return asked[::step][:MOST_PROBES]


def _probe(frame: Frame, names: Mapping[str, str]) -> Probe | None:
    actor = next((names.get(r.anchor_id) for r in frame.roles if r.role in ACTING), None)
    other = next((names.get(r.anchor_id) for r in frame.roles if r.role not in ACTING), None)
    row_ids = frozenset(c.row_id for c in frame.citations if c.modality != "question")
    if not actor or not other or not row_ids:
        return None
    return Probe(f"What did {actor} {frame.predicate.replace('_', ' ')} about {other}?", row_ids)


def recall(probes: Sequence[Probe], graph: GraphReader, user: str, history: History, embedder: Embedder) -> float:
    """The mean share of a probe's records among the first `DEPTH` that the graph cites for it; 0 without probes."""
    if not probes:
        return 0.0
    vectors = embedder.embed([probe.question for probe in probes])
    total = 0.0
    for probe, vector in zip(probes, vectors, strict=True):
        view = read_graph(graph, history, user, probe.question, vector, plan(probe.question))
        first = set(list(view.cited)[:DEPTH])
        total += len(probe.row_ids & first) / min(len(probe.row_ids), DEPTH)
    return total / len(probes)
