"""Slack: the export zip, one folder a channel and in it one file of messages a day.

A message is named by its channel and its `ts`, which stays text: the digits behind the dot are an id, and
only order messages of one second. An instant is given in UTC, with the author's zone where `users.json`
knows it. A bot's message is a tool's. The export names no owner. Lists of channels and people, canvases and
integration logs hold no messages; any other file of the zip is refused by name.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, cast

from hypermnesia.archives.files import read_pieces
from hypermnesia.archives.json_items import read_items
from hypermnesia.archives.slack_messages import read_event
from hypermnesia.archives.slack_workspace import Workspace, text_or_empty
from hypermnesia.archives.zip_breaks import member_names, whole_or_refused
from hypermnesia.archives.zips import read_members
from hypermnesia.ports import Entry, Refusal

_CHANNEL_LISTS = {"channels.json", "groups.json", "dms.json", "mpims.json"}
_NO_MESSAGES = {"integration_logs.json", "canvases.json", "lists.json", "file_conversations.json", "user_groups.json"}
_DAY = re.compile(r"(?:^|/)([^/]+)/\d{4}-\d\d-\d\d\.json$")


class SlackReader:
    """Reads a workspace's export as Slack gives it."""

    name = "slack"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """A zip with a list of channels, or with people and days."""
        names = member_names(path)
        files, has_day = {PurePosixPath(name).name for name in names}, any(map(_DAY.search, names))
        if "conversations.json" in files and not has_day:
            return False
        return bool(files & _CHANNEL_LISTS) or (has_day and "users.json" in files)

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages by channel and day; a broken message, file or list costs itself."""
        space = Workspace()
        for names in ({"users.json"}, _CHANNEL_LISTS):  # a direct conversation's title needs its people
            for member in whole_or_refused(path.name, read_members(path)):
                if not isinstance(member, Refusal) and _is_list(member.at, names):
                    yield from _read_list(member, space)
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
        elif day := _DAY.search(member.at):
            yield from whole_or_refused(member.at, _read_day(member, day[1], space))
        elif not _is_known(member.at):
            yield Refusal("not_messages", member.at, "it is no day of a channel; import it by itself")


def _is_list(name: str, names: set[str]) -> bool:
    return PurePosixPath(name).name in names and not _DAY.search(name)


def _is_known(name: str) -> bool:
    path = PurePosixPath(name)
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return is_hidden or path.name in {"users.json", *_CHANNEL_LISTS, *_NO_MESSAGES}


def _items(member: zipfile.Path, what: str) -> Iterator[tuple[str, Any] | Refusal]:
    """The items of a member's array. A member is read as a path is."""
    return read_items(read_pieces(cast(Path, member)), f"{member.at} {what}")


def _read_list(member: zipfile.Path, space: Workspace) -> Iterator[Refusal]:
    is_people = member.name == "users.json"
    for item in whole_or_refused(member.at, _items(member, "entry")):
        if isinstance(item, Refusal):
            yield item
            continue
        where, fields = item
        if not isinstance(fields, dict) or not text_or_empty(fields.get("id")):
            yield Refusal("not_in_a_list", where, "an entry needs a text `id`; messages keep the id as its name")
        elif is_people:
            space.add_person(fields)
        else:
            space.add_channel(fields)


def _read_day(member: zipfile.Path, folder: str, space: Workspace) -> Iterator[Entry | Refusal]:
    channel, title = space.folder(folder)
    for item in _items(member, "message"):
        if isinstance(item, Refusal):
            yield item
            continue
        where, fields = item
        place = Entry(user=None, conversation=channel, locator=where, text="", speaker="", role="person", title=title)
        yield from read_event(place, fields, space)
