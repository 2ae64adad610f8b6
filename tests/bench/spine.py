"""The spine's figures: throughput and memory of each stage, planning and resuming, questions, recall.

`make bench` runs all (about 20 minutes on 2 cores); `ARGS=--quick` a tenth of the generated archives.
LoCoMo is measured where `../shared/data/locomo-dev` is present.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from hypermnesia.app import STAGES, App
from hypermnesia.home_evaluation import evaluate_home
from hypermnesia.settings import load
from tests.bench.measured import run_measured
from tests.fixtures.generate import write_archive

LOCOMO = Path(__file__).parents[3] / "shared" / "data" / "locomo-dev" / "locomo_dev.json"
ALL = [*STAGES, "load_vectors"]
WITHOUT_VECTORS = ["ingest", "chunk", "extract"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the generated archives")
    scale = 10 if parser.parse_args().quick else 1
    folder = Path(tempfile.mkdtemp(prefix="hypermnesia-bench-"))
    try:
        figures = _measure(folder, scale)
    finally:
        shutil.rmtree(folder)
    print(json.dumps(figures))


def _measure(folder: Path, scale: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    small, large = 20_000 // scale, 200_000 // scale
    for name, n, stages in (
        ("20k", small, ALL),
        ("20k_plain", small, WITHOUT_VECTORS),
        ("200k", large, WITHOUT_VECTORS),
    ):
        archive = folder / f"{name}.jsonl"
        write_archive(archive, users=1_000 // scale, messages=n, seed=7)
        figures[name] = _backfill(folder / name, archive, stages)
    figures["flat"] = {
        stage: round(figures["200k"][f"{stage}_per_cpu_s"] / figures["20k_plain"][f"{stage}_per_cpu_s"], 2)
        for stage in WITHOUT_VECTORS
    }
    figures["questions_20k"] = _questions(folder / "20k", _largest_users(folder / "20k.jsonl"))
    if LOCOMO.exists():
        figures["locomo"] = _backfill(folder / "locomo", LOCOMO, ALL)
        app = App(load(home=folder / "locomo"))
        figures["recall"] = evaluate_home(app, "locomo", LOCOMO)["systems"]["default"]["all"]["recall"]
        samples = json.loads(LOCOMO.read_text())
        asked = [(s["sample_id"], q["question"]) for s in samples for q in s["qa"][:40]]
        figures["questions_locomo"] = _questions(folder / "locomo", asked)
    return figures


def _backfill(home: Path, archive: Path, stages: list[str]) -> dict[str, Any]:
    """Messages a second (wall and processor) of each stage, memory, and the same command again."""
    report = run_measured(home, archive, stages)
    n = report["stages"]["ingest"]["n_in"]
    figures: dict[str, Any] = {"messages": n, "seconds": report["seconds"]}
    for name, counts in report["stages"].items():
        figures[f"{name}_per_s"] = round(n / counts["wall_seconds"], 1)
        if counts["cpu_seconds"]:
            figures[f"{name}_per_cpu_s"] = round(n / counts["cpu_seconds"], 1)
    figures |= {"driver_mb": report["driver_mb"], "worker_mb": report["worker_mb"]}
    again = run_measured(home, archive, stages)
    figures["resume_seconds"] = again["seconds"]
    figures["plan_seconds"] = round(sum(counts["plan_seconds"] for counts in again["stages"].values()), 2)
    print(json.dumps({archive.stem: figures}), file=sys.stderr)
    return figures


def _questions(home: Path, asked: list[tuple[str, str]]) -> dict[str, float]:
    """Milliseconds of a question with its embedding: cold (a new reader, model loaded) and warm."""
    app = App(load(home=home))
    app.embedder.embed(["load the model"])
    cold, warm = [], []
    for user in {user for user, _ in asked}:
        app.asker.histories.close()
        question = next(q for u, q in asked if u == user)
        cold.append(_ms(app, user, question))
        warm += [_ms(app, user, q) for u, q in asked if u == user]
    app.asker.histories.close()
    return {
        f"{name}_{kind}_ms": round(float(np.percentile(times, p)), 1)
        for kind, times in (("cold", cold), ("warm", warm))
        for name, p in (("p50", 50), ("p99", 99))
    }


def _ms(app: App, user: str, question: str) -> float:
    started = time.perf_counter()
    app.asker.ask(user, question)
    return (time.perf_counter() - started) * 1000


def _largest_users(archive: Path) -> list[tuple[str, str]]:
    """The five longest histories of a generated archive, ten questions each."""
    counts: dict[str, int] = {}
    with archive.open() as file:
        for line in file:
            user = json.loads(line)["user"]
            counts[user] = counts.get(user, 0) + 1
    users = sorted(counts, key=lambda user: -counts[user])[:5]
    return [(user, f"What did we say about the plan on day {number}?") for user in users for number in range(10)]


if __name__ == "__main__":
    main()
