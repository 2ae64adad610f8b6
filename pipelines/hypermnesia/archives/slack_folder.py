"""An unpacked Slack export: which of its files are days and lists, and what its lists say.

A day's file is read by itself, with the lists that lie above it, so that a large export is many shards.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from hypermnesia.archives.slack_workspace import Workspace, read_list

CHANNEL_LISTS = {"channels.json", "groups.json", "dms.json", "mpims.json"}
NO_MESSAGES = {"integration_logs.json", "canvases.json", "lists.json", "file_conversations.json", "user_groups.json"}
DAY = re.compile(r"(?:^|/)([^/]+)/\d{4}-\d\d-\d\d\.json$")

_LISTS = ("users.json", *sorted(CHANNEL_LISTS))  # a direct conversation's title needs its people


def is_day(path: Path) -> bool:
    """Whether a file is a channel's day in an export: its name, and lists two folders above."""
    path = path.absolute()
    return DAY.search(path.as_posix()) is not None and bool(_stamps(path.parent.parent))


def is_list(path: Path) -> bool:
    """Whether a file is a list of people or channels above some channel's days."""
    return path.name in _LISTS and _has_days(path.parent)


def holds_no_messages(path: Path) -> bool:
    """Whether a file is another list of an export, of which no entry was said by anybody."""
    return path.name in NO_MESSAGES and bool(_stamps(path.parent)) and _has_days(path.parent)


def workspace_of(day: Path) -> Workspace:
    """What the lists above a day say; what is broken in them is told where the list itself is read."""
    root = day.absolute().parent.parent
    return _workspace(root, _stamps(root))


def _stamps(root: Path) -> tuple[tuple[str, int, int], ...]:
    """The lists that lie in a folder, each with its size and time."""
    found = ((name, root / name) for name in _LISTS if (root / name).is_file())
    return tuple((name, file.stat().st_size, file.stat().st_mtime_ns) for name, file in found)


def _has_days(root: Path) -> bool:
    return any(DAY.search(file.as_posix()) for file in root.glob("*/*.json"))


@lru_cache(maxsize=4)
def _workspace(root: Path, stamps: tuple[tuple[str, int, int], ...]) -> Workspace:
    """Held, since each of thousands of days needs it; other stamps are other lists."""
    space = Workspace()
    for name, *_ in stamps:
        for _ in read_list(root / name, "", space):
            pass
    return space
