"""The hypergraph of one user's anchors and frames: what it holds, and how it is built and read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hypermnesia.ports.builds import Build


class GraphUnavailableError(RuntimeError):
    """The store does not answer, or its files are damaged: an error, not an empty answer."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """One entity under its kept id. `aliases` are the names as written, `keys` their anchor keys, both sorted.

    `members` are the original anchors that merged into it, itself among them. `degree` counts the frames
    that it has a role in; hubs have many. `n_records` are the records that name it.
    """

    anchor_id: str
    user_id: str
    type: str
    name: str
    aliases: tuple[str, ...]
    keys: tuple[str, ...]
    members: tuple[str, ...]
    n_records: int
    degree: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class FrameRole:
    """One place of a frame: the kept anchor that stands there, and the one that was written."""

    role: str
    anchor_id: str
    written_id: str


@dataclass(frozen=True, slots=True)
class Citation:
    """One record's support for a frame. Times are civil ISO; `attributes` are (key, value), sorted."""

    row_id: str
    modality: str
    is_negated: bool
    said_local: str | None
    event_start: str | None
    event_end: str | None
    event_precision: str
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """One statement over two or more anchors, with everything that supports it.

    `order` is its newest time (civil ISO, "" where unknown): frames are read newest first, then by id.
    `occurrence` is the day or occasion that makes an event itself; "" for a state. `roles` are sorted.
    """

    frame_id: str
    user_id: str
    predicate: str
    is_event: bool
    occurrence: str
    order: str
    roles: tuple[FrameRole, ...]
    citations: tuple[Citation, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """How much a graph holds; parts of one add up.

    `checksum` is the sum of `entry_checksum` over its anchors and frames, None where nobody made it: then
    only the numbers are compared.
    """

    n_anchors: int
    n_frames: int
    n_roles: int
    n_citations: int
    checksum: int | None = None

    @classmethod
    def of(cls, anchors: Sequence[Anchor], frames: Sequence[Frame]) -> GraphCounts:
        """What a store holds that holds these."""
        return cls(
            n_anchors=len(anchors),
            n_frames=len(frames),
            n_roles=sum(len(frame.roles) for frame in frames),
            n_citations=sum(len(frame.citations) for frame in frames),
            checksum=sum(entry_checksum(a.user_id, a.anchor_id, a.fingerprint) for a in anchors)
            + sum(entry_checksum(f.user_id, f.frame_id, f.fingerprint) for f in frames),
        )

    def __add__(self, other: GraphCounts) -> GraphCounts:
        is_summed = self.checksum is not None and other.checksum is not None
        return GraphCounts(
            self.n_anchors + other.n_anchors,
            self.n_frames + other.n_frames,
            self.n_roles + other.n_roles,
            self.n_citations + other.n_citations,
            (self.checksum or 0) + (other.checksum or 0) if is_summed else None,
        )

    def differences(self, held: GraphCounts) -> list[str]:
        """ "frames: 3, not 4" for each number in which a store that should hold this differs."""
        names = [name for name in self.__slots__ if getattr(self, name) is not None]
        pairs = [(name.removeprefix("n_"), getattr(held, name), getattr(self, name)) for name in names]
        return [f"{name}: {there}, not {wanted}" for name, there, wanted in pairs if there != wanted]


def entry_checksum(user_id: str, entry_id: str, fingerprint: str) -> int:
    """32 bits of one anchor or frame of one user. Stores add them up, so that order and pieces do not matter."""
    parts = f"{len(user_id)}:{user_id}{len(entry_id)}:{entry_id}{fingerprint}"
    return int.from_bytes(hashlib.blake2b(parts.encode(), digest_size=4).digest())


class GraphReader(Protocol):
    """One published graph, read-only. Every call names one user; an empty user is a `ValueError`.

    Answers are in a total order, the same in every store; text is ordered by its code points. Ids that
    nobody has find nothing. An embedded store's reader keeps its generation; a server's shows what is
    committed (see the adapter). Several threads may use one reader.
    """

    generation: str

    def anchors(self, user_id: str, anchor_ids: Sequence[str]) -> Sequence[Anchor]:
        """Those of the kept anchors that there are, sorted by id; a merged id finds its kept anchor."""
        ...

    def anchors_by_key(self, user_id: str, keys: Sequence[str]) -> Sequence[Anchor]:
        """The anchors that have one of the anchor keys as an alias, sorted by id."""
        ...

    def user_anchors(self, user_id: str) -> Sequence[Anchor]:
        """All anchors of a user, sorted by id."""
        ...

    def frames(self, user_id: str, frame_ids: Sequence[str]) -> Sequence[Frame]:
        """Those of the frames that there are, sorted by id."""
        ...

    def frames_around(
        self, user_id: str, anchor_ids: Sequence[str], *, predicates: Sequence[str] | None = None, limit: int = 240
    ) -> Sequence[Frame]:
        """Frames in which one of the kept anchors has a role, newest first, then by id, at most `limit`.

        Filtered by predicate inside the store, then capped at `limit` an (anchor, predicate), or an anchor
        where `predicates` is None; then all together at `limit`. No predicates ([]) find nothing.
        """
        ...

    def frames_joining(
        self,
        user_id: str,
        anchor_ids: Sequence[str],
        *,
        predicates: Sequence[str] | None = None,
        limit: int = 240,
    ) -> Sequence[Frame]:
        """Frames in which every one of the anchors has a role, newest first, then by id, at most `limit`.

        Exact: joined from the rarest anchor before any cap. No anchors find nothing.
        """
        ...

    def frames_citing(self, user_id: str, row_ids: Sequence[str]) -> Sequence[Frame]:
        """Frames that cite one of the records, sorted by id."""
        ...

    def counts(self, user_id: str | None = None) -> GraphCounts:
        """Of one user, or of the whole store where it is None (for checks, never for answers)."""
        ...

    def close(self) -> None:
        """Gives back what the reader holds."""
        ...


class GraphBuild(Build, Protocol):
    """A graph being brought to what the lake holds. Loading the same twice changes nothing.

    Several threads may use one build, each for users of its own: one writer a user.
    """

    def users(self) -> Mapping[str, str]:
        """user_id -> fingerprint of the user's whole graph as last applied; "" where that was cut off."""
        ...

    def present(self, user_id: str) -> Mapping[str, str]:
        """Anchor and frame id -> fingerprint of what the build holds of a user."""
        ...

    def apply(
        self,
        user_id: str,
        fingerprint: str,
        anchors: Iterable[Anchor],
        frames: Iterable[Frame],
        dropped: Iterable[str],
    ) -> None:
        """Upserts anchors, then frames with their roles and citations; drops ids; then marks the user as whole.

        What is cut off in the middle leaves the user as it was, or without a mark, so that the next run
        goes on from `present`. Raises `ValueError` for what no store could hold (an empty id or key, another
        user's row, a role of an anchor that is not there), before its batch is written.
        """
        ...

    def drop_user(self, user_id: str) -> None:
        """Drops everything of a user."""
        ...

    def publish(self, expected: GraphCounts) -> str:
        """Counts what is held, then publishes; returns the generation's name.

        Raises `RuntimeError` where it differs from `expected`: what is published then stays.
        """
        ...

    def abandon(self) -> None:
        """Drops the build; a server, which has no drafts, keeps what was applied, and the next run goes on."""
        ...


class GraphIndex(Protocol):
    """The graph store: one writer a user, many readers. `n_writers` users may be loaded at once."""

    n_writers: int

    def published(self) -> str | None:
        """The published generation's name, or None before the first."""
        ...

    def reader(self) -> GraphReader:
        """A reader of the published graph. Raises `LookupError` before the first."""
        ...

    def build(self, *, is_fresh: bool) -> GraphBuild:
        """A build that starts from what is published, or from nothing where `is_fresh`."""
        ...

    def entries(self) -> Iterator[tuple[str, str, str]]:
        """(user_id, anchor or frame id, fingerprint) of everything published: what `digest graph` covers."""
        ...
