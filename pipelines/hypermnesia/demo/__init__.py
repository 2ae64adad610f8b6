"""A small archive and questions about it, so that a newcomer has something to build a memory from.

Five made-up people, one file each, in the format of `contracts/jsonl.md`. What a real archive does
is in it: things that happen again, plans that move or fall through, facts that change, names that
look alike, answers that only make sense beside their question. Two of the people hold the same
conversation. Each question names the messages that answer it (`evidence`: their own ids).
"""

from __future__ import annotations

from pathlib import Path

SAMPLE = Path(__file__).parent / "sample"
#: Runs of an agent in the toy household (`inspection/household.py`), in the form of `contracts/task_sessions.md`.
TASKS = Path(__file__).parent / "tasks"
QUESTIONS = Path(__file__).parent / "questions.jsonl"
