"""Two nights at once: the second waits for the first one's lease, and gives up in time."""

from __future__ import annotations

from pathlib import Path

import pytest
from homes import make_app, run_stages, write_archives

from hypermnesia.engine.lease import LeaseHeldError, lease
from hypermnesia.engine.progress import Progress


def test_a_second_night_waits_for_the_lease_and_decides_nothing_without_it(tmp_path: Path) -> None:
    app = make_app(tmp_path / "home", lease_wait_s=0, extractor="verbatim")
    run_stages(app, write_archives(tmp_path / "archives"))
    leases = app.settings.home / "leases"
    n_runs = app.lake.read("runs").num_rows
    with lease(leases / "nightly.lock", wait_s=0, on_wait=print), pytest.raises(LeaseHeldError, match="nightly"):
        app.nightly(Progress())
    assert app.lake.read("runs").num_rows == n_runs
    with lease(leases / "merge_entities.lock", wait_s=0, on_wait=print), pytest.raises(LeaseHeldError):
        app.nightly(Progress())
    assert app.lake.read("merges").num_rows == 0
