"""Makes `adapters/minilm_token_axes.npz`: the principal axes of the token vectors of the demo's chats.

`python -m tests.bench.token_axes FILE`; the last line is the file's sha256. The text was written for this project.
"""

from __future__ import annotations

import hashlib
import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

from hypermnesia.adapters.onnx import TOKEN_DIMENSION, VOCABULARY, _bundled_model, _run, _session, _tokenizer, _unit
from hypermnesia.rules.embedding_text import own_text, text_before

SAMPLE = Path(__file__).parents[2] / "pipelines" / "hypermnesia" / "demo" / "sample"


def chats() -> list[str]:
    """Each message of the demo's chats with the one before it."""
    texts = []
    for path in sorted(SAMPLE.glob("*.jsonl")):
        said = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        pairs = ((a, b) for a, b in pairwise(said) if "text" in a and "text" in b)
        texts += [
            text_before(a.get("speaker"), a["text"]) + own_text(b.get("speaker") or "", b["text"]) for a, b in pairs
        ]
    return texts


def main(target: Path) -> None:
    tokenizer, session = _tokenizer(VOCABULARY), _session(_bundled_model())
    states = np.concatenate([_run(session, [tokenizer.encode(text).ids])[0][1:-1] for text in chats()])
    unit = _unit(states).astype(np.float64)
    _, axes = np.linalg.eigh(np.cov(unit.T))
    chosen = axes[:, ::-1][:, :TOKEN_DIMENSION]
    signs = np.sign(chosen[np.abs(chosen).argmax(axis=0), np.arange(TOKEN_DIMENSION)])
    np.savez(target, axes=(chosen * signs).astype(np.float32))
    print(json.dumps({"n_tokens": len(unit), "sha256": hashlib.sha256(target.read_bytes()).hexdigest()}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
