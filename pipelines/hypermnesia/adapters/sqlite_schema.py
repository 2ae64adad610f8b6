"""The tables of a graph in one SQLite file.

Users and anchors have numbers there, which keep the large keys short; every key starts with the user's.
`places` and its index serve "an anchor's frames, newest first", with a predicate and without, so that a hub
of many frames is filtered and cut by walking a key.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

FILE = "graph.sqlite"
VERSION = 1

TABLES = """
CREATE TABLE users (
    user INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL
) STRICT;
CREATE TABLE anchors (
    anchor INTEGER PRIMARY KEY, user INTEGER NOT NULL, anchor_id TEXT NOT NULL, type TEXT NOT NULL,
    name TEXT NOT NULL, names TEXT NOT NULL, n_records INTEGER NOT NULL, degree INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, checksum INTEGER NOT NULL, UNIQUE (user, anchor_id)
) STRICT;
CREATE TABLE members (
    user INTEGER NOT NULL, member_id TEXT NOT NULL, anchor INTEGER NOT NULL, PRIMARY KEY (user, member_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE keys (
    user INTEGER NOT NULL, key TEXT NOT NULL, anchor INTEGER NOT NULL, PRIMARY KEY (user, key, anchor)
) STRICT, WITHOUT ROWID;
CREATE TABLE frames (
    frame INTEGER PRIMARY KEY, user INTEGER NOT NULL, frame_id TEXT NOT NULL, predicate TEXT NOT NULL,
    is_event INTEGER NOT NULL, occurrence TEXT NOT NULL, "order" TEXT NOT NULL, details TEXT NOT NULL,
    fingerprint TEXT NOT NULL, checksum INTEGER NOT NULL, UNIQUE (user, frame_id)
) STRICT;
CREATE TABLE places (
    user INTEGER NOT NULL, anchor INTEGER NOT NULL, predicate TEXT NOT NULL, "order" TEXT NOT NULL,
    frame_id TEXT NOT NULL, role TEXT NOT NULL, written_id TEXT NOT NULL,
    PRIMARY KEY (user, anchor, predicate, "order" DESC, frame_id, role, written_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX places_newest ON places (user, anchor, "order" DESC, frame_id);
CREATE TABLE citations (
    user INTEGER NOT NULL, row_id TEXT NOT NULL, frame_id TEXT NOT NULL, PRIMARY KEY (user, row_id, frame_id)
) STRICT, WITHOUT ROWID;
"""


def open_draft(path: Path) -> sqlite3.Connection:
    """A connection that writes, with the tables made where missing.

    Nothing is synced: a draft is dropped when its process dies, and publishing syncs the file.
    Raises `RuntimeError` where the file was made with other tables.
    """
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -262144")  # 256 MiB: keys are written in no order
        if path.stat().st_size == 0:
            connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_published(path: Path) -> sqlite3.Connection:
    """A connection to a file that nobody writes; threads may use it one after another."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA mmap_size = 1073741824")
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        raise RuntimeError(f"{path} has tables of version {version}, not {VERSION}: build the graph fresh")
