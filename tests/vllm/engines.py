"""Real engines for tests on a CPU: a small model's folder, its configuration, a server over it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hypermnesia.adapters.vllm import VllmEngine

NAME = "smollm2"
MODEL = Path(os.environ.get("HYPERMNESIA_TEST_MODEL", ""))
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "OMP_NUM_THREADS": "1",
}
os.environ.update(ENVIRONMENT)

needs_model = pytest.mark.skipif(
    not (MODEL / "config.json").exists(), reason="HYPERMNESIA_TEST_MODEL names no model's folder; see `make test-vllm`"
)


def small_engine() -> VllmEngine:
    """float32 and eager, since CPUs without bfloat16 are slow at it; blocks of 32, so that prefixes are found."""
    return VllmEngine(
        model=str(MODEL),
        name=NAME,
        dtype="float32",
        max_model_len=1_024,
        max_num_seqs=8,
        max_num_batched_tokens=1_024,
        extra={"enforce_eager": True, "block_size": 32},
    )


@contextmanager
def server(max_model_len: int = 1_024) -> Iterator[str]:
    """`vllm serve` on loopback; gives its address, which answers within a minute or two."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(MODEL)]
    command += ["--served-model-name", NAME, "--host", "127.0.0.1", "--port", str(port), "--dtype", "float32"]
    command += ["--max-model-len", str(max_model_len), "--max-num-seqs", "8"]
    command += ["--max-num-batched-tokens", str(max_model_len)]
    command += ["--enforce-eager", "--block-size", "32", "--enable-prompt-tokens-details"]
    # On a CPU the engine dies of a sampled call with a seed (a vote) whose prompt it reads in two parts.
    command += ["--no-enable-chunked-prefill"]
    command += ["--structured-outputs-config", '{"backend": "xgrammar", "disable_any_whitespace": true}']
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


class EngineKiller:
    """Kills one engine that this process started, once an answer is in the spool; `killed` is its process's id."""

    def __init__(self, spool: Path) -> None:
        self.killed: int | None = None
        self._spool = spool
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._kill_one, daemon=True)

    def __enter__(self) -> EngineKiller:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _kill_one(self) -> None:
        while self.killed is None and not self._is_over.wait(0.1):
            has_answer = any(path.stat().st_size > 0 for path in self._spool.glob("*/*.arrow"))
            if has_answer and (pids := engines_below(os.getpid())):
                os.kill(pids[0], signal.SIGKILL)
                self.killed = pids[0]


def engines_below(ancestor: int) -> list[int]:
    """The processes of vLLM's engines (`VLLM::EngineCore`) that a process or one below it started."""
    lines = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True).stdout.splitlines()
    parents = {int(pid): int(parent) for pid, parent, *_ in map(str.split, lines)}

    def is_below(pid: int) -> bool:
        while pid in parents and pid != ancestor:
            pid = parents[pid]
        return pid == ancestor

    engines = [int(line.split()[0]) for line in lines if "EngineCore" in line]
    return [pid for pid in engines if is_below(pid)]
