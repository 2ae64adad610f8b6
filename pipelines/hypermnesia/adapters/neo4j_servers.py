"""Connections to the Neo4j servers that share the users, and how transactions on them are tried again."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from hypermnesia.adapters.neo4j_schema import server_of
from hypermnesia.ports.graph import GraphUnavailableError

ATTEMPTS = 8
FIRST_WAIT_S = 0.05
LONGEST_WAIT_S = 5.0

T = TypeVar("T")


class TooLargeError(Exception):
    """A transaction that is more than the server has memory for: it has to be made smaller."""


class Server:
    """One server; drivers are safe to share between threads."""

    def __init__(self, url: str, auth: tuple[str, str], n_connections: int) -> None:
        import neo4j

        self.url = url
        self.n_retries = 0
        self._lock = threading.Lock()
        self._driver = neo4j.GraphDatabase.driver(
            url, auth=auth, max_connection_pool_size=n_connections, notifications_min_severity="OFF"
        )

    def read(self, query: str, **parameters: Any) -> list[list[Any]]:
        """The rows of a query, read whole in one transaction."""

        def rows(transaction: Any) -> list[list[Any]]:
            found: list[list[Any]] = transaction.run(query, parameters).values()
            return found

        return self._try(rows)

    def stream(self, query: str) -> Iterator[list[Any]]:
        """The rows of a query as they come."""
        with self._driver.session() as session:
            for record in session.run(query):
                yield record.values()

    def write(self, work: Callable[[Any], T]) -> T:
        """Runs `work` on a transaction and commits it; `work` must be fit to run again."""
        return self._try(work)

    def set_up(self, work: Callable[[Any], T]) -> T:
        """Runs `work` on a session: changes of the schema are transactions of their own."""
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            with self._driver.session() as session:
                return work(session)
        except (DriverError, Neo4jError) as error:
            raise GraphUnavailableError(f"the graph server {self.url} failed: {error}") from error

    def _try(self, work: Callable[[Any], T]) -> T:
        """Transient errors (a deadlock, a lost connection) are tried again after a random, growing wait.

        Raises `TooLargeError` where the server lacks memory, else `GraphUnavailableError`.
        """
        from neo4j.exceptions import DriverError, Neo4jError

        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._driver.session() as session, session.begin_transaction() as transaction:
                    answer = work(transaction)
                    transaction.commit()
                    return answer
            except (DriverError, Neo4jError) as error:
                if "OutOfMemory" in (getattr(error, "code", None) or ""):
                    raise TooLargeError(str(error)) from error
                if attempt == ATTEMPTS or not error.is_retryable():
                    raise GraphUnavailableError(f"the graph server {self.url} failed: {error}") from error
            with self._lock:
                self.n_retries += 1
            time.sleep(min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**attempt) * random.uniform(0.5, 1.0))
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Closes the connections."""
        self._driver.close()


class Servers:
    """All servers, in the order that says which users are on which."""

    def __init__(self, urls: Sequence[str], auth: tuple[str, str], n_connections: int) -> None:
        if not urls:
            raise ValueError("name at least one Neo4j server")
        self.all = [Server(url, auth, n_connections) for url in urls]

    def of(self, user_id: str) -> Server:
        """The server that holds a user. Raises `ValueError` for an empty user."""
        return self.all[server_of(user_id, len(self.all))]

    def close(self) -> None:
        """Closes all connections."""
        for server in self.all:
            server.close()
