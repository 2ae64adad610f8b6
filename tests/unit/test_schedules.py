"""What we ship for Kubernetes is YAML of the kinds that it says, and runs jobs and profiles that are there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("kuberay", "cronjob") for path in (ROOT / "cluster" / folder).glob("*.yaml"))
JOBS = sorted((ROOT / "jobs").glob("*.py"))


def objects(path: Path) -> list[dict[str, Any]]:
    return [found for found in yaml.safe_load_all(path.read_text()) if found]


def commands(found: Any) -> Iterator[str]:
    """Every command line in an object, also in objects that it holds as text."""
    if isinstance(found, list):
        for item in found:
            yield from commands(item)
    elif isinstance(found, dict):
        for name, value in found.items():
            if name == "entrypoint":
                yield value
            elif name == "args":
                yield " ".join(value)
            elif name.endswith(".yaml") and isinstance(value, str):
                yield from commands(yaml.safe_load(value))
            else:
                yield from commands(value)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_object_has_a_kind_a_version_and_a_name(path: Path) -> None:
    for found in objects(path):
        assert found["apiVersion"]
        assert found["kind"]
        assert found["metadata"].get("name") or found["metadata"].get("generateName")


def test_schedules_run_the_nightly_job_and_never_two_at_once() -> None:
    crons = [(path, o) for path in FILES for o in objects(path) if o["kind"] == "CronJob"]
    assert {path.parent.name for path, _ in crons} == {"kuberay", "cronjob"}
    for path, cron in crons:
        assert cron["spec"]["concurrencyPolicy"] == "Forbid"
        assert len(cron["spec"]["schedule"].split()) == 5
        assert any("jobs/nightly.py" in line for o in objects(path) for line in commands(o))


def test_every_job_and_profile_that_is_named_is_there() -> None:
    lines = [line for path in FILES for o in objects(path) for line in commands(o)]
    assert lines
    for line in lines:
        words = line.split()
        assert (ROOT / words[1]).is_file(), line
        assert (ROOT / words[words.index("--config") + 1]).is_file(), line


def test_jobs_select_a_cluster_that_there_is() -> None:
    known = {o["metadata"]["name"] for path in FILES for o in objects(path) if o["kind"] == "RayCluster"}
    wanted = {
        o["spec"]["clusterSelector"]["ray.io/cluster"] for path in FILES for o in objects(path) if o["kind"] == "RayJob"
    }
    assert wanted <= known


@pytest.mark.parametrize("path", JOBS, ids=lambda path: path.name)
def test_a_job_is_composition_alone(path: Path) -> None:
    text = path.read_text()
    compile(text, str(path), "exec")
    assert len(text.splitlines()) <= 20
    assert "from hypermnesia.cli import main" in text
