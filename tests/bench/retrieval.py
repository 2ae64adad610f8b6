"""Latency of a question by the length of a history, and the speed of encoding: `python -m tests.bench.retrieval`.

Histories are synthetic: words of the demo's chats, random vectors and tokens, one user. Questions are embedded by the
bundled model, and ranked warm, in one thread: by text and by the graph's signals in the rows (the graph itself is not
asked). `--rows N...` chooses lengths; the last line is one JSON object, in milliseconds and rows a CPU-second.
"""

from __future__ import annotations

import argparse
import json
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from hypermnesia.adapters.onnx import TOKEN_DIMENSION, OnnxEmbedder, _batches, _run
from hypermnesia.ports import IndexRow, Tokens
from hypermnesia.retrieval.features import Question
from hypermnesia.retrieval.history import History, build_history
from hypermnesia.retrieval.ranking import rank
from hypermnesia.retrieval.rows_by_need import n_rows
from hypermnesia.rules.planning import plan
from tests.bench.token_axes import chats

N_QUESTIONS = 60
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


def make_history(n: int) -> History:
    """A history of `n` rows of two people; every row has words, vectors, tokens, a day and signals."""
    random = np.random.default_rng(n)
    words = np.array(" ".join(chats()).split())
    vectors = [_unit(random.normal(size=(n, OnnxEmbedder.dimension))) for _ in range(2)]
    packed = [
        Tokens(
            random.integers(1_000, 30_000, TOKENS).astype(np.uint16),
            random.integers(-60, 60, (TOKENS, TOKEN_DIMENSION)).astype(np.int8),
        ).pack()
        for _ in range(2_000)
    ]
    texts = [" ".join(said) for said in words[random.integers(len(words), size=(n, 14))]]
    return build_history([_row(i, texts[i], packed[i % len(packed)], vectors[0][i], vectors[1][i]) for i in range(n)])


def _row(i: int, text: str, tokens: bytes, vector: np.ndarray, context_vector: np.ndarray) -> IndexRow:
    speaker, day = ("Maya", "Jordan")[i % 2], f"{2000 + i // SESSION // 336 % 25}-{i // SESSION // 28 % 12 + 1:02d}"
    said = f"{day}-{i // SESSION % 28 + 1:02d}T12:00:00"
    signals = (f"ag:{speaker.lower()}", "pr:go", "is:location") if i % 3 else ("pr:like",)
    return IndexRow(
        row_id=f"row_{i:08d}", user_id="maya", memory_type="episodic", text=text, context=None, speaker=speaker,
        role="person", trust="other_person", modality="done", said_at=said, said_local=said, event_start=None,
        event_end=None, event_precision=None, conversation_id="c", session=f"c/{i // SESSION}", order=i, sources=(),
        signals=signals, text_hash="", context_hash="", fingerprint="", model=OnnxEmbedder.model, vector=vector,
        context_vector=context_vector, tokens=tokens,
    )  # fmt: skip


def _unit(matrix: np.ndarray) -> np.ndarray:
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def latency(history: History, embedder: OnnxEmbedder) -> dict[str, float]:
    """Milliseconds of a warm question, embedding, ranking and choice of rows included."""
    times, cpu = [], []
    for i in range(N_QUESTIONS + 6):
        text = QUESTIONS[i % len(QUESTIONS)]
        started, started_cpu = time.perf_counter(), time.process_time()
        planned = plan(text)
        vectors, tokens = embedder.embed_tokens([("", text)])
        ranked = rank(history, Question(text, vectors[0], tokens[0], planned))
        ranked.rows(n_rows(ranked.scores, planned.breadth, with_graph=True))
        times.append((time.perf_counter() - started) * 1_000)
        cpu.append((time.process_time() - started_cpu) * 1_000)
    p50, p99 = np.quantile(times[6:], [0.5, 0.99])
    busy = float(np.quantile(cpu[6:], 0.5))  # what a loaded machine does not stretch
    return {"p50_ms": round(float(p50), 1), "p99_ms": round(float(p99), 1), "cpu_p50_ms": round(busy, 1)}


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
    return {"rows_per_cpu_s": round(len(texts) / ours, 1), "bare_model_rows_per_cpu_s": round(len(texts) / bare, 1)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 100_000])
    embedder = OnnxEmbedder()
    embedder.embed(["warm"])
    found: dict[str, object] = {"encoding": encoding(embedder)}
    for n in parser.parse_args().rows:
        started = time.perf_counter()
        history = make_history(n)
        built = time.perf_counter() - started
        found[str(n)] = latency(history, embedder) | {"built_s": round(built, 1)}
        print(n, found[str(n)], flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
