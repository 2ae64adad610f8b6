"""How full the model's call slots are kept: `make bench-slots`.

A paced endpoint with heavy-tailed answer times stands for the model: its slots, and the sum of all answer
times, are known. 1,000 users with power-law histories; each chunk asks a router, then two to four writers.

- busy: share of the slots' time in use while chunks wait to begin (up to the last router's call).
- busy_whole: the same up to the last answer, so with the tail in which nothing waits any more.
- overhead: time to the last answer over pure model time (sum of answer times / slots), less 1.
- repeated_calls: calls that were answered more than once, in the run whose worker is killed in the middle.

The last line is JSON; goals: busy >= 0.97, overhead <= 0.03 for 6,000 chunks or more.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypermnesia.adapters.delta import DeltaLake
from hypermnesia.adapters.openai import Endpoint, OpenAIGenerator
from hypermnesia.engine.commits import Committer
from hypermnesia.engine.model_pool import ModelWorkers
from hypermnesia.engine.model_workers import ModelExecutor
from hypermnesia.engine.progress import Progress
from hypermnesia.engine.run import run_stage
from hypermnesia.ports import Generator, Shard
from tests.fixtures.paced_endpoint import MODEL, Pace, serving
from tests.fixtures.reading_stage import NAME, MakeStage, ReadingStage, Spools, n_calls

N_USERS, N_BUCKETS, SHARD_CHUNKS = 1_000, 64, 64
N_WORKERS = 2
#: More calls on their way than slots: the next one is there when a slot gets free.
OVER_COMMIT = 1.25
#: A call is given up after so many times the mean: the longest answers take half of it.
TIMEOUT_MEANS = 40


class MakeEndpoint:
    """The generator of one worker."""

    def __init__(self, url: str, pace: Pace) -> None:
        timeout_s = TIMEOUT_MEANS * pace.mean_s
        whole = Endpoint((f"{url}/v1",), MODEL, slots=round(pace.slots * OVER_COMMIT), timeout_s=timeout_s)
        self._endpoint = whole.shared_by(N_WORKERS)

    def __call__(self) -> Generator:
        return OpenAIGenerator(replace(self._endpoint, extra={"user": str(os.getpid())}))


def plan(n_chunks: int) -> list[Shard]:
    """Shards of up to 64 chunks of one bucket; the largest user holds a tenth, the others follow a power law."""
    weights = [1 / (rank + 1) ** 0.8 for rank in range(1, N_USERS)]
    counts = [n_chunks // 10] + [max(1, round(0.9 * n_chunks * weight / sum(weights))) for weight in weights]
    buckets: dict[int, list[str]] = {}
    for user, count in enumerate(counts):
        buckets.setdefault(user % N_BUCKETS, []).extend(f"u{user}/{number}" for number in range(count))
    cut = [
        (bucket, tuple(items[start : start + SHARD_CHUNKS]))
        for bucket, items in buckets.items()
        for start in range(0, len(items), SHARD_CHUNKS)
    ]
    return [Shard(NAME, f"s{number}", bucket, items) for number, (bucket, items) in enumerate(cut)]


def with_a_kill(shards: Sequence[Shard]) -> list[Shard]:
    """The same work, but a chunk about a third of the way kills its worker (`kill -9`) the first time it runs."""
    at = len(shards) // 3
    *others, last = shards[at].items
    return [*shards[:at], replace(shards[at], items=(*others, f"{last} KILL ONCE")), *shards[at + 1 :]]


def measure(shards: Sequence[Shard], pace: Pace) -> dict[str, Any]:
    """One run over a fresh lake."""
    items = [item for shard in shards for item in shard.items]
    wanted = n_calls(items)
    with tempfile.TemporaryDirectory(prefix="hypermnesia-slots-") as folder, serving(pace) as url:
        home = Path(folder)
        stage, lake = ReadingStage(shards, home), DeltaLake(home / "lake")
        workers = ModelWorkers(n_workers=N_WORKERS, local_cpus=N_WORKERS)
        executor = ModelExecutor(MakeStage(home), MakeEndpoint(url, pace), Spools(home / "spool"), workers)
        cpu = time.process_time()
        try:
            report = run_stage(stage, Committer(lake, stage, "bench"), executor, Progress())
        finally:
            executor.close()
        answers = lake.read("extractions", columns=["extraction_id", "status"])
        found = _stats(url)
        ok = sum(status == "ok" for status in answers["status"].to_pylist())
        if answers.num_rows != wanted or len(set(answers["extraction_id"].to_pylist())) != wanted:
            raise RuntimeError(f"{answers.num_rows} answers of {wanted} calls are in the lake")
        return _figures(found["spans"], pace) | {
            "chunks": report.counts.n_in,
            "calls": wanted,
            "not_ok": wanted - ok,
            "repeated_calls": found["repeated"],
            "aborted_calls": found["aborted"],
            "driver_cpu_s": round(time.process_time() - cpu, 1),
        }


def _figures(spans: Sequence[tuple[str, str, float, float, float]], pace: Pace) -> dict[str, float]:
    """From (worker, prompt, arrived, began, ended) of every attempt that had a slot; the clock starts with the work.

    Workers start one after the other (a process, its imports): until the last one of them has asked, part of
    the slots has nobody to fill them. That is the start, and apart.
    """
    first_calls: dict[str, float] = {}
    for worker, _, arrived, _, _ in sorted(spans, key=lambda span: span[2]):
        first_calls.setdefault(worker, arrived)
    starts = sorted(first_calls.values())
    first, last = starts[N_WORKERS - 1], max(ended for *_, ended in spans)
    last_router = max(arrived for _, prompt, arrived, _, _ in spans if prompt == "router")
    model_s = sum(max(0.0, ended - max(began, first)) for *_, began, ended in spans) / pace.slots
    in_use = sum(max(0.0, min(ended, last_router) - max(began, first)) for *_, began, ended in spans) / pace.slots
    return {
        "busy": round(in_use / (last_router - first), 4),
        "busy_whole": round(model_s / (last - first), 4),
        "overhead": round((last - first) / model_s - 1, 4),
        "served_s": round(last - first, 1),
        "tail_s": round(last - last_router, 1),
        "start_s": round(first - starts[0], 1),
    }


def _stats(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}/stats?spans", timeout=30) as response:
        found: dict[str, Any] = json.load(response)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=6_000)
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--mean", type=float, default=0.2, help="seconds of an answer, on average")
    parser.add_argument("--no-kill", action="store_true", help="without the run whose worker is killed")
    arguments = parser.parse_args()
    faults = {"429": 0.005, "500": 0.005, "hang": 0.0003}
    pace = Pace(arguments.slots, arguments.mean, most_s=20 * arguments.mean, faults=faults)
    shards = plan(arguments.chunks)
    quiet = measure(shards, pace)
    print(json.dumps({"run": "quiet"} | quiet))
    names = ("busy", "busy_whole", "overhead")
    result: dict[str, Any] = {name: quiet[name] for name in names}
    if not arguments.no_kill:
        killed = measure(with_a_kill(shards), pace)
        print(json.dumps({"run": "a worker killed"} | killed))
        result |= {"repeated_calls": killed["repeated_calls"], "killed": {name: killed[name] for name in names}}
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    sys.exit(main())
