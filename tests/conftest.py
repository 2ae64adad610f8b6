"""Makes the fixtures of a real Neo4j known to all tests."""

from __future__ import annotations

pytest_plugins = ["tests.fixtures.neo4j_server"]
