"""One user's graph in memory, read as a published one: what decisions would do, before they are published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypermnesia.ports import Anchor, Frame, GraphCounts


class GraphOverlay:
    """A `GraphReader` of one user's anchors and frames, and the published graph that it reads."""

    generation = "overlay"

    def __init__(self, user_id: str, anchors: Iterable[Anchor], frames: Iterable[Frame]) -> None:
        self._user = user_id
        self._anchors = sorted(anchors, key=lambda a: a.anchor_id)
        self._frames = sorted(frames, key=lambda f: f.frame_id)
        self._frames.sort(key=lambda f: f.order, reverse=True)
        self._around: dict[str, list[Frame]] = {}
        for frame in self._frames:
            for anchor_id in {role.anchor_id for role in frame.roles}:
                self._around.setdefault(anchor_id, []).append(frame)

    def published(self) -> str:
        """Itself."""
        return self.generation

    def reader(self) -> GraphOverlay:
        """Itself."""
        return self

    def anchors(self, user_id: str, anchor_ids: Sequence[str]) -> Sequence[Anchor]:
        """Those of the anchors that there are; a merged id finds its kept anchor."""
        wanted = set(anchor_ids)
        return [a for a in self._anchors if user_id == self._user and not wanted.isdisjoint((a.anchor_id, *a.members))]

    def anchors_by_key(self, user_id: str, keys: Sequence[str]) -> Sequence[Anchor]:
        """The anchors that have one of the keys."""
        wanted = set(keys)
        return [a for a in self._anchors if user_id == self._user and not wanted.isdisjoint(a.keys)]

    def user_anchors(self, user_id: str) -> Sequence[Anchor]:
        """All anchors."""
        return self._anchors if user_id == self._user else []

    def frames(self, user_id: str, frame_ids: Sequence[str]) -> Sequence[Frame]:
        """Those of the frames that there are, by id."""
        found = [f for f in self._frames if user_id == self._user and f.frame_id in set(frame_ids)]
        return sorted(found, key=lambda f: f.frame_id)

    def frames_around(
        self, user_id: str, anchor_ids: Sequence[str], *, predicates: Sequence[str] | None = None, limit: int = 240
    ) -> Sequence[Frame]:
        """Frames of any of the anchors, capped at `limit` an (anchor, predicate), then all together."""
        if user_id != self._user:
            return []
        taken: dict[str, Frame] = {}
        for anchor_id in set(anchor_ids):
            counts: dict[str, int] = {}
            for frame in self._around.get(anchor_id, ()):
                if predicates is not None and frame.predicate not in predicates:
                    continue
                group = frame.predicate if predicates is not None else ""
                counts[group] = counts.get(group, 0) + 1
                if counts[group] <= limit:
                    taken[frame.frame_id] = frame
        return [f for f in self._frames if f.frame_id in taken][:limit]

    def frames_joining(
        self, user_id: str, anchor_ids: Sequence[str], *, predicates: Sequence[str] | None = None, limit: int = 240
    ) -> Sequence[Frame]:
        """Frames of all of the anchors."""
        found = (
            f for f in self._frames if user_id == self._user and anchor_ids and all(_has(f, a) for a in anchor_ids)
        )
        return [f for f in found if predicates is None or f.predicate in predicates][:limit]

    def frames_citing(self, user_id: str, row_ids: Sequence[str]) -> Sequence[Frame]:
        """Frames that cite one of the records, by id."""
        wanted = set(row_ids)
        found = [f for f in self._frames if user_id == self._user and any(c.row_id in wanted for c in f.citations)]
        return sorted(found, key=lambda f: f.frame_id)

    def counts(self, user_id: str | None = None) -> GraphCounts:
        """How much there is."""
        return GraphCounts.of(self._anchors, self._frames) if user_id in (None, self._user) else GraphCounts.of([], [])

    def close(self) -> None:
        """Nothing is held."""


def _has(frame: Frame, anchor_id: str) -> bool:
    return any(role.anchor_id == anchor_id for role in frame.roles)
