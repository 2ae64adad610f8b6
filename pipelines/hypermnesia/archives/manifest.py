"""A manifest: many archives at once, a YAML list of path, format, user, timezone and source_id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

FIELDS = {"path", "format", "user", "timezone", "source_id"}


def read_manifest(path: Path) -> list[dict[str, Any]]:
    """The manifest's lines; paths are relative to the manifest's folder.

    Raises `ValueError` naming file and line for one that is not understood.
    """
    lines = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(lines, list):
        raise ValueError(f"{path}: a manifest is a list of archives")
    return [_line(path, number, line) for number, line in enumerate(lines, start=1)]


def _line(path: Path, number: int, line: Any) -> dict[str, Any]:
    if not isinstance(line, dict) or "path" not in line:
        raise ValueError(f"{path} entry {number}: needs `path`")
    if unknown := set(line) - FIELDS:
        raise ValueError(f"{path} entry {number}: unknown {sorted(unknown)}; there are {sorted(FIELDS)}")
    if not all(isinstance(value, str) for value in line.values()):
        raise ValueError(f"{path} entry {number}: every value must be text")
    return {**line, "path": path.parent / line["path"]}
