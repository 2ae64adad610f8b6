"""The Ray that a run uses: the cluster that `RAY_ADDRESS` names, else a local one that ends with the run."""

from __future__ import annotations

import logging
import os
from typing import Any, Protocol

START_ATTEMPTS = 3

_log = logging.getLogger(__name__)


class StalledError(RuntimeError):
    """No worker gave anything for too long."""


class WorkersError(RuntimeError):
    """Workers could not start, or died too often."""


def start_ray(n_workers: int) -> None:
    """Joins the cluster that `RAY_ADDRESS` names, else starts a local one."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    if ray.is_initialized():
        return
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if os.environ.get("RAY_ADDRESS"):
        ray.init(**quiet)
        return
    local: dict[str, Any] = {"include_dashboard": False, "object_store_memory": 512 * 1024**2, **quiet}
    for left in reversed(range(START_ATTEMPTS)):
        try:
            ray.init("local", num_cpus=n_workers, **local)
            return
        except Exception as error:  # one of its own processes may die while it starts on a busy machine
            ray.shutdown()
            if not left:
                raise WorkersError(f"a local Ray did not start in {START_ATTEMPTS} attempts: {error}") from error
            _log.warning("a local Ray did not start, trying again: %s", error)


class Pool(Protocol):
    """Actors of one run."""

    def stop(self) -> None:
        """Ends them."""
        ...


def end_ray(pool: Pool | None) -> None:
    """Ends a pool that was started, then the local Ray, or leaves the cluster; nothing where Ray is ended already."""
    if pool is None:
        return
    import ray

    if ray.is_initialized():
        pool.stop()
        ray.shutdown()
