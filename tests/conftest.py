"""Makes `fixtures` importable from every test, and the fixtures of a real Neo4j known to all."""

from __future__ import annotations

pytest_plugins = ["fixtures.neo4j_server"]
