"""`plan`: what a model would cost to read an archive, from what its own answers took, else from the prompts' sizes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from hypermnesia.inspection.estimate import CHARACTERS_PER_TOKEN
from hypermnesia.ports import Lake
from hypermnesia.rules.extraction import MEMORY_TYPES
from hypermnesia.rules.model_reading import SINGLE, SMALL
from hypermnesia.rules.prompting import SYSTEM, WINDOW_TURNS
from hypermnesia.stages.stored_answers import ModelPrompts

#: Where nothing is measured: the share of the writers that a router calls, and tokens of answers for one of the text.
ROUTED, TOKENS_OUT = 0.6, 0.8
_SUMS = ("n_tokens_in", "n_tokens_cached", "n_tokens_out")


def model_cost(
    lake: Lake, model: ModelPrompts, total: Mapping[str, int], tokens_per_gpu_second: float | None, n_gpus: float
) -> dict[str, Any]:
    """{"model", "calls", "tokens_in", "tokens_cached", "tokens_out", "tokens_from", "tokens_per_gpu_second",
    "gpu_hours"} for `total` of an estimate (chunks, messages, tokens of their text).

    Cached tokens cost nothing. The rate is the one given, else that of this home's runs; without either `gpu_hours`
    is None.
    """
    measured = _measured(lake, model)
    per_chunk = measured or _assumed(model, total)
    sums = {name: round(per_chunk[name] * total["chunks"]) for name in ("calls", *_SUMS)}
    rate = tokens_per_gpu_second or _measured_rate(lake, n_gpus)
    paid = sums["n_tokens_in"] - sums["n_tokens_cached"] + sums["n_tokens_out"]
    return {
        "model": model.model,
        "calls": sums["calls"],
        "tokens_in": sums["n_tokens_in"],
        "tokens_cached": sums["n_tokens_cached"],
        "tokens_out": sums["n_tokens_out"],
        "tokens_from": "answers" if measured else "prompts",
        "tokens_per_gpu_second": rate and round(rate, 1),
        "gpu_hours": round(paid / rate / 3_600, 2) if rate else None,
    }


def _measured(lake: Lake, model: ModelPrompts) -> dict[str, float]:
    """Calls and tokens a chunk, over the model's answers to these prompts; nothing where there are none."""
    columns = ["chunk_id", "prompt", "prompt_version", *_SUMS]
    rows = lake.read("answers", columns=columns, equals={"model": model.model}).to_pylist()
    versions = {(prompt.name, prompt.version) for prompt in model.used.values()}
    ours = [row for row in rows if (row["prompt"], row["prompt_version"]) in versions]
    n_chunks = len({row["chunk_id"] for row in ours})
    if not n_chunks:
        return {}
    return {"calls": len(ours) / n_chunks} | {name: sum(row[name] for row in ours) / n_chunks for name in _SUMS}


def _assumed(model: ModelPrompts, total: Mapping[str, int]) -> dict[str, float]:
    """By the prompts' sizes: each call reads chunk and instructions; the chunk is cached after the first."""
    n_chunks = max(1, total["chunks"])
    chunk = total["tokens"] / n_chunks
    n_windows = -(-total["messages"] // n_chunks // WINDOW_TURNS) if model.mode == SMALL else 1
    weights = {name: ROUTED if name in MEMORY_TYPES else 1.0 for name in model.used if name != "repair"}
    calls = n_windows * sum(weights.values())
    instructions = sum(w * len(model.prompts[name].text) / CHARACTERS_PER_TOKEN for name, w in weights.items())
    shared = n_windows * len(SYSTEM) / CHARACTERS_PER_TOKEN + chunk
    return {
        "calls": calls,
        "n_tokens_in": shared * calls / n_windows + n_windows * instructions,
        "n_tokens_cached": shared * (calls / n_windows - 1),
        "n_tokens_out": chunk * TOKENS_OUT * (1 if model.mode == SINGLE else 1.2),
    }


def _measured_rate(lake: Lake, n_gpus: float) -> float | None:
    """Tokens that cost something, a second of a GPU, over the runs of this home that asked a model."""
    tokens, seconds = Counter[str](), 0.0
    for row in lake.read("runs", columns=["counts"]).to_pylist():
        stage = json.loads(row["counts"] or "{}").get("answer", {})
        if stage.get("fresh", {}).get("calls"):
            tokens.update({name: n for name, n in stage["fresh"].items() if name.startswith("tokens.")})
            seconds += stage["wall_seconds"]
    paid = tokens["tokens.in"] - tokens["tokens.cached"] + tokens["tokens.out"]
    return paid / seconds / max(n_gpus, 1.0) if seconds else None
