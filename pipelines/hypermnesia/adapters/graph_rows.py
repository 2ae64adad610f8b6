"""What graph stores hold of anchors and frames, alike in each: the limits, and the parts kept as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from hypermnesia.ports.graph import Anchor, Citation, Frame, FrameRole, GraphCounts

ID_BYTES = 512  # with a user's name below a server's 8 kB for one entry of an index, as a key is
KEY_BYTES = 4_096
TEXT_BYTES = 65_535  # one name or attribute: a text that is longer belongs to a record
BATCH_ROWS = 5_000
BATCH_BYTES = 4 * 2**20

Row = TypeVar("Row")

pack_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def check_anchor(anchor: Anchor, user_id: str) -> None:
    """Raises `ValueError` for an anchor that no store could hold, or that is another user's."""
    where = f"anchor {anchor.anchor_id[:80]!r}"
    if anchor.user_id != user_id:
        raise ValueError(f"{where} is of another user than the graph it is in")
    _need(where, "anchor_id", anchor.anchor_id, ID_BYTES)
    _need(where, "type", anchor.type, ID_BYTES)
    _need(where, "fingerprint", anchor.fingerprint, ID_BYTES)
    _need(where, "name", anchor.name, TEXT_BYTES)
    for key in anchor.keys:
        _need(where, "key", key, KEY_BYTES)
    for alias in anchor.aliases:
        _need(where, "alias", alias, TEXT_BYTES)
    for member in anchor.members:
        _need(where, "member", member, ID_BYTES)


def check_frame(frame: Frame, user_id: str) -> None:
    """Raises `ValueError` for a frame that no store could hold, or that is another user's."""
    where = f"frame {frame.frame_id[:80]!r}"
    if frame.user_id != user_id:
        raise ValueError(f"{where} is of another user than the graph it is in")
    needed = [frame.frame_id, frame.predicate, frame.fingerprint, *(citation.row_id for citation in frame.citations)]
    for role in frame.roles:
        needed += (role.role, role.anchor_id, role.written_id)
    if not all(needed) or max(map(len, needed)) * 4 > ID_BYTES:  # else there is nothing to look at one by one
        _check_ids(where, frame)
    for name in ("occurrence", "order"):
        _limit(where, name, getattr(frame, name), ID_BYTES)
    for citation in frame.citations:
        for attribute in citation.attributes:
            for text in attribute:
                _limit(where, "attribute", text, TEXT_BYTES)
    if not frame.roles:
        raise ValueError(f"{where} has no role: a frame stands between anchors")
    if len({(role.role, role.written_id) for role in frame.roles}) < len(frame.roles):
        raise ValueError(f"{where} has one role of one written anchor twice")
    if len(frame.citations) > 1 and len({citation.row_id for citation in frame.citations}) < len(frame.citations):
        raise ValueError(f"{where} cites one record twice")


def _check_ids(where: str, frame: Frame) -> None:
    for name in ("frame_id", "predicate", "fingerprint"):
        _need(where, name, getattr(frame, name), ID_BYTES)
    for role in frame.roles:
        for name in ("role", "anchor_id", "written_id"):
            _need(where, name, getattr(role, name), ID_BYTES)
    for citation in frame.citations:
        _need(where, "row_id", citation.row_id, ID_BYTES)


def _need(where: str, name: str, value: str | None, limit: int) -> None:
    if not value:
        raise ValueError(f"{where}: missing_key: its {name} is empty, so it could not be found again")
    _limit(where, name, value, limit)


def _limit(where: str, name: str, value: str, limit: int) -> None:
    if len(value) * 4 > limit and len(value.encode()) > limit:
        raise ValueError(f"{where}: its {name} has {len(value.encode())} bytes, at most {limit} are kept in a graph")


def pack_names(anchor: Anchor) -> str:
    """Aliases, keys and members as one text."""
    return pack_json([anchor.aliases, anchor.keys, anchor.members])


def merged_ids(anchor: Anchor) -> list[str]:
    """The other anchors that merged into this one."""
    return sorted(set(anchor.members) - {anchor.anchor_id})


def unpack_anchor(
    user_id: str, anchor_id: str, type_: str, name: str, names: str, n_records: int, degree: int, fingerprint: str
) -> Anchor:
    """The anchor that was packed."""
    aliases, keys, members = map(tuple, json.loads(names))
    return Anchor(anchor_id, user_id, type_, name, aliases, keys, members, n_records, degree, fingerprint)


def pack_roles(frame: Frame) -> list[list[str]]:
    """(role, kept anchor, written anchor) in the one order in which stores give them."""
    rows = sorted([(r.role, r.written_id, r.anchor_id) for r in frame.roles])
    return [[role, anchor_id, written_id] for role, written_id, anchor_id in rows]


def pack_citations(frame: Frame) -> list[list[Any]]:
    """The citations' fields, sorted by record."""
    rows = [
        [c.row_id, c.modality, c.is_negated, c.said_local, c.event_start, c.event_end, c.event_precision, c.attributes]
        for c in frame.citations
    ]
    return rows if len(rows) == 1 else sorted(rows, key=lambda row: str(row[0]))


def unpack_frame(
    user_id: str,
    head: tuple[str, str, bool, str, str, str],
    roles: Iterable[Sequence[str]],
    citations: Iterable[Sequence[Any]],
) -> Frame:
    """The frame that was packed; `head` is id, predicate, is_event, occurrence, order, fingerprint."""
    frame_id, predicate, is_event, occurrence, order, fingerprint = head
    return Frame(
        frame_id,
        user_id,
        predicate,
        bool(is_event),
        occurrence,
        order,
        tuple(FrameRole(*role) for role in roles),
        tuple(_citation(*fields) for fields in citations),
        fingerprint,
    )


def _citation(
    row_id: str,
    modality: str,
    is_negated: bool,
    said_local: str | None,
    event_start: str | None,
    event_end: str | None,
    event_precision: str,
    attributes: Iterable[tuple[str, str]],
) -> Citation:
    pairs = tuple((key, value) for key, value in attributes)
    return Citation(row_id, modality, is_negated, said_local, event_start, event_end, event_precision, pairs)


def newest_first(places: Iterable[tuple[str, str]], limit: int) -> list[str]:
    """Ids of (order, frame id), each once, newest first, then by id."""
    by_id = sorted(set(places), key=lambda place: place[1])
    return [frame_id for _, frame_id in sorted(by_id, key=lambda place: place[0], reverse=True)[:limit]]


def need_limit(limit: int) -> int:
    """The limit, or `ValueError` for one below 1."""
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    return limit


def batches(
    rows: Iterable[Row], n_bytes: Callable[[Row], int], max_rows: int = BATCH_ROWS, max_bytes: int = BATCH_BYTES
) -> Iterator[list[Row]]:
    """Lists of at most `max_rows` rows and, where one row is not more alone, `max_bytes` bytes."""
    batch: list[Row] = []
    held = 0
    for row in rows:
        size = n_bytes(row)
        if batch and (len(batch) == max_rows or held + size > max_bytes):
            yield batch
            batch, held = [], 0
        batch.append(row)
        held += size
    if batch:
        yield batch


def reconcile(expected: GraphCounts, held: GraphCounts, where: str) -> None:
    """Raises `RuntimeError` where a store does not hold what it should."""
    if differences := expected.differences(held):
        raise RuntimeError(f"{where} holds another graph than the lake: {'; '.join(differences)}: not published")
