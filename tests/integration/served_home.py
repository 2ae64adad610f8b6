"""A home of several users with hostile names, built once a module, with its API in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from hypermnesia.api.http import make_api
from hypermnesia.api.reads import Reads
from hypermnesia.app import App
from hypermnesia.engine.progress import Progress
from hypermnesia.settings import load
from hypermnesia.stages.ingest import ArchiveInput

KEY = "a key for tests, of 16 bytes or more"
SECRET = "Tr0ub4dor&3"
ANN = "ann"
#: Names that a filter, a path or a prefix could be led astray by.
HOSTILE = (
    "an",
    "ann'",
    'ann" or user_id != "',
    "ann\\",
    "ann%",
    "ann*",
    "Ann",
    "änn/../ann",
    "用户 1",
    "ann' OR '1'='1",
)

SAID = [
    ("I live in Paris.", "2023-01-01"),
    ("I'm allergic to nuts.", "2023-02-01"),
    ("I live in Berlin now.", "2024-03-01"),
    ("To make sourdough: 1. feed the starter at night. 2. mix it at 7. 3. bake it at 240 degrees.", "2024-03-02"),
    (f"the wifi password is {SECRET}", "2024-03-03"),
    ("I went hiking with Maya in Norway yesterday.", "2024-03-04"),
]
HANDBOOK = """# Handbook

## Kitchen
The espresso machine is descaled with vinegar every month.

## Garden
The orchid gets water on Mondays.
"""


def word_of(user: str) -> str:
    """A word that only this user says."""
    return f"zebra{sum(user.encode()) * 7919 % 100_003}"


def build_home(root: Path, **settings: Any) -> App:
    """Everything of `ann`, one remark of each hostile user."""
    archive, handbook = root / "talk.jsonl", root / "handbook.md"
    lines = [_line(ANN, str(n), text, day) for n, (text, day) in enumerate(SAID)]
    lines += [_line(user, "0", f"I keep a {word_of(user)} in Rome. I live in Rome.", "2024-01-01") for user in HOSTILE]
    archive.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    handbook.write_text(HANDBOOK)
    app = open_home(root / "home", **settings)
    app.backfill([ArchiveInput(archive), ArchiveInput(handbook, user=ANN)], Progress())
    return app


def open_home(home: Path, **settings: Any) -> App:
    return App(load(home=home, lake_key=KEY, executor="inline", tracking="off", **settings))


def _line(user: str, native: str, text: str, day: str) -> dict[str, str]:
    said = {"user": user, "conversation": "c", "id": native, "speaker": "Sam", "role": "user"}
    return {**said, "text": text, "time": f"{day}T09:00:00Z"}


class Caller:
    """Calls an API with one key."""

    def __init__(self, reads: Reads, token: str | None) -> None:
        self._client = TestClient(make_api(reads), raise_server_exceptions=False)
        if token is not None:
            self._client.headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str, **kwargs: Any) -> Any:
        return self._client.get(path, **kwargs)

    def post(self, path: str, **kwargs: Any) -> Any:
        return self._client.post(path, **kwargs)

    def request(self, method: str, path: str, **kwargs: Any) -> Any:
        return self._client.request(method, path, **kwargs)

    def ask(self, question: str, **asked: Any) -> Any:
        return self.post("/v1/ask", json={"question": question, **asked})
