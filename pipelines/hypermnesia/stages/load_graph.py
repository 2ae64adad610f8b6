"""load_graph: every user's graph as it follows from the lake into the graph store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from hypermnesia.graph_view import UserGraph, user_graphs
from hypermnesia.ports import GraphBuild, GraphCounts, GraphIndex, Lake, Part
from hypermnesia.rules.activation import Active
from hypermnesia.rules.identity import Identity
from hypermnesia.views import Buckets

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class LoadGraph:
    """Brings the graph store to what the lake holds: what changed is upserted, the rest stays or is dropped."""

    name = "load_graph"

    def __init__(
        self, lake: Lake, identity: Identity, index: GraphIndex, active: Active, *, is_fresh: bool = False
    ) -> None:
        self._buckets = Buckets(lake, identity, active)
        self._identity = identity
        self._index = index
        self._is_fresh = is_fresh

    def load(self) -> Part:
        """Builds and publishes; where nothing changed, the published graph stays.

        Counts anchors and frames: out were written, merged were there already. Users are written at once, as many as
        the store allows, each by one writer: so no two wait for one hub.
        """
        part = Part(tables={})
        total = GraphCounts.of([], [])
        with self._index.build(is_fresh=self._is_fresh) as build:
            before = dict(build.users())
            is_changed = False

            def changed() -> Iterator[UserGraph]:
                nonlocal total
                for graph in self._graphs():
                    total += GraphCounts.of(graph.anchors, graph.frames)
                    part.n_in += len(graph.anchors) + len(graph.frames)
                    if before.pop(graph.user_id, None) != graph.fingerprint:
                        yield graph

            for n_written in _at_once(lambda graph: _apply(build, graph), changed(), self._index.n_writers):
                is_changed = True
                part.n_out += n_written
            for user in before:
                build.drop_user(user)
            part.n_merged = part.n_in - part.n_out
            if is_changed or before or self._is_fresh or self._index.published() is None:
                build.publish(total)
        if before:
            part.reasons["dropped_users"] = len(before)
        return part

    def _graphs(self) -> Iterator[UserGraph]:
        for number in self._buckets.numbers():
            yield from user_graphs(self._buckets.open(number), self._identity)


def _apply(build: GraphBuild, graph: UserGraph) -> int:
    """Writes what differs of one user's graph; returns how many anchors and frames were written."""
    stale = dict(build.present(graph.user_id))
    anchors = [a for a in graph.anchors if stale.pop(a.anchor_id, None) != a.fingerprint]
    frames = [f for f in graph.frames if stale.pop(f.frame_id, None) != f.fingerprint]
    build.apply(graph.user_id, graph.fingerprint, anchors, frames, stale)
    return len(anchors) + len(frames)


def _at_once(work: Callable[[Item], Answer], items: Iterator[Item], n_threads: int) -> Iterator[Answer]:
    """What `work` gives for each item, in order; the first error ends it. At most two items a thread are held."""
    if n_threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        running: deque[Future[Answer]] = deque()
        for item in items:
            running.append(pool.submit(work, item))
            if len(running) >= 2 * n_threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
