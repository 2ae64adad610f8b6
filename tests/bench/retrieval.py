"""Latency of questions by the length of a history, encoding, and batches: `python -m tests.bench.retrieval`.

Histories are synthetic, of one user: words of the demo's chats, random vectors and tokens, a graph with as many frames
as rows. They are written to the stores of a home (up to `STORED` rows, else kept in memory without a graph) and asked
as `ask` does, in one thread, the embedding of the question included. Cold: a new reader, which reads and builds the
user's history. Warm: the next questions. A batch is `ask --questions` by one process and by all cores, start included.
`--rows N...` chooses lengths; the last line is one JSON object, in milliseconds and rows a CPU-second. `peak_mb` is
the process's greatest memory until then, with the rows that are made or written: ask for one length to know it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from hypermnesia.adapters.milvus import MilvusVectorIndex
from hypermnesia.adapters.onnx import TOKEN_DIMENSION, OnnxEmbedder, _batches, _run
from hypermnesia.adapters.sqlite import SqliteGraphIndex
from hypermnesia.home_questions import ask_many
from hypermnesia.ports import Anchor, Frame, GraphCounts, IndexRow, NameRow, Tokens
from hypermnesia.retrieval.ask import Asker
from hypermnesia.retrieval.overlay import GraphOverlay
from hypermnesia.settings import load
from tests.bench.token_axes import chats
from tests.fixtures.graphs import GeneratedGraph

USER = "maya"
STORED = 100_000  # rows that are also written to the stores
BLOCK = 50_000  # rows whose vectors are made at once
N_BATCH = 1_000
N_QUESTIONS = 120
SESSION = 25  # rows
TOKENS = 24  # a row
QUESTIONS = (
    "What does Maya do to relax after work?",
    "When did Jordan move to the new flat?",
    "Which books has Maya read this year?",
    "How many times did Jordan go to the cabin in winter?",
    "Where do Maya and Jordan both like to eat?",
    "What did Jordan say about the forklift on 8 May 2023?",
)


def make_rows(n: int) -> Iterator[IndexRow]:
    """`n` rows of two people; every row has words, vectors of its own, tokens, a day and signals."""
    random = np.random.default_rng(n)
    words = np.array(" ".join(chats()).split())
    packed = [
        Tokens(
            random.integers(1_000, 30_000, TOKENS).astype(np.uint16),
            random.integers(-60, 60, (TOKENS, TOKEN_DIMENSION)).astype(np.int8),
        ).pack()
        for _ in range(2_000)
    ]
    for start in range(0, n, BLOCK):
        own, context = (_unit(random.normal(size=(min(n - start, BLOCK), OnnxEmbedder.dimension))) for _ in range(2))
        for i in range(start, start + len(own)):
            text = " ".join(words[random.integers(len(words), size=14)])
            yield _row(i, text, packed[i % len(packed)], own[i - start], context[i - start])


def make_graph(n: int) -> tuple[list[Anchor], list[Frame]]:
    """A graph of `n` frames that cite the rows; its two speakers are those of the rows."""
    graph = GeneratedGraph(USER, n)
    anchors = list(graph.anchors())
    for place, name in enumerate(("Maya", "Jordan")):
        anchors[place] = replace(anchors[place], type="person", name=name, aliases=(name,), keys=(name.lower(),))
    frames = [
        replace(
            frame,
            predicate=("go", "like", "read", "move", "eat")[i % 5],
            citations=tuple(replace(c, row_id=f"row_{(i * 7 + k) % n:08d}") for k, c in enumerate(frame.citations)),
        )
        for i, frame in enumerate(graph.frames())
    ]
    return anchors, frames


def _row(i: int, text: str, tokens: bytes, vector: np.ndarray, context_vector: np.ndarray) -> IndexRow:
    speaker, day = ("Maya", "Jordan")[i % 2], f"{2000 + i // SESSION // 336 % 25}-{i // SESSION // 28 % 12 + 1:02d}"
    said = f"{day}-{i // SESSION % 28 + 1:02d}T12:00:00"
    signals = (f"ag:{speaker.lower()}", "pr:go", "is:location") if i % 3 else ("pr:like",)
    return IndexRow(
        row_id=f"row_{i:08d}", user_id=USER, memory_type="episodic", text=text, context=None, speaker=speaker,
        role="person", trust="other_person", modality="done", said_at=said, said_local=said, event_start=None,
        event_end=None, event_precision=None, conversation_id="c", session=f"c/{i // SESSION}", order=i, sources=(),
        signals=signals, text_hash="t", context_hash="c", fingerprint="f", model=OnnxEmbedder.model, vector=vector,
        context_vector=context_vector, tokens=tokens,
    )  # fmt: skip


def _unit(matrix: np.ndarray) -> np.ndarray:
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


class InMemory:
    """A vector index and its reader, over rows that are given up when they are read: a long history is held once."""

    generation = "in memory"

    def __init__(self, rows: list[IndexRow]) -> None:
        self._rows = rows

    def published(self) -> str:
        return self.generation

    def reader(self) -> InMemory:
        return self

    def user_rows(self, user_id: str) -> Sequence[IndexRow]:
        rows, self._rows = (self._rows, []) if user_id == USER else ([], self._rows)
        return rows

    def user_names(self, user_id: str) -> Sequence[NameRow]:
        return []

    def close(self) -> None:
        return None


def write_home(home: Path, n: int) -> dict[str, float]:
    """A home's index of `n` rows and frames; rows written a second, and bytes of the token file a row."""
    random = np.random.default_rng(n)
    anchors, frames = make_graph(n)
    vectors = _unit(random.normal(size=(len(anchors), OnnxEmbedder.dimension)))
    names = [NameRow(a.anchor_id, USER, OnnxEmbedder.model, "t", v) for a, v in zip(anchors, vectors, strict=True)]
    rows = list(make_rows(n))
    started = time.perf_counter()
    with MilvusVectorIndex(home / "index", OnnxEmbedder.dimension).build(is_fresh=True) as build:
        build.upsert(rows)
        build.upsert_names(names)
        build.publish(n, len(names))
    seconds = time.perf_counter() - started
    with SqliteGraphIndex(home / "index").build(is_fresh=True) as graph:
        graph.apply(USER, "whole", anchors, frames, [])
        graph.publish(GraphCounts.of(anchors, frames))
    n_bytes = sum(file.stat().st_size for file in (home / "index").rglob("tokens/*.arrow"))
    return {"written_per_s": round(n / seconds), "token_file_bytes_a_row": round(n_bytes / n)}


