"""`hypermnesia serve` as people start it: a process with a socket, and the keys' commands."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result
from served_home import KEY, open_home

from hypermnesia.cli import main
from hypermnesia.engine.progress import Progress
from hypermnesia.stages.ingest import ArchiveInput

ENVIRONMENT = {"HYPERMNESIA_LAKE_KEY": KEY}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("socket")
    said = {"user": "ann", "conversation": "c", "id": "1", "speaker": "Ann", "text": "I went hiking with Maya."}
    (root / "a.jsonl").write_text(json.dumps(said) + "\n")
    open_home(root / "home", extractor="verbatim").backfill([ArchiveInput(root / "a.jsonl")], Progress())
    return root / "home"


def run(home: Path, *words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--home", str(home)], env=ENVIRONMENT)


@contextmanager
def serving(home: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the address that it says it serves."""
    words = [sys.executable, "-m", "hypermnesia", "serve", "--port", "0", "--home", str(home), *options]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, **ENVIRONMENT})
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        yield process, found[0]
    finally:
        process.kill()
        process.wait()


def test_a_real_server_answers_and_ends(home: Path) -> None:
    token = run(home, "keys", "add", "--user", "ann", "--name", "laptop").stdout.strip()
    with serving(home) as (process, url):
        assert url.startswith("http://127.0.0.1:")
        with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
            assert client.get("/healthz").json() == {"status": "ok"}
            assert client.get("/readyz").json() == {"status": "ready"}
            refused = client.post("/v1/ask", json={"question": "Who went hiking?"})
            assert refused.status_code == 401 and "server" not in refused.headers
            client.headers["Authorization"] = f"Bearer {token}"
            answer = client.post("/v1/ask", json={"question": "Who went hiking?"}).json()
            assert [row["text"] for row in answer["rows"]] == ["I went hiking with Maya."]
            (key,) = json.loads(run(home, "keys", "list", "--json").stdout)
            run(home, "keys", "revoke", key["key_id"])
            assert client.post("/v1/ask", json={"question": "Who went hiking?"}).status_code == 401
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        assert process.stderr is not None and "hiking" not in process.stderr.read()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_machines_are_let_in_only_on_request(home: Path, host: str) -> None:
    result = run(home, "serve", "--host", host)
    assert result.exit_code == 2 and "--allow-remote" in result.output


def test_a_port_that_is_taken_is_one_line(home: Path) -> None:
    with serving(home) as (_, url):
        result = run(home, "serve", "--port", url.rpartition(":")[2])
    assert result.exit_code == 1 and "can't listen on 127.0.0.1" in result.output and "Traceback" not in result.output


def test_keys_are_hashed_private_and_shown_once(home: Path) -> None:
    added = json.loads(run(home, "keys", "add", "--service", "--vault", "--json").stdout)
    file = home / "api_keys.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    listed = run(home, "keys", "list", "--json").stdout + run(home, "keys", "list").stdout
    secret = added["token"].rpartition("_")[2]
    assert added["key_id"] in listed and secret not in file.read_text() + listed
    assert added["is_service"] and added["may_read_vault"] and added["user"] is None


@pytest.mark.parametrize("options", [(), ("--user", "ann", "--service")])
def test_a_key_is_of_a_user_or_a_service(home: Path, options: tuple[str, ...]) -> None:
    assert run(home, "keys", "add", *options).exit_code == 2


def test_a_key_of_nobody_is_an_error(home: Path) -> None:
    assert run(home, "keys", "add", "--user", " ").exit_code == 1
    assert run(home, "keys", "revoke", "00000000").exit_code == 1


def test_without_a_memory_there_is_nothing_to_serve(tmp_path: Path) -> None:
    for words in (("serve",), ("keys", "list"), ("core", "ann"), ("procedures", "ann", "x"), ("resources", "ann", "x")):
        result = run(tmp_path / "none", *words)
        assert result.exit_code == 1 and "no memory in" in result.output
    assert not (tmp_path / "none").exists()
