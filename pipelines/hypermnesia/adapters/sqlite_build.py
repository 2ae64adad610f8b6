"""One graph being written into a draft's SQLite file."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from hypermnesia.adapters.generations import Draft
from hypermnesia.adapters.graph_rows import (
    batches,
    check_anchor,
    check_frame,
    pack_citations,
    pack_json,
    pack_names,
    pack_roles,
    reconcile,
)
from hypermnesia.adapters.sqlite_schema import FILE, open_draft, open_published
from hypermnesia.ports.builds import Build
from hypermnesia.ports.graph import Anchor, Frame, GraphCounts, entry_checksum
from hypermnesia.rules.identity import need_user

UPSERT_ANCHOR = """
INSERT INTO anchors (user, anchor_id, type, name, names, n_records, degree, fingerprint, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (user, anchor_id) DO UPDATE SET type = excluded.type, name = excluded.name, names = excluded.names,
n_records = excluded.n_records, degree = excluded.degree, fingerprint = excluded.fingerprint,
checksum = excluded.checksum RETURNING anchor
"""
MARK_USER = """
INSERT INTO users (user_id, fingerprint) VALUES (?, ?)
ON CONFLICT (user_id) DO UPDATE SET fingerprint = excluded.fingerprint
"""
INSERT_FRAME = """
INSERT INTO frames (user, frame_id, predicate, is_event, occurrence, "order", details, fingerprint, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
PLACE_KEY = 'user = ? AND anchor = ? AND predicate = ? AND "order" = ? AND frame_id = ?'
USER_TABLES = ("anchors", "members", "keys", "frames", "places", "citations")


class SqliteGraphBuild(Build):
    """A generation's graph being made; see `GraphBuild`. One user's `apply` is one transaction."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._path = draft.path / FILE
        self._connection = open_draft(self._path)
        self._lock = threading.RLock()

    def users(self) -> Mapping[str, str]:
        """user_id -> fingerprint of the user's whole graph as last applied."""
        with self._lock:
            return dict(self._connection.execute("SELECT user_id, fingerprint FROM users"))

    def present(self, user_id: str) -> Mapping[str, str]:
        """Anchor and frame id -> fingerprint of what the build holds of a user."""
        need_user(user_id)
        with self._lock:
            user = self._find(user_id)
            query = "SELECT {0}_id, fingerprint FROM {0}s WHERE user = ?"
            return {
                entry_id: fingerprint
                for kind in ("anchor", "frame")
                for entry_id, fingerprint in self._connection.execute(query.format(kind), (user,))
            }

    def apply(
        self,
        user_id: str,
        fingerprint: str,
        anchors: Iterable[Anchor],
        frames: Iterable[Frame],
        dropped: Iterable[str],
    ) -> None:
        """Upserts anchors, then frames; drops ids; marks the user. An error leaves the user as it was."""
        need_user(user_id)
        with self._transaction() as connection:
            connection.execute(MARK_USER, (user_id, fingerprint))
            user = self._find(user_id)
            for anchor in anchors:
                check_anchor(anchor, user_id)
                self._upsert_anchor(user, anchor)
            for batch in batches(frames, lambda frame: 200 * len(frame.citations)):
                self._upsert_frames(user, user_id, batch)
            self._drop(user, dropped)

    def drop_user(self, user_id: str) -> None:
        """Drops everything of a user."""
        need_user(user_id)
        with self._transaction() as connection:
            user = self._find(user_id)
            for table in (*USER_TABLES, "users"):
                connection.execute(f"DELETE FROM {table} WHERE user = ?", (user,))

    def publish(self, expected: GraphCounts) -> str:
        """Closes, reopens and counts, then swaps the pointer; returns the generation's name.

        Raises `RuntimeError` where it does not hold what is expected: the published generation then stays.
        """
        with self._lock:
            self._connection.close()
            published = open_published(self._path)
            try:
                reconcile(expected, count(published, None), str(self._path))
            finally:
                published.close()
            self._draft.publish()
            return self._draft.name

    def abandon(self) -> None:
        """Drops the build; nothing happens where it was published."""
        with self._lock:
            self._connection.close()
            self._draft.abandon()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _find(self, user_id: str) -> int:
        row = self._connection.execute("SELECT user FROM users WHERE user_id = ?", (user_id,)).fetchone()
        return row[0] if row else -1

    def _upsert_anchor(self, user: int, anchor: Anchor) -> None:
        """Also moves ids that merged into it here from the anchor that had them; that one may come later."""
        old = self._connection.execute(
            "SELECT anchor, names FROM anchors WHERE user = ? AND anchor_id = ?", (user, anchor.anchor_id)
        ).fetchone()
        if old:
            self._drop_names(user, *old)
        checksum = entry_checksum(anchor.user_id, anchor.anchor_id, anchor.fingerprint)
        head = (anchor.anchor_id, anchor.type, anchor.name, pack_names(anchor))
        tail = (anchor.n_records, anchor.degree, anchor.fingerprint, checksum)
        (number,) = self._connection.execute(UPSERT_ANCHOR, (user, *head, *tail)).fetchone()
        members = {anchor.anchor_id, *anchor.members}
        self._connection.executemany(
            "INSERT OR REPLACE INTO members VALUES (?, ?, ?)", ((user, member, number) for member in members)
        )
        self._connection.executemany("INSERT INTO keys VALUES (?, ?, ?)", ((user, k, number) for k in set(anchor.keys)))

    def _drop_names(self, user: int, number: int, names: str) -> None:
        _, keys, members = json.loads(names)
        anchor_id = self._connection.execute("SELECT anchor_id FROM anchors WHERE anchor = ?", (number,)).fetchone()
        self._connection.executemany(
            "DELETE FROM members WHERE user = ? AND member_id = ? AND anchor = ?",
            ((user, member, number) for member in {*anchor_id, *members}),
        )
        self._connection.executemany(
            "DELETE FROM keys WHERE user = ? AND key = ? AND anchor = ?", ((user, key, number) for key in set(keys))
        )

    def _upsert_frames(self, user: int, user_id: str, frames: Sequence[Frame]) -> None:
        """Replaces frames whole, with their places and citations."""
        for frame in frames:
            check_frame(frame, user_id)
        by_id = {frame.frame_id: frame for frame in frames}
        self._drop_frames(user, by_id)
        numbers = self._anchor_numbers(user, {role.anchor_id for frame in by_id.values() for role in frame.roles})
        heads: list[tuple[Any, ...]] = []
        places: list[tuple[Any, ...]] = []
        citations: list[tuple[Any, ...]] = []
        for frame in by_id.values():
            roles, cited = pack_roles(frame), pack_citations(frame)
            checksum = entry_checksum(user_id, frame.frame_id, frame.fingerprint)
            head = (user, frame.frame_id, frame.predicate, int(frame.is_event), frame.occurrence, frame.order)
            heads.append((*head, pack_json([roles, cited]), frame.fingerprint, checksum))
            for role, anchor_id, written_id in roles:
                if anchor_id not in numbers:
                    raise ValueError(f"frame {frame.frame_id} has a role of the anchor {anchor_id}, which is not there")
                place = (frame.predicate, frame.order, frame.frame_id, role, written_id)
                places.append((user, numbers[anchor_id], *place))
            citations.extend((user, row[0], frame.frame_id) for row in cited)
        self._connection.executemany(INSERT_FRAME, heads)
        self._connection.executemany("INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?)", sorted(places))
        self._connection.executemany("INSERT INTO citations VALUES (?, ?, ?)", sorted(citations))

    def _anchor_numbers(self, user: int, anchor_ids: Iterable[str]) -> dict[str, int]:
        query = "SELECT anchor FROM anchors WHERE user = ? AND anchor_id = ?"
        found = {anchor_id: self._connection.execute(query, (user, anchor_id)).fetchone() for anchor_id in anchor_ids}
        return {anchor_id: row[0] for anchor_id, row in found.items() if row}

    def _drop(self, user: int, entry_ids: Iterable[str]) -> None:
        """Frames first: an anchor that stands in one that stays is refused."""
        ids = sorted(set(entry_ids))
        self._drop_frames(user, ids)
        for anchor_id in ids:
            query = "SELECT anchor, names FROM anchors WHERE user = ? AND anchor_id = ?"
            row = self._connection.execute(query, (user, anchor_id)).fetchone()
            if row is None:
                continue
            query = "SELECT frame_id FROM places WHERE user = ? AND anchor = ? LIMIT 1"
            if place := self._connection.execute(query, (user, row[0])).fetchone():
                raise ValueError(f"the anchor {anchor_id} can't be dropped: it stands in the frame {place[0]}")
            self._drop_names(user, *row)
            self._connection.execute("DELETE FROM anchors WHERE anchor = ?", (row[0],))

    def _drop_frames(self, user: int, frame_ids: Iterable[str]) -> None:
        """By the keys that the frame itself names: places and citations need no index by frame."""
        query = 'DELETE FROM frames WHERE user = ? AND frame_id = ? RETURNING predicate, "order", details'
        for frame_id in frame_ids:
            row = self._connection.execute(query, (user, frame_id)).fetchone()
            if row is None:
                continue
            predicate, order, details = row
            roles, citations = json.loads(details)
            for number in self._anchor_numbers(user, {anchor_id for _, anchor_id, _ in roles}).values():
                place = (user, number, predicate, order, frame_id)
                self._connection.execute(f"DELETE FROM places WHERE {PLACE_KEY}", place)
            self._connection.executemany(
                "DELETE FROM citations WHERE user = ? AND row_id = ? AND frame_id = ?",
                ((user, citation[0], frame_id) for citation in citations),
            )


def count(connection: sqlite3.Connection, user: int | None) -> GraphCounts:
    """What a file holds of a user's number, or of all."""
    where, values = ("", ()) if user is None else (" WHERE user = ?", (user,))

    def one(what: str, table: str) -> int:
        return int(connection.execute(f"SELECT {what} FROM {table}{where}", values).fetchone()[0])

    checksum = sum(one("coalesce(sum(checksum), 0)", table) for table in ("anchors", "frames"))
    n_anchors, n_frames, n_roles, n_citations = (
        one("count(*)", table) for table in ("anchors", "frames", "places", "citations")
    )
    return GraphCounts(n_anchors, n_frames, n_roles, n_citations, checksum)
