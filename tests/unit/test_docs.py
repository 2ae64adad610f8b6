"""The README is under test: every command that it names exists, and every command is in it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from hypermnesia.cli import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_readme_names_every_command_and_no_other() -> None:
    written = set(re.findall(r"hypermnesia (\w+)", README)) | set(re.findall(r"`(\w+)(?: [^`]*)?`", README))
    assert set(main.commands) <= written | {"demo"}
    called = set(re.findall(r"^(?:\.venv/bin/)?hypermnesia ([a-z]+)", README, re.MULTILINE))
    assert called <= set(main.commands)


def test_files_and_targets_that_the_readme_names_are_there() -> None:
    for path in re.findall(r"\b((?:notebooks|configs|jobs|pipelines)/[\w/.]+)", README):
        assert (ROOT / path.rstrip("/.")).exists(), path
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.MULTILINE)) <= targets


def test_the_notebook_runs() -> None:
    runpy.run_path(str(ROOT / "notebooks" / "01_one_record.py"))
