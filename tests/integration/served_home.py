"""A home of several users with hostile names, built once a module, with its API in this process."""

from __future__ import annotations

import json
from datetime import UTC, datetime
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
    runs = root / "runs.jsonl"
    runs.write_text(
        "".join(json.dumps(run_of(n, thing, ANN)) + "\n" for n, thing in enumerate(THINGS)), encoding="utf-8"
    )
    app.backfill([ArchiveInput(archive), ArchiveInput(handbook, user=ANN), ArchiveInput(runs)], Progress())
    app.run("learn", app.skills.stages, Progress(), datetime.now(UTC))
    return app


THINGS = ("cup", "plate", "spoon", "towel", "apple")


def run_of(number: int, thing: str, user: str) -> dict[str, Any]:
    """A run of a user's agent that puts a thing into a box."""
    said = [
        ("go to shelf 1", f"On the shelf 1, you see a {thing} 1."),
        (f"take {thing} 1 from shelf 1", f"You pick up the {thing} 1."),
        ("go to box 1", "On the box 1, you see nothing."),
        (f"put {thing} 1 in box 1", f"You put the {thing} 1 there."),
    ]
    steps = [{"action": action, "observation": observation} for action, observation in said]
    task = f"Your task is to: put a {thing} in box."
    return {"id": f"run-{number}", "user": user, "agent": "robot", "task": task, "steps": steps}


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
