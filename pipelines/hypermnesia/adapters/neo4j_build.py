"""The online load of Neo4j: bounded transactions, each fit to run again, nodes before edges.

A user has one writer, so no two transactions wait for each other's hubs; several users load at once, a
connection each. A user whose rows fit one transaction changes as a whole; for a larger one the mark of
wholeness goes first and comes back last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from hypermnesia.adapters.graph_rows import BATCH_ROWS, batches, reconcile
from hypermnesia.adapters.neo4j_counts import count_all
from hypermnesia.adapters.neo4j_schema import ensure_schema, ensure_store
from hypermnesia.adapters.neo4j_servers import Server, Servers, TooLargeError
from hypermnesia.adapters.neo4j_writes import (
    anchor_row,
    create_frames,
    drop_anchors,
    drop_frames,
    drop_some_of_user,
    frame_row,
    set_mark,
    write_anchors,
    write_frames,
)
from hypermnesia.ports.builds import Build
from hypermnesia.ports.graph import Anchor, Frame, GraphCounts
from hypermnesia.rules.identity import need_user


class Step(NamedTuple):
    """One statement's rows: what a transaction is made of."""

    write: Any
    rows: list[Any]


class Neo4jGraphBuild(Build):
    """The servers being brought to what the lake holds; see `GraphBuild`.

    `n_retries` counts transactions that were tried again.
    """

    def __init__(self, servers: Servers, *, is_fresh: bool) -> None:
        self._servers = servers
        self._is_fresh = is_fresh
        self._applied: set[str] = set()
        self._retries_before = self._retries()
        published = []
        for number, server in enumerate(servers.all):
            server.set_up(ensure_schema)
            published.append(server.set_up(partial(ensure_store, server=number, n_servers=len(servers.all))))
        self._number = max(published) + 1

    @property
    def n_retries(self) -> int:
        """Transactions that were tried again, since the build began."""
        return self._retries() - self._retries_before

    def users(self) -> Mapping[str, str]:
        """user_id -> fingerprint as last applied; "" where a load was cut off or not published.

        What a build that was not published has applied is looked at again, which writes nothing anew.
        """
        found = {}
        for server in self._servers.all:
            for user_id, fingerprint, build in server.read("MATCH (u:User) RETURN u.user_id, u.fingerprint, u.build"):
                if user_id in self._applied:
                    found[user_id] = fingerprint
                elif not self._is_fresh:
                    found[user_id] = fingerprint if build < self._number else ""
        return found

    def present(self, user_id: str) -> Mapping[str, str]:
        """Anchor and frame id -> fingerprint of what the build holds of a user."""
        need_user(user_id)
        if self._is_fresh and user_id not in self._applied:
            return {}
        return {
            entry_id: fingerprint
            for label, key in (("Anchor", "anchor_id"), ("Frame", "frame_id"))
            for entry_id, fingerprint in self._servers.of(user_id).read(
                f"MATCH (n:{label}) WHERE n.user_id = $user AND n.{key} IS NOT NULL RETURN n.{key}, n.fingerprint",
                user=user_id,
            )
        }

    def apply(
        self,
        user_id: str,
        fingerprint: str,
        anchors: Iterable[Anchor],
        frames: Iterable[Frame],
        dropped: Iterable[str],
    ) -> None:
        """Upserts anchors, then frames; drops ids; then marks the user as whole."""
        server = self._servers.of(need_user(user_id))
        is_there = bool(server.read("MATCH (u:User {user_id: $user}) RETURN 1", user=user_id))
        if is_there and self._is_fresh and user_id not in self._applied:
            self._drop(server, user_id)
            is_there = False
        self._applied.add(user_id)
        steps = self._steps(user_id, anchors, frames, dropped, write_frames if is_there else create_frames)
        first, n_rows = [], 0
        for step in steps:
            first.append(step)
            n_rows += len(step.rows)
            if n_rows > BATCH_ROWS:
                break
        else:
            whole = [*first, Step(set_mark, [fingerprint, self._number])]
            try:
                self._commit(server, user_id, whole)
                return
            except TooLargeError:
                pass  # then a step at a time
        for step in chain([Step(set_mark, ["", self._number])], first, steps):
            self._commit_parts(server, user_id, step)
        self._commit(server, user_id, [Step(set_mark, [fingerprint, self._number])])

    def drop_user(self, user_id: str) -> None:
        """Drops everything of a user."""
        self._drop(self._servers.of(need_user(user_id)), user_id)
        self._applied.discard(user_id)

    def publish(self, expected: GraphCounts) -> str:
        """Counts what the servers hold, then publishes; returns the publication's name.

        A fresh build first drops users that were not loaded again. Raises `RuntimeError` for a difference.
        """
        if self._is_fresh:
            for server in self._servers.all:
                for (user_id,) in server.read("MATCH (u:User) RETURN u.user_id"):
                    if user_id not in self._applied:
                        self._drop(server, user_id)
        reconcile(expected, count_all(self._servers), ", ".join(server.url for server in self._servers.all))
        for server in self._servers.all:
            server.write(
                lambda t: t.run('MATCH (s:Store {name: "graph"}) SET s.published = $n', n=self._number).consume()
            )
        return f"{self._number:06d}"

    def abandon(self) -> None:
        """What was applied stays; users that were cut off have no mark, so the next build goes on there."""

    def _retries(self) -> int:
        return sum(server.n_retries for server in self._servers.all)

    def _steps(
        self, user_id: str, anchors: Iterable[Anchor], frames: Iterable[Frame], dropped: Iterable[str], write: Any
    ) -> Iterator[Step]:
        for batch in batches((anchor_row(anchor, user_id) for anchor in anchors), _n_bytes):
            yield Step(write_anchors, batch)
        for batch in batches((frame_row(frame, user_id) for frame in frames), _n_bytes):
            yield Step(write, batch)
        ids = sorted(set(dropped))
        for drop in (drop_frames, drop_anchors):
            for part in batches(ids, len):
                yield Step(drop, part)

    def _drop(self, server: Server, user_id: str) -> None:
        self._commit(server, user_id, [Step(set_mark, ["", self._number])])
        while server.write(lambda transaction: drop_some_of_user(transaction, user_id)):
            pass

    def _commit_parts(self, server: Server, user_id: str, step: Step) -> None:
        """One step in one transaction, or in halves where the server lacks memory for it."""
        try:
            self._commit(server, user_id, [step])
        except TooLargeError:
            if len(step.rows) == 1:
                raise
            middle = len(step.rows) // 2
            for rows in (step.rows[:middle], step.rows[middle:]):
                self._commit_parts(server, user_id, Step(step.write, rows))

    def _commit(self, server: Server, user_id: str, steps: Sequence[Step]) -> None:
        def work(transaction: Any) -> None:
            for step in steps:
                step.write(transaction, user_id, step.rows)

        server.write(work)


def _n_bytes(row: Sequence[Any]) -> int:
    """About what a row takes: its long texts are JSON."""
    return 200 + sum(len(value) for value in row if isinstance(value, str | list))
