"""`skills show` and `skills diff`: versions of a skill, the decisions behind them, and what changed."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from hypermnesia.rules.skills.markdown import render_skill
from hypermnesia.rules.skills.rows import skill_of
from hypermnesia.skill_view import SkillTables

Row = dict[str, Any]


def versions_of(tables: SkillTables, skill_id: str, version: int | None = None) -> dict[str, Any]:
    """Every version of a skill in a line, its decisions, and one version as Markdown.

    Raises `LookupError` for a skill or a version that there is not.
    """
    rows, edits = _rows(tables, skill_id)
    chosen = _version(rows, skill_id, version if version is not None else _newest(rows))
    names = ("version", "previous", "status", "reason", "checked", "judge", "run_id", "decided_at")
    return {
        "skill_id": skill_id,
        "agent": chosen["agent"],
        "versions": [{name: row[name] for name in names} for row in rows],
        "edits": [_edit(edit) for edit in edits],
        "version": chosen["version"],
        "markdown": _markdown(chosen),
    }


def diff_versions(tables: SkillTables, skill_id: str, old: int | None, new: int | None) -> dict[str, Any]:
    """Two versions of a skill as a unified diff, and the decisions that led from one to the other."""
    rows, edits = _rows(tables, skill_id)
    after = _version(rows, skill_id, new if new is not None else _newest(rows))
    number = old if old is not None else after["previous"]
    if number is None:
        raise LookupError(f"{skill_id} version {after['version']} is its first: there is none before it")
    before = _version(rows, skill_id, number)
    old_name, new_name = (f"version {row['version']} ({row['status']})" for row in (before, after))
    old_lines, new_lines = (_markdown(row).splitlines() for row in (before, after))
    lines = unified_diff(old_lines, new_lines, old_name, new_name, lineterm="", n=1)
    between = [edit for edit in edits if before["version"] < (edit["to_version"] or 0) <= after["version"]]
    return {
        "skill_id": skill_id,
        "old": before["version"],
        "new": after["version"],
        "diff": list(lines),
        "edits": [_edit(edit) for edit in between],
    }


def _rows(tables: SkillTables, skill_id: str) -> tuple[list[Row], list[Row]]:
    owner, _ = tables.owner_of(skill_id)
    rows = sorted(tables.rows("skills", owner, skill_id=skill_id), key=lambda row: row["version"])
    edits = tables.rows("skill_edits", owner, skill_id=skill_id)
    return rows, sorted(edits, key=lambda row: (row["decided_at"], row["edit_id"]))


def _newest(rows: Sequence[Row]) -> int:
    """The newest version that was published; of a skill that never was, the newest."""
    published = [row["version"] for row in rows if row["status"] != "held"]
    return int(max(published or [row["version"] for row in rows]))


def _version(rows: Sequence[Row], skill_id: str, version: int) -> Row:
    for row in rows:
        if row["version"] == version:
            return row
    raise LookupError(f"skill {skill_id} has no version {version}: it has {[row['version'] for row in rows]}")


def _markdown(row: Row) -> str:
    return render_skill(skill_of(row)).replace("status: active", f"status: {row['status']}", 1)


def _edit(edit: Row) -> Row:
    names = ("edit_id", "decision", "reason", "from_version", "to_version", "judge", "run_id", "decided_at")
    return {name: edit[name] for name in names} | {"n_experiences": len(edit["experience_ids"])}
