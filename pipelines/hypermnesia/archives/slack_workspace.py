"""What a Slack export's lists say: people and channels, by id. A list names what it knows; the rest keeps its id."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypermnesia.archives.files import read_pieces
from hypermnesia.archives.json_items import read_items
from hypermnesia.archives.slack_markup import readable
from hypermnesia.ports import Refusal
from hypermnesia.rules.times import zone


@dataclass(frozen=True, slots=True)
class Person:
    """Who somebody is, by `users.json`."""

    name: str
    timezone: str | None
    is_bot: bool


@dataclass(slots=True)
class Workspace:
    """What the lists say: people by id, channels by folder and by id."""

    people: dict[str, Person] = field(default_factory=dict)
    folders: dict[str, tuple[str, str]] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)

    def add_person(self, fields: dict[str, Any]) -> None:
        """Takes an entry of `users.json`; a time zone that nobody knows is left out."""
        user, profile = fields["id"], fields.get("profile")
        shown = profile if isinstance(profile, dict) else {}
        named = (shown.get("real_name"), fields.get("real_name"), shown.get("display_name"), fields.get("name"))
        timezone = text_or_empty(fields.get("tz")) or None
        try:
            zone(timezone or "UTC")
        except ValueError:
            timezone = None
        name = next(filter(None, map(text_or_empty, named)), user)
        self.people[user] = Person(name, timezone, fields.get("is_bot") is True)

    def add_channel(self, fields: dict[str, Any]) -> None:
        """Takes an entry of a list of channels. A direct conversation is titled by its members."""
        channel, name = fields["id"], text_or_empty(fields.get("name"))
        members = fields.get("members")
        people = [self.person(m) for m in members if isinstance(m, str)] if isinstance(members, list) else []
        is_direct = not name or name.startswith("mpdm-")
        title = (", ".join(people) if is_direct else "") or name or channel
        self.folders[name or channel] = (channel, title)
        self.channels[channel] = title

    def person(self, user: str) -> str:
        """A person's name, else the id."""
        if user in self.people:
            return self.people[user].name
        return "Slackbot" if user == "USLACKBOT" else user

    def channel(self, channel: str) -> str:
        """A channel's name, else the id."""
        return self.channels.get(channel, channel)

    def folder(self, folder: str) -> tuple[str, str]:
        """Id and title of the channel whose days a folder holds; the folder's name for both where unknown."""
        return self.folders.get(folder) or (folder, self.channels.get(folder, folder))

    def readable(self, text: str) -> str:
        """A text with mentions, channels and links as people see them."""
        return readable(text, self.person, self.channel)


def read_list(file: Path, at: str, space: Workspace) -> Iterator[Refusal]:
    """Takes a list of people (`users.json`) or of channels into the workspace; a broken entry costs itself.

    `at` is the file's name in the zip, "" for a file of its own.
    """
    for item in read_items(read_pieces(file), f"{at} entry".strip()):
        if isinstance(item, Refusal):
            yield item
            continue
        where, fields = item
        if not isinstance(fields, dict) or not text_or_empty(fields.get("id")):
            yield Refusal("not_in_a_list", where, "an entry needs a text `id`; messages keep the id as its name")
        elif file.name == "users.json":
            space.add_person(fields)
        else:
            space.add_channel(fields)


def text_or_empty(value: Any) -> str:
    """A text without its margins; anything else is empty."""
    return value.strip() if isinstance(value, str) else ""
