"""How fast the archive readers read, and in how much memory: `make bench-archives`.

For each format an export of about 500 MB of generated chat (`ARGS="--size 50"`, in MB) is written into a temporary
folder, read once by the reader in a process of its own, and deleted. The bytes of a zip are those of its unpacked
files. The time is the reader's alone: no ids, no secrets, no lake.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hypermnesia.archives import READERS, KnownArchives
from hypermnesia.ports import Entry
from tests.bench.generated_exports import WRITERS

MB = 1_000_000


def main() -> None:
    names = [reader.name for reader in READERS]
    if missing := set(names) - set(WRITERS):
        raise ValueError(f"no generated export of {', '.join(sorted(missing))}: write one in generated_exports.py")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=float, default=500, help="MB of each export (500)")
    parser.add_argument("--format", choices=names, action="append", help="only these formats")
    parser.add_argument("--write", nargs=2, metavar=("FORMAT", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--read", nargs=2, metavar=("FORMAT", "PATH"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.write:
        print(json.dumps(_write(args.write[0], Path(args.write[1]), round(args.size * MB))))
    elif args.read:
        print(json.dumps(_read(args.read[0], Path(args.read[1]))))
    else:
        print(f"{'format':<16}{'messages':>10}{'messages/s':>12}{'MB/s':>8}{'peak MB':>9}", flush=True)
        print(json.dumps({"formats": {name: _measure(name, args.size) for name in args.format or names}}))


def _measure(name: str, size: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="hypermnesia-bench-") as folder:
        written = _in_a_process("--write", name, folder, "--size", str(size))
        found = _in_a_process("--read", name, written["path"])
    per_s, mb_per_s = round(found["messages"] / found["seconds"]), round(written["mb"] / found["seconds"], 1)
    peak = round(found["peak_mb"])
    print(f"{name:<16}{found['messages']:>10}{per_s:>12}{mb_per_s:>8}{peak:>9}", flush=True)
    return {"messages_per_s": per_s, "mb_per_s": mb_per_s, "peak_mb": peak}


def _in_a_process(*arguments: str) -> dict[str, Any]:
    """What one step of this module prints. A process starts with its parent's peak, so this one stays small."""
    command = [sys.executable, "-m", "tests.bench.archives", *arguments]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return found


def _write(name: str, folder: Path, size: int) -> dict[str, Any]:
    path, n_bytes = WRITERS[name](folder, size)
    return {"path": str(path), "mb": n_bytes / MB}


def _read(name: str, path: Path) -> dict[str, Any]:
    """{"messages", "seconds", "peak_mb"} of reading what is at a path; a refusal means that the export is wrong."""
    archives, n = KnownArchives(), 0
    started = time.perf_counter()
    for file, _ in archives.find(path):
        reader = archives.recognise(file)
        if reader is None or reader.name != name:
            raise ValueError(f"{file} is not taken for {name}")
        for entry in reader.read(file):
            if not isinstance(entry, Entry):
                raise ValueError(f"{file}: {entry}")
            n += 1
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (MB if sys.platform == "darwin" else 1_000_000 / 1024)
    return {"messages": n, "seconds": seconds, "peak_mb": peak}


if __name__ == "__main__":
    main()
