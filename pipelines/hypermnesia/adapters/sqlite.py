"""The embedded graph: one SQLite file a generation (DESIGN 9), many readers beside one writer.

The tables are in `sqlite_schema.py`, what is written into them in `sqlite_build.py`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from hypermnesia.adapters.generations import Generations, ReaderCopy
from hypermnesia.adapters.graph_rows import need_limit, newest_first, unpack_anchor, unpack_frame
from hypermnesia.adapters.kept import Kept
from hypermnesia.adapters.sqlite_build import SqliteGraphBuild, count
from hypermnesia.adapters.sqlite_schema import FILE, open_published
from hypermnesia.ports.graph import Anchor, Frame, GraphCounts, GraphUnavailableError
from hypermnesia.rules.identity import need_user

VARIABLES = 500  # ids a statement
KEPT = 20_000  # frames, and anchors, that a reader keeps unpacked, about 1.5 KB each: a hub's come to most questions
SELECTS = 100  # parts of one compound statement; SQLite takes 500

ANCHOR_COLUMNS = "anchor_id, type, name, names, n_records, degree, fingerprint"
FRAME_COLUMNS = 'frame_id, predicate, is_event, occurrence, "order", fingerprint, details'
_FOUND = (
    f"SELECT {{key}}, {ANCHOR_COLUMNS} FROM {{table}} JOIN anchors USING (user, anchor) WHERE user = ? AND {{key}} IN"
)
_MEMBERS = _FOUND.format(table="members", key="member_id")
_KEYS = _FOUND.format(table="keys", key="key")


class SqliteGraphIndex:
    """The graph under the folder `root`, in the generations that it shares with the vectors."""

    n_writers = 1

    def __init__(self, root: Path) -> None:
        self._generations = Generations(root, part=FILE, linked=frozenset())

    def published(self) -> str | None:
        """The name of the published generation, or None while no graph is in it."""
        return self._generations.published()

    def reader(self) -> SqliteGraphReader:
        """A reader that keeps the published generation. Raises `LookupError` before the first."""
        return self._generations.read(SqliteGraphReader, is_read_only=True)

    def build(self, *, is_fresh: bool) -> SqliteGraphBuild:
        """A build from the published graph, or from nothing where `is_fresh`; vectors stay as they are.

        Raises `LockConflictError` while another build is open, here or in another process.
        """
        return self._generations.build(SqliteGraphBuild, is_fresh=is_fresh)

    def entries(self) -> Iterator[tuple[str, str, str]]:
        """(user_id, anchor or frame id, fingerprint) of everything published; nothing before the first."""
        if self.published() is None:
            return
        with closing(self.reader()) as reader:
            yield from reader.entries()


class SqliteGraphReader:
    """One published graph, read-only; later builds don't change it. See `GraphReader`."""

    def __init__(self, copy: ReaderCopy) -> None:
        self.generation = copy.name
        self._copy = copy
        self._idle: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        self._idle.put(open_published(copy.path / FILE))
        self._kept_frames: Kept[Frame] = Kept(KEPT)
        self._kept_anchors: Kept[Anchor] = Kept(KEPT)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection that no other thread uses meanwhile; there are as many as threads read at once."""
        try:
            connection = self._idle.get_nowait()
        except Empty:
            connection = open_published(self._copy.path / FILE)
        try:
            yield connection
        except sqlite3.Error as error:
            raise GraphUnavailableError(f"the graph in {self._copy.path} can't be read: {error}") from error
        finally:
            self._idle.put(connection)

    def anchors(self, user_id: str, anchor_ids: Sequence[str]) -> Sequence[Anchor]:
        """Those of the kept anchors that there are, sorted by id; a merged id finds its kept anchor."""
        found = self._kept_anchors.read(user_id, anchor_ids, lambda ids: self._read_anchors(user_id, _MEMBERS, ids))
        return _by_id(found.values())

    def anchors_by_key(self, user_id: str, keys: Sequence[str]) -> Sequence[Anchor]:
        """The anchors that have one of the anchor keys as an alias, sorted by id."""
        return _by_id(anchor for _, anchor in self._read_anchors(user_id, _KEYS, keys))

    def user_anchors(self, user_id: str) -> Sequence[Anchor]:
        """All anchors of a user, sorted by id."""
        with self._connection() as connection:
            user = _user(connection, user_id)
            rows = connection.execute(
                f"SELECT {ANCHOR_COLUMNS} FROM anchors WHERE user = ? ORDER BY anchor_id", (user,)
            ).fetchall()
        return [unpack_anchor(user_id, *row) for row in rows]

    def _read_anchors(self, user_id: str, query: str, values: Iterable[str]) -> Iterator[tuple[str, Anchor]]:
        """Each value with an anchor that it finds."""
        with self._connection() as connection:
            user = _user(connection, user_id)
            for part, marks in _parts(values):
                for value, *row in connection.execute(f"{query} ({marks})", (user, *part)):
                    yield value, unpack_anchor(user_id, *row)

    def frames(self, user_id: str, frame_ids: Sequence[str]) -> Sequence[Frame]:
        """Those of the frames that there are, sorted by id."""
        with self._connection() as connection:
            found = self._frames(connection, _user(connection, user_id), user_id, frame_ids)
        return [found[frame_id] for frame_id in sorted(found)]

    def frames_around(
        self, user_id: str, anchor_ids: Sequence[str], *, predicates: Sequence[str] | None = None, limit: int = 240
    ) -> Sequence[Frame]:
        """Frames in which one of the kept anchors has a role, newest first, then by id, at most `limit`.

        One walk of a key for each (anchor, predicate), merged: none reads more than `limit` frames.
        """
        need_limit(limit)
        with self._connection() as connection:
            user = _user(connection, user_id)
            numbers = _anchor_numbers(connection, user, anchor_ids)
            walks: list[tuple[Any, ...]]
            if predicates is None:
                where = "user = ? AND anchor = ?"
                walks = [(user, anchor) for anchor in numbers]
            else:
                where = "user = ? AND anchor = ? AND predicate = ?"
                walks = [(user, anchor, predicate) for anchor in numbers for predicate in sorted(set(predicates))]
            places = _walk(connection, where, walks, limit)
            return self._in_order(connection, user, user_id, places, limit)

    def frames_joining(
        self, user_id: str, anchor_ids: Sequence[str], *, predicates: Sequence[str] | None = None, limit: int = 240
    ) -> Sequence[Frame]:
        """Frames in which every one of the anchors has a role, newest first, then by id, at most `limit`.

        The rarest anchor's frames are looked up among those of the others by the whole key.
        """
        need_limit(limit)
        with self._connection() as connection:
            user = _user(connection, user_id)
            wanted = set(anchor_ids)
            numbers = _anchor_numbers(connection, user, wanted)
            if not numbers or len(numbers) < len(wanted):
                return []
            rarest, *others = numbers
            joined = "".join(
                " AND EXISTS (SELECT 1 FROM places o WHERE o.user = p.user AND o.anchor = ? AND"
                ' o.predicate = p.predicate AND o."order" = p."order" AND o.frame_id = p.frame_id)'
                for _ in others
            )
            places: list[tuple[str, str]] = []
            for predicate in [None] if predicates is None else sorted(set(predicates)):
                named = "" if predicate is None else " AND p.predicate = ?"
                values = [] if predicate is None else [predicate]
                query = (
                    f'SELECT DISTINCT p."order", p.frame_id FROM places p WHERE p.user = ? AND p.anchor = ?{named}'
                    f'{joined} ORDER BY p."order" DESC, p.frame_id LIMIT ?'
                )
                places += connection.execute(query, (user, rarest, *values, *others, limit))
            return self._in_order(connection, user, user_id, places, limit)

    def frames_citing(self, user_id: str, row_ids: Sequence[str]) -> Sequence[Frame]:
        """Frames that cite one of the records, sorted by id."""
        with self._connection() as connection:
            user = _user(connection, user_id)
            ids: set[str] = set()
            for part, marks in _parts(row_ids):
                query = f"SELECT frame_id FROM citations WHERE user = ? AND row_id IN ({marks})"
                ids.update(frame_id for (frame_id,) in connection.execute(query, (user, *part)))
            found = self._frames(connection, user, user_id, ids)
        return [found[frame_id] for frame_id in sorted(found)]

    def _in_order(
        self, connection: sqlite3.Connection, user: int, user_id: str, places: Iterable[tuple[str, str]], limit: int
    ) -> list[Frame]:
        ids = newest_first(places, limit)
        found = self._frames(connection, user, user_id, ids)
        return [found[frame_id] for frame_id in ids]

    def _frames(
        self, connection: sqlite3.Connection, user: int, user_id: str, frame_ids: Iterable[str]
    ) -> dict[str, Frame]:
        def read(missing: Iterable[str]) -> Iterator[tuple[str, Frame]]:
            for part, marks in _parts(missing):
                query = f"SELECT {FRAME_COLUMNS} FROM frames WHERE user = ? AND frame_id IN ({marks})"
                for *head, packed in connection.execute(query, (user, *part)):
                    yield head[0], unpack_frame(user_id, tuple(head), *json.loads(packed))

        return self._kept_frames.read(user_id, frame_ids, read)

    def counts(self, user_id: str | None = None) -> GraphCounts:
        """Of one user, or of the whole store where it is None."""
        with self._connection() as connection:
            return count(connection, None if user_id is None else _user(connection, user_id))

    def entries(self) -> Iterator[tuple[str, str, str]]:
        """(user_id, anchor or frame id, fingerprint) of everything."""
        with self._connection() as connection:
            for table, column in (("anchors", "anchor_id"), ("frames", "frame_id")):
                yield from connection.execute(
                    f"SELECT user_id, {column}, t.fingerprint FROM {table} t JOIN users USING (user)"
                )

    def close(self) -> None:
        """Closes the connections that no call holds and removes this reader's copy; a second call does nothing."""
        while not self._idle.empty():
            self._idle.get_nowait().close()
        self._copy.close()