def latency(asker: Asker) -> dict[str, float]:
    """Milliseconds of a cold question and of warm ones, embedding included."""
    started = time.perf_counter()
    asker.ask(USER, QUESTIONS[0])
    cold = (time.perf_counter() - started) * 1_000
    times, cpu = [], []
    for i in range(N_QUESTIONS):
        started, started_cpu = time.perf_counter(), time.process_time()
        answer = asker.ask(USER, QUESTIONS[i % len(QUESTIONS)])
        times.append((time.perf_counter() - started) * 1_000)
        cpu.append((time.process_time() - started_cpu) * 1_000)
        assert answer["rows"] and answer["fallback"] is None
    p50, p99 = np.quantile(times, [0.5, 0.99])
    busy = float(np.quantile(cpu, 0.5))  # what a loaded machine does not stretch
    figures = {"cold_ms": cold, "warm_p50_ms": float(p50), "warm_p99_ms": float(p99), "warm_cpu_p50_ms": busy}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {name: round(value, 1) for name, value in figures.items()} | {"peak_mb": peak}


def batch(home: Path) -> dict[str, float]:
    """Seconds of a batch by one process and by one a core, in one run: the ratio is what a loaded machine leaves."""
    (home / "lake").mkdir(exist_ok=True)
    lines = [{"user": USER, "question": QUESTIONS[i % len(QUESTIONS)]} for i in range(N_BATCH)]
    seconds = []
    for workers in (1, os.cpu_count() or 1):
        started = time.perf_counter()
        n = sum(1 for _ in ask_many(load(home=home, workers=workers), lines, {}))
        seconds.append(round(time.perf_counter() - started, 1))
        assert n == N_BATCH
    one, all_cores = seconds
    return {"one_process_s": one, "all_cores_s": all_cores, "ratio": round(one / all_cores, 2)}


def encoding(embedder: OnnxEmbedder) -> dict[str, float]:
    """Rows a CPU-second: encoded with tokens, and by the bare model on the same batches, which is the ceiling."""
    texts = chats()[:200]
    started = time.process_time()
    embedder.embed_tokens([("", text) for text in texts])
    ours = time.process_time() - started
    loaded = embedder._load()
    ids = {("", text): loaded.encode(text).ids for text in texts}
    started = time.process_time()
    for batch in _batches(ids):
        _run(loaded.session, [ids[pair] for pair in batch])
    bare = time.process_time() - started
    return {
        "rows_per_cpu_s": round(len(texts) / ours, 1),
        "bare_model_rows_per_cpu_s": round(len(texts) / bare, 1),
        "share_of_ceiling": round(bare / ours, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 100_000])
    embedder = OnnxEmbedder()
    embedder.embed(["warm"])
    found: dict[str, Any] = {"encoding": encoding(embedder)}
    folder = Path(tempfile.mkdtemp(prefix="hypermnesia-bench-retrieval-"))
    try:
        for n in parser.parse_args().rows:
            found[str(n)] = measure(folder / str(n), n, embedder)
            print(n, found[str(n)], flush=True)
        if stored := [int(n) for n in found if n.isdigit() and int(n) <= STORED]:
            found["batch"] = batch(folder / str(min(stored)))
    finally:
        shutil.rmtree(folder)
    print(json.dumps(found))


def measure(home: Path, n: int, embedder: OnnxEmbedder) -> dict[str, float]:
    """One history, in the stores where it is not too long for a bench to write."""
    if n > STORED:
        rows = list(make_rows(n))
        return latency(Asker(InMemory(rows), GraphOverlay(USER, (), ()), embedder, cache_rows=n))
    written = write_home(home, n)
    index = MilvusVectorIndex(home / "index", OnnxEmbedder.dimension)
    asker = Asker(index, SqliteGraphIndex(home / "index"), embedder, cache_rows=n)
    try:
        return written | latency(asker)
    finally:
        asker.histories.close()


if __name__ == "__main__":
    main()
