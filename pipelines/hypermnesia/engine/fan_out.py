"""One function over many items, by Ray tasks or in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from hypermnesia.engine.ray_session import start_ray

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def fan_out(work: Callable[[Item], Answer], items: Iterable[Item], n_workers: int) -> Iterator[Answer]:
    """What `work` gives for each item, as they are done; in this process where `n_workers` is 0.

    `work` must give the same when it runs again: a task whose worker died is repeated. At most two items a worker
    are under way. Raises what `work` raises.
    """
    waiting = iter(items)
    if not n_workers:
        yield from map(work, waiting)
        return
    import ray

    start_ray(n_workers)
    try:
        task = ray.remote(max_retries=3)(_run)
        shared = ray.put(work)
        running: list[Any] = []
        for item in waiting:
            running.append(task.remote(shared, item))
            if len(running) >= 2 * n_workers:
                done, running = ray.wait(running)
                yield from ray.get(done)
        while running:
            done, running = ray.wait(running)
            yield from ray.get(done)
    except ray.exceptions.RayTaskError as error:  # as `work` raised it, without Ray's pages around it
        raise error.cause from None
    finally:
        ray.shutdown()


def _run(work: Callable[[Item], Answer], item: Item) -> Answer:
    return work(item)