def _by_id(anchors: Iterable[Anchor]) -> list[Anchor]:
    """Each anchor once, sorted by id."""
    found = {anchor.anchor_id: anchor for anchor in anchors}
    return [found[anchor_id] for anchor_id in sorted(found)]


def _user(connection: sqlite3.Connection, user_id: str) -> int:
    """The user's number; one that nobody has for a user who is not there."""
    row = connection.execute("SELECT user FROM users WHERE user_id = ?", (need_user(user_id),)).fetchone()
    return row[0] if row else -1


def _anchor_numbers(connection: sqlite3.Connection, user: int, anchor_ids: Iterable[str]) -> list[int]:
    """The numbers of the kept anchors that there are, those with the fewest frames first."""
    found: list[tuple[int, int]] = []
    for part, marks in _parts(anchor_ids):
        query = f"SELECT degree, anchor FROM anchors WHERE user = ? AND anchor_id IN ({marks})"
        found += connection.execute(query, (user, *part))
    return [number for _, number in sorted(found)]


def _walk(
    connection: sqlite3.Connection, where: str, walks: Sequence[tuple[Any, ...]], limit: int
) -> list[tuple[str, str]]:
    """The `limit` newest (order, frame id) over several walks of a key, each once; SQLite merges them as it goes."""
    places: list[tuple[str, str]] = []
    for start in range(0, len(walks), SELECTS):
        part = walks[start : start + SELECTS]
        walk = f'SELECT DISTINCT "order", frame_id FROM places WHERE {where}'
        query = f"{' UNION '.join([walk] * len(part))} ORDER BY 1 DESC, 2 LIMIT ?"
        places += connection.execute(query, [value for values in part for value in values] + [limit])
    return places


def _parts(values: Iterable[str]) -> Iterator[tuple[list[str], str]]:
    """The distinct values in parts that one statement takes, with their marks."""
    distinct = sorted(set(values))
    for start in range(0, len(distinct), VARIABLES):
        part = distinct[start : start + VARIABLES]
        yield part, ", ".join("?" * len(part))
