"""Runs in WebShop (Yao et al. 2022): rows of the generic form that begin with `reset`, whose answer is the page.

The score stays an attribute: nothing of it is read as words of the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypermnesia.archives.json_rows import Rest, first_items, read_rows
from hypermnesia.archives.task_sessions import read_session
from hypermnesia.ports import Entry, Refusal

_RESET = "reset"


class WebshopLogsReader:
    """Reads rows with `task` and steps, the first of which is `reset`."""

    name = "webshop_logs"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the first rows begins with `reset` and its page."""
        return any("task" in fields and _is_run(fields.get("steps")) for fields in first_items(head))

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages of the runs, row by row."""
        for row in read_rows(path, "run"):
            if isinstance(row, Refusal):
                yield row
            else:
                locator, fields = row
                yield from read_session(locator, _without_reset(fields))


def _is_run(steps: Any) -> bool:
    if isinstance(steps, Rest):
        return f'"{_RESET}"' in steps[:200] and "Webshop" in steps[:400]
    return _page(steps) is not None


def _page(steps: Any) -> str | None:
    """The page that `reset` was answered by; None where a run does not begin so."""
    first = steps[0] if isinstance(steps, list) and steps else None
    if not isinstance(first, dict) or first.get("action") != _RESET:
        return None
    page = first.get("observation")
    return page if isinstance(page, str) and page.lstrip().startswith("Webshop") else None


def _without_reset(fields: Any) -> Any:
    """The row with its first page as opening: `reset` is the harness's action, not the agent's."""
    page = _page(fields.get("steps")) if isinstance(fields, dict) else None
    return fields if page is None else {**fields, "opening": page, "steps": fields["steps"][1:]}
