"""What a Slack export's lists say: people and channels, by id. A list names what it knows; the rest keeps its id."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypermnesia.archives.slack_markup import readable
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


def text_or_empty(value: Any) -> str:
    """A text without its margins; anything else is empty."""
    return value.strip() if isinstance(value, str) else ""
