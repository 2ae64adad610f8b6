"""Products of matrices run in the thread that asks for them."""

from __future__ import annotations

import subprocess
import sys

CODE = (
    "import hypermnesia, os, numpy\n"
    "numpy.ones((400, 400)) @ numpy.ones((400, 400))\n"
    "print(len(os.listdir('/proc/self/task')))\n"
)


def test_numpy_starts_no_threads() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert ran.stdout == "1\n"
