"""The OpenAPI document: it is current, and the API does what it says (schemathesis, in this process)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from served_home import ANN, build_home

from hypermnesia.api.http import make_api
from hypermnesia.api.openapi import DOCUMENT, document
from hypermnesia.api.reads import Reads

PROBES = ("/healthz", "/readyz")


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text() == document(), "run: python -m hypermnesia.api.openapi"


def test_every_path_but_the_probes_names_its_key() -> None:
    for path, operations in json.loads(DOCUMENT.read_text())["paths"].items():
        for operation in operations.values():
            assert ("security" in operation) == (path not in PROBES), path


@pytest.fixture(scope="module")
def reads(tmp_path_factory: pytest.TempPathFactory) -> Reads:
    return Reads(build_home(tmp_path_factory.mktemp("documented"), extractor="verbatim"))


def test_the_api_is_as_documented(reads: Reads, tmp_path: Path) -> None:
    """Every check of schemathesis, over its own examples, edges and a few random requests of each route."""
    config = SchemathesisConfig.from_dict(
        {
            "headers": {"Authorization": f"Bearer {reads.keys.add(ANN)[1]}"},
            "seed": 1,
            "generation": {"max-examples": 4, "deterministic": True, "database": "none"},
            "phases": {"stateful": {"enabled": False}},
        }
    )
    schema = schemathesis.openapi.from_dict(json.loads(DOCUMENT.read_text()), config=config)
    schema.app = make_api(reads)
    failures, tested = [], set()
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            tested.add(event.label)
            checks = [check for checks in event.recorder.checks.values() for check in checks]
            failures += [f"{event.label} {c.failure_info.failure}" for c in checks if c.failure_info is not None]
        elif isinstance(event, events.NonFatalError | events.FatalError):
            failures.append(repr(event))
    assert not failures, "\n\n".join(failures)
    assert len(tested) >= len(schema.raw_schema["paths"])
