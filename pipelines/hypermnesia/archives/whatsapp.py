"""WhatsApp: an exported chat's text, alone or in the zip that holds it with its media.

A message has no id and no zone. The chat is named by its file ("WhatsApp Chat with X.txt"), by the zip or
folder of a `_chat.txt`; a "(1)" that a browser adds is no part of the name. Which number is the day is decided
from the whole file (`whatsapp_dates`); where that can't be, one refusal says how it was read and every message is
kept. A line that begins no message goes on with the one before. A medium is an attachment; its file is not
opened. What was edited or deleted since an older export is a message of its own, as the older text stays one: a
message is named by what it says. Author and minute alone would name it too, but an export that begins within a burst
of messages, or lacks one that was deleted for one person, would give the next one its name, and hide it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import cast

from hypermnesia.archives.text_lines import read_text_lines, refusal_of
from hypermnesia.archives.whatsapp_dates import Header, header_of, survey
from hypermnesia.archives.whatsapp_messages import entries_of
from hypermnesia.archives.whatsapp_words import CHAT_NAME
from hypermnesia.archives.zip_breaks import member_names, whole_or_refused
from hypermnesia.archives.zips import is_zip, read_members
from hypermnesia.ports import Entry, Refusal

MOST_CHARACTERS = 4 * 1024 * 1024

_LOOK_AT_LINES = 200
_COPY = re.compile(r"\s*\(\d+\)$")
_AMBIGUOUS = "export the chat with a message from a day after the 12th, which decides for the whole file"


class WhatsappReader:
    """Reads a chat as "Export chat" gives it, on any phone."""

    name = "whatsapp"

    def recognises(self, path: Path, head: str) -> bool:
        """Text whose first line begins a message, with another or under a chat's name; a zip with such a text."""
        if is_zip(path):
            return any(_is_chat_name(PurePosixPath(name).name) for name in member_names(path))
        lines = [line for line in head.split("\n", _LOOK_AT_LINES) if line.strip()]
        first = header_of(lines[0]) if lines else None
        if first is None or (len(first.numbers[0]) == 4 and not first.has_comma and not first.half):
            return False  # a year first and no comma is a program's log
        return _is_chat_name(path.name) or any(header_of(line, first.style) for line in lines[1:])

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Messages in the chat's order; lines before the first one are refused."""
        if not is_zip(path):
            yield from _read_chat(path, _chat_of(path.name, path.parent.name))
            return
        n_chats = 0
        for member in whole_or_refused(path.name, read_members(path)):
            if isinstance(member, Refusal):
                yield member
            elif _is_chat_name(member.name):
                n_chats += 1
                chat = _read_chat(cast(Path, member), _chat_of(member.name, path.name))
                yield from whole_or_refused(member.at, chat)
        if not n_chats:
            yield Refusal("no_chat", path.name, "the zip should hold `_chat.txt` or `WhatsApp Chat with ...txt`")


def _is_chat_name(name: str) -> bool:
    return name == "_chat.txt" or (name.lower().endswith(".txt") and bool(CHAT_NAME.match(name)))


def _chat_of(name: str, holder: str) -> str:
    """A chat's name, from its file's, or from what holds it where the file is called as every chat's is."""
    stem = holder.removesuffix(".zip") if _COPY.sub("", name.removesuffix(".txt")) == "_chat" else name
    stem = _COPY.sub("", stem.removesuffix(".txt")).strip()
    found = CHAT_NAME.match(stem)
    return found["name"].strip() if found else stem or "chat"


def _read_chat(path: Path, chat: str) -> Iterator[Entry | Refusal]:
    found = survey(read_text_lines(path))
    order, is_sure = found.decide()
    if not is_sure:
        yield Refusal("ambiguous_dates", "dates", _AMBIGUOUS, f"read as {order}; all messages are kept")
    place = Entry(user=None, conversation=chat, locator="", text="", speaker="", role="person", title=chat)
    message: _Message | None = None
    is_empty = True
    for number, line, problem in read_text_lines(path):
        is_empty = is_empty and line is not None and not line.strip()
        if line is None:
            yield refusal_of(number, problem)
        elif found.style and (header := header_of(line, found.style)):
            yield from message.entries() if message else ()
            message = _Message(place, f"line {number}", header, order)
        elif message:
            message.add(line)
        elif line.strip():
            yield Refusal("not_a_message", f"line {number}", "a chat begins with a date; remove what stands before")
    yield from message.entries() if message else ()
    if is_empty:
        yield Refusal("empty_file", "the end", "the file holds no message: export the chat again")


class _Message:
    """A message whose lines are still coming."""

    def __init__(self, place: Entry, locator: str, header: Header, order: str) -> None:
        self._place = place
        self._locator = locator
        self._header = header
        self._order = order
        self._lines = [header.body]
        self._size = len(header.body)

    def add(self, line: str) -> None:
        self._size += len(line)
        if self._size <= MOST_CHARACTERS:
            self._lines.append(line.rstrip("\r\n"))

    def entries(self) -> Iterator[Entry | Refusal]:
        where = self._locator
        if self._size > MOST_CHARACTERS:
            yield Refusal("message_too_large", where, f"split it below {MOST_CHARACTERS >> 20} Mi characters")
            return
        local = self._header.local(self._order)
        if local is None:
            yield Refusal("bad_time", where, "mend the date; the message is kept without a time", self._header.written)
        place = replace(self._place, locator=where, written_at=self._header.written, local=local)
        yield from entries_of(place, "\n".join(self._lines))
