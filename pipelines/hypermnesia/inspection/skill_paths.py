"""`show` for what was learned: step -> edit -> experience -> quote -> message, from whichever end it is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypermnesia.ports import Lake

Row = dict[str, Any]

#: Where ids of what was learned are looked up, by their prefix: table and column.
PLACES = {
    "ses": ("sessions", "session_id"),
    "exp": ("experiences", "experience_id"),
    "skl": ("skills", "skill_id"),
    "edt": ("skill_edits", "edit_id"),
    "use": ("skill_uses", "use_id"),
}
_MESSAGE = ("message_id", "content_hash", "conversation", "native_id", "kind", "text")


class SkillPaths:
    """Follows what was learned to where it came from. The rows of one user, or of users that are declared one.

    For a `reader` other users' messages are left out: only what a skill quotes of them is shown.
    """

    def __init__(self, lake: Lake, reader: str | None = None) -> None:
        self._lake = lake
        self._reader = reader

    def show(self, table: str, rows: list[Row]) -> dict[str, Any]:
        """What a row of these tables came from and what it supports."""
        row = rows[-1]
        if table == "sessions":
            ids = [row["session_id"]]
            return {
                "says": self._quoted(row["quote"]) if row["quote"] else None,
                "experiences": [_named(one, "kind") for one in self._rows("experiences", "session_id", ids)],
            }
        if table == "experiences":
            edits = [edit for edit in self._rows("skill_edits", "user_id", self._owners(row)) if _is_from(edit, row)]
            return {
                "session": self._rows("sessions", "session_id", [row["session_id"]]),
                "says": [self._quoted(step["action"]) for step in row["steps"]],
                "shown_by": self._quoted(row["quote"]) if row["quote"] else None,
                "edits": [_named(edit, "decision", "reason", "skill_id", "to_version") for edit in edits],
            }
        if table == "skill_edits":
            return {"changes": [self._change(change) for change in row["changes"]]}
        if table == "skills":
            return self._skill(rows)
        return {"skill": self._rows("skills", "skill_id", [row["skill_id"]])}

    def _skill(self, rows: list[Row]) -> dict[str, Any]:
        """The newest version's steps, each with the edit that wrote it, its experience, and the message."""
        newest = max(rows, key=lambda row: row["version"])
        edits = sorted(
            self._rows("skill_edits", "skill_id", [newest["skill_id"]]), key=lambda row: row["to_version"] or 0
        )
        return {
            "version": newest["version"],
            "from": [self._step(step, edits) for step in newest["steps"]],
            "edits": [_named(edit, "decision", "reason", "from_version", "to_version", "judge") for edit in edits],
        }

    def _step(self, step: Row, edits: Iterable[Row]) -> dict[str, Any]:
        wrote = [edit for edit in edits if any(change["new"] == step["text"] for change in edit["changes"])]
        return {
            "step": step["text"],
            "edit_id": wrote[-1]["edit_id"] if wrote else None,
            "experience_id": step["citation"]["experience_id"],
            "session_id": step["citation"]["session_id"],
            "says": self._quoted(step["citation"]["action"]),
        }

    def _change(self, change: Row) -> dict[str, Any]:
        cited = change["citation"]
        shown = {name: change[name] for name in ("part", "n", "old", "new", "verdict")}
        if cited is None:
            return shown
        return {**shown, "experience_id": cited["experience_id"], "says": self._quoted(cited["action"])}

    def _quoted(self, span: Row) -> dict[str, Any]:
        """A quote with its message, and whether the message has these words at that place."""
        rows = [
            row
            for row in self._rows("messages", "message_id", [span["message_id"]])
            if row["content_hash"] == span["content_hash"]
        ]
        is_found = bool(rows) and rows[0]["text"][span["start"] : span["end"]] == span["text"]
        is_shown = bool(rows) and self._reader in (None, rows[0]["user_id"])
        message = {name: rows[0][name] for name in _MESSAGE} if is_shown else None
        return {"quote": span["text"], "start": span["start"], "is_found": is_found, "message": message}

    def _owners(self, row: Row) -> list[str]:
        """Whose skills an experience may be in: its user's, or those of what its user is declared to be."""
        return [row["agent"]] if row["is_shared"] else [row["user_id"]]

    def _rows(self, table: str, column: str, values: list[str]) -> list[Row]:
        found: list[Row] = self._lake.read(table, equals={column: values}).to_pylist()
        return found


def _is_from(edit: Row, experience: Row) -> bool:
    is_own = edit["agent"] == experience["agent"] and edit["is_shared"] == experience["is_shared"]
    return bool(is_own and experience["experience_id"] in edit["experience_ids"])


def _named(row: Row, *names: str) -> Row:
    own = next(name for name in ("edit_id", "experience_id") if name in row)
    return {name: row[name] for name in (own, *names)}
