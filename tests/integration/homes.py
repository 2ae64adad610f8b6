"""Small homes for tests of the engine: a fixed key, a fast embedder, no tracking."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from hypermnesia.app import App
from hypermnesia.engine.commits import never_crash
from hypermnesia.engine.flow import Flow, RunReport
from hypermnesia.engine.inline import InlineExecutor
from hypermnesia.engine.progress import Progress
from hypermnesia.engine.tracking import SafeTracker
from hypermnesia.ports import Tokens
from hypermnesia.settings import load
from hypermnesia.stages.ingest import ArchiveInput

Vectors = np.ndarray[Any, np.dtype[np.float32]]

KEY = "a key for tests, of 16 bytes or more"


class HashEmbedder:
    """A unit vector from a text's hash: no meaning, no model."""

    model, dimension = "hash-384", 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = [np.frombuffer(hashlib.shake_256(t.encode()).digest(384), np.uint8).astype(np.float32) for t in texts]
        matrix = np.array(rows, np.float32).reshape(len(texts), 384) - 127.5
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def embed_tokens(self, texts: Sequence[tuple[str, str]]) -> tuple[Vectors, list[Tokens]]:
        vectors = self.embed(["".join(pair) for pair in texts])
        signs = [np.where(vector[:8] > 0, 100, -100).astype(np.int8).reshape(1, 8) for vector in vectors]
        return vectors, [Tokens(np.array([7], np.uint16), sign) for sign in signs]


def make_app(home: Path, **settings: Any) -> App:
    chosen = {"lake_key": KEY, "executor": "inline", "tracking": "off", "shard_messages": 16, "shard_records": 8}
    app = App(load(home=home, **(chosen | settings)))
    app.__dict__["embedder"] = HashEmbedder()
    return app


def run_stages(
    app: App, inputs: Sequence[Path], crash: Callable[[str], None] = never_crash, lake: Any = None
) -> RunReport:
    """The lake's stages, without the index, in this process."""
    if lake is not None:
        app.__dict__["lake"] = lake
    at = datetime.now(UTC)
    flow = Flow(
        app.lake,
        InlineExecutor(),
        SafeTracker(None, print),
        Progress(),
        leases=app.settings.home / "leases",
        lease_wait_s=0,
        reject_budget=app.settings.reject_budget,
        crash=crash,
    )
    steps = app.stages([ArchiveInput(path) for path in inputs], at, Progress())
    return flow.run("backfill", steps, {}, dict)


def write_archives(folder: Path) -> list[Path]:
    """Two overlapping archives of two users: an edit, a broken line, a secret, a message that says nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[Any]] = {"one.jsonl": [], "two.jsonl": []}
    for number in range(60):
        user = "ann" if number % 3 else "ben"
        line = {
            "user": user,
            "conversation": f"c{number // 20}",
            "id": f"m{number}",
            "speaker": ["Ann", "Ben"][number % 2],
            "text": f"message number {number} about {['tea', 'rain', 'trains'][number % 3]}",
            "time": f"2024-03-{1 + number // 20:02}T09:{number % 60:02}:00Z",
        }
        lines["one.jsonl"].append(line)
        if number % 2:
            lines["two.jsonl"].append(line)
    lines["one.jsonl"].append({**lines["one.jsonl"][5], "text": "edited", "edited_at": "2024-04-01T00:00:00Z"})
    for number, firm in enumerate(("Harrow Tools", "Harrow Tools Inc.")):
        said = {"id": f"firm{number}", "text": f"I work at {firm}. My sister lives in Lisbon."}
        lines["one.jsonl"].append({**lines["one.jsonl"][5], **said})
    lines["one.jsonl"].append({**lines["one.jsonl"][6], "id": "quiet", "text": "..."})
    lines["one.jsonl"].append({**lines["one.jsonl"][7], "id": "secret", "text": "the wifi password is Tr0ub4dor&3"})
    lines["two.jsonl"].append("not an object")
    paths = []
    for name, rows in lines.items():
        path = folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        paths.append(path)
    return paths
