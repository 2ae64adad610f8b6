"""Slack: the export zip, one folder a channel and in it one file of messages a day; unpacked, each day by itself.

A message is named by its channel and its `ts`, which stays text: the digits behind the dot are an id, and
only order messages of one second. An instant is given in UTC, with the author's zone where `users.json`
knows it. A bot's message is a tool's. The export names no owner. Lists of channels and people, canvases and
integration logs hold no messages; any other file of the zip is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import cast

from hypermnesia.archives import slack_folder
from hypermnesia.archives.files import read_pieces
from hypermnesia.archives.json_items import read_items
from hypermnesia.archives.slack_folder import CHANNEL_LISTS, DAY, NO_MESSAGES
from hypermnesia.archives.slack_messages import read_event
from hypermnesia.archives.slack_workspace import Workspace, read_list
from hypermnesia.archives.zip_breaks import member_names, whole_or_refused
from hypermnesia.archives.zips import read_members
from hypermnesia.ports import Entry, Refusal


class SlackReader:
    """Reads a workspace's export as Slack gives it."""

    name = "slack"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """A zip with a list of channels, or with people and days; a day or a list of one that was unpacked."""
        if slack_folder.is_day(path) or slack_folder.is_list(path):
            return True
        names = member_names(path)
        files, has_day = {PurePosixPath(name).name for name in names}, any(map(DAY.search, names))
        if "conversations.json" in files and not has_day:
            return False
        return bool(files & CHANNEL_LISTS) or (has_day and "users.json" in files)

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages by channel and day; a broken message, file or list costs itself."""
        if slack_folder.is_day(path):
            yield from _read_day(path, "", path.absolute().parent.name, slack_folder.workspace_of(path))
        elif slack_folder.is_list(path):
            yield from read_list(path, "", Workspace())
        elif not slack_folder.holds_no_messages(path):
            yield from _read_zip(path)


def _read_zip(path: Path) -> Iterator[Entry | Refusal]:
    space = Workspace()
    for names in ({"users.json"}, CHANNEL_LISTS):  # a direct conversation's title needs its people
        for member in whole_or_refused(path.name, read_members(path)):
            if not isinstance(member, Refusal) and _is_list(member.at, names):
                yield from whole_or_refused(member.at, read_list(cast(Path, member), member.at, space))
    is_empty = True
    for found in whole_or_refused(path.name, _read_days(path, space)):
        is_empty = False
        yield found
    if is_empty:
        yield Refusal("no_messages", path.name, "no channel's days are in the zip: export the workspace again")


def _read_days(path: Path, space: Workspace) -> Iterator[Entry | Refusal]:
    for member in read_members(path):
        if isinstance(member, Refusal):
            yield member
        elif day := DAY.search(member.at):
            yield from whole_or_refused(member.at, _read_day(cast(Path, member), member.at, day[1], space))
        elif not _is_known(member.at):
            yield Refusal("not_messages", member.at, "it is no day of a channel; import it by itself")


def _is_list(name: str, names: set[str]) -> bool:
    return PurePosixPath(name).name in names and not DAY.search(name)


def _is_known(name: str) -> bool:
    path = PurePosixPath(name)
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return is_hidden or path.name in {"users.json", *CHANNEL_LISTS, *NO_MESSAGES}


def _read_day(file: Path, at: str, folder: str, space: Workspace) -> Iterator[Entry | Refusal]:
    """A day's messages; `at` is the file's name in the zip. A member of a zip is read as a path is."""
    channel, title = space.folder(folder)
    for item in read_items(read_pieces(file), f"{at} message".strip()):
        if isinstance(item, Refusal):
            yield item
            continue
        where, fields = item
        place = Entry(user=None, conversation=channel, locator=where, text="", speaker="", role="person", title=title)
        yield from read_event(place, fields, space)
