"""All that a home does with names: merging them by night, a model's look at what strings leave unsure, the probe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hypermnesia.contracts.labelled import LabelledNames
from hypermnesia.graph_view import UserGraph
from hypermnesia.nightly import Probe, last_night
from hypermnesia.retrieval.overlay import GraphOverlay
from hypermnesia.retrieval.probes import make_probes, recall
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.name_keys import is_readable
from hypermnesia.rules.name_quality import proposal_rates
from hypermnesia.stages.decisions import Decisions
from hypermnesia.stages.judge_entities import JudgeEntities
from hypermnesia.stages.merge_entities import NIGHTLY, MergeEntities

if TYPE_CHECKING:
    from hypermnesia.app import App


class HomeNames:
    """The names of one home."""

    def __init__(self, app: App) -> None:
        self._app = app

    @property
    def decisions(self) -> Decisions:
        """The decisions about names, to be looked at."""
        return Decisions(self._app.lake, self._app.identity)

    def merging(self, since: datetime | None = None, rounds: str = NIGHTLY) -> MergeEntities:
        """The stage that merges names of what came since a time."""
        app = self._app
        model, size = app.embedder.model, app.settings.shard_names
        return MergeEntities(app.lake, app.identity, app.active, model, size, since=since, rounds=rounds)

    def judging(self, since: datetime | None = None, rounds: str = NIGHTLY) -> JudgeEntities:
        """The stage that asks a model about the same pairs."""
        return self._app.model_path.judge(self._app.active, self.merging(since, rounds))

    def stages(self, run_id: str, rounds: str = NIGHTLY) -> Sequence[Any]:
        """The steps of a night: a model is asked where one is configured, then the night's decisions are probed."""
        app, since = self._app, last_night(self._app.lake)
        judged = [self.judging(since, rounds)] if app.settings.generator != "none" else []
        probe = Probe(app.lake, app.identity, app.active, run_id, self._recall)
        return [self.merging(since, rounds), *judged, probe]

    def calibrate(self, pairs: Iterable[LabelledNames]) -> dict[str, Any]:
        """Precision and recall of proposing pairs of names by this model's cosine; names it can't read are counted."""
        embedder, rows = self._app.embedder, list(pairs)
        readable = [row for row in rows if is_readable(row.a) and is_readable(row.b)]
        left = embedder.embed([anchor_key(row.a) or "" for row in readable])
        right = embedder.embed([anchor_key(row.b) or "" for row in readable])
        cosines = [float(c) for c in (left * right).sum(axis=1)]
        return {
            "model": embedder.model,
            "n": len(rows),
            "n_same": sum(row.label for row in rows),
            "n_unreadable": len(rows) - len(readable),
            "thresholds": proposal_rates(cosines, [bool(row.label) for row in readable]),
        }

    def _recall(self, user: str, before: UserGraph, after: UserGraph) -> tuple[float, float]:
        """Of the probes that the graph before gives: how many are found over each graph."""
        history, embedder = self._app.asker.histories.get(user), self._app.embedder
        probes = make_probes(before.frames, before.anchors)
        was, became = (
            recall(probes, GraphOverlay(user, graph.anchors, graph.frames), user, history, embedder)
            for graph in (before, after)
        )
        return was, became
