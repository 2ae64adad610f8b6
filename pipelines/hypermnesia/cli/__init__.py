"""`hypermnesia ...`: results on standard output, progress and logs on standard error.

Exit codes: 0 done, 1 failed, 2 usage, 3 reject budget passed. Heavy libraries are imported by the command
that needs them.
"""

from __future__ import annotations

from hypermnesia.cli import (
    asking,
    building,
    consolidating,
    demo,
    evaluating,
    graphs,
    inspecting,
    serving,
    skills,
    typed_reads,
)
from hypermnesia.cli.frame import main

__all__ = [
    "asking",
    "building",
    "consolidating",
    "demo",
    "evaluating",
    "graphs",
    "inspecting",
    "main",
    "serving",
    "skills",
    "typed_reads",
]
