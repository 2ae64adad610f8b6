"""Telegram Desktop: `result.json`, one chat or the whole account's chats, streamed message by message.

A message is named by its chat's id and its own. The owner of a whole export is the account's `user_id`; one chat
names none. An instant is `date_unixtime`; where `date` stands beside it, the wall clock is that of the computer
that exported. A service message is the app's. What was forwarded keeps whose it was. Contacts, sessions and the
other lists of a whole export are no messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypermnesia.archives.files import read_pieces
from hypermnesia.archives.json_tree import read_tree
from hypermnesia.archives.telegram_messages import read_message
from hypermnesia.ports import Entry, Refusal

_LISTS = ("chats", "left_chats")
_OPENED = {
    (),
    ("messages",),
    *((name, *rest) for name in _LISTS for rest in ((), ("list",), ("list", "*"), ("list", "*", "messages"))),
}
_CHAT = re.compile(
    r'"type"\s*:\s*"(saved_messages|personal_chat|bot_chat|replies|verification_codes'
    r'|(private|public)_(group|supergroup|channel))"'
)
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_MARKS = re.compile(r'"(date_unixtime|text_entities|from_id|actor_id)"\s*:')
_ACCOUNT = re.compile(r'"personal_information"\s*:\s*\{[^{}]*"(user_id|phone_number)"\s*:')


@dataclass(slots=True)
class _Chat:
    """What has been read of a chat so far: its name and id stand before its messages."""

    path: tuple[str | int, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)


class TelegramReader:
    """Reads what Telegram Desktop exports as "machine-readable JSON"."""

    name = "telegram"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """An object with a chat of Telegram's types, messages of its kind, or an account's information."""
        if head.lstrip()[:1] != "{":
            return False
        has_messages = _MESSAGES.search(head) is not None
        return bool((has_messages and (_CHAT.search(head) or _MARKS.search(head))) or _ACCOUNT.search(head))

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages by chat; a broken one costs itself."""
        owner: str | None = None
        chat = _Chat()
        n_found = 0
        for item in read_tree(read_pieces(path), _OPENED):
            if isinstance(item, Refusal):
                n_found += 1
                yield item
                continue
            where, value = item
            if where == ("personal_information",):
                owner = _owner(value)
            elif where[-2:-1] == ("messages",):
                n_found += 1
                chat = chat if chat.path == where[:-2] else _Chat(where[:-2])
                yield from read_message(_place(path, owner, chat, where), value, owner)
            elif where[-1:] == ("messages",) or (where[1:2] == ("list",) and len(where) == 3):
                n_found += 1
                yield Refusal("not_a_chat", _locator(where), "a chat is an object with an array `messages`")
            elif len(where) == 1 or where[1:2] == ("list",):
                chat = chat if chat.path == where[:-1] else _Chat(where[:-1])
                chat.fields[str(where[-1])] = value if isinstance(value, str | int) else None
        if not n_found:
            yield Refusal("no_messages", "the end", "export the chats as machine-readable JSON, with their messages")


def _owner(account: Any) -> str | None:
    """The account that was exported, named as the sender of its messages is: "user" and its number."""
    number = account.get("user_id") if isinstance(account, dict) else None
    return f"user{number}" if isinstance(number, int) and not isinstance(number, bool) else None


def _place(path: Path, owner: str | None, chat: _Chat, where: tuple[str | int, ...]) -> Entry:
    number, name, kind = (chat.fields.get(key) for key in ("id", "name", "type"))
    title = name if isinstance(name, str) and name.strip() else "Saved Messages" if kind == "saved_messages" else None
    conversation = str(number) if isinstance(number, int | str) and str(number).strip() else title or path.stem
    return Entry(
        user=owner,
        conversation=conversation,
        locator=_locator(where),
        text="",
        speaker="",
        role="person",
        title=title,
    )


def _locator(where: tuple[str | int, ...]) -> str:
    """A path as a person finds it: items are counted from 1."""
    return " ".join(str(step + 1) if isinstance(step, int) else step for step in where)
