"""One file an archive format. A new format is its file and one line in `READERS`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypermnesia.archives import slack_folder
from hypermnesia.archives.chatgpt import ChatgptReader
from hypermnesia.archives.claude import ClaudeReader
from hypermnesia.archives.files import read_head
from hypermnesia.archives.jsonl import JsonlReader
from hypermnesia.archives.locomo import LocomoReader
from hypermnesia.archives.longmemeval import LongmemevalReader
from hypermnesia.archives.markdown import MarkdownReader
from hypermnesia.archives.openai_messages import OpenaiMessagesReader
from hypermnesia.archives.react_logs import ReactLogsReader
from hypermnesia.archives.sharegpt import SharegptReader
from hypermnesia.archives.sidecars import SidecarReader, is_sidecar
from hypermnesia.archives.slack import SlackReader
from hypermnesia.archives.task_sessions import TaskSessionsReader
from hypermnesia.archives.telegram import TelegramReader
from hypermnesia.archives.webshop_logs import WebshopLogsReader
from hypermnesia.archives.whatsapp import WhatsappReader
from hypermnesia.archives.zip_breaks import DamagedZipReader
from hypermnesia.ports import ArchiveReader

#: In the order in which content is asked; generic forms are last.
READERS: tuple[ArchiveReader, ...] = (
    LocomoReader(),
    ChatgptReader(),
    ClaudeReader(),
    LongmemevalReader(),
    SharegptReader(),
    OpenaiMessagesReader(),
    SlackReader(),
    TelegramReader(),
    WhatsappReader(),
    ReactLogsReader(),
    WebshopLogsReader(),
    TaskSessionsReader(),
    JsonlReader(),
    MarkdownReader(),
)

#: Files of which it is known that they hold no message; asked first, since a list may look like a chat.
SIDECARS = SidecarReader(
    lambda path: is_sidecar(path, ChatgptReader.is_theirs),
    lambda path: is_sidecar(path, ClaudeReader.is_theirs),
    slack_folder.holds_no_messages,
)
#: Asked last.
DAMAGED_ZIPS = DamagedZipReader()

_ALL: tuple[ArchiveReader, ...] = (SIDECARS, *READERS, DAMAGED_ZIPS)


class KnownArchives:
    """The formats of `READERS`."""

    def named(self, name: str) -> ArchiveReader:
        """The reader of a format. Raises `ValueError` naming the formats there are."""
        for reader in _ALL:
            if reader.name == name:
                return reader
        raise ValueError(f"unknown format {name!r}: one of {', '.join(r.name for r in READERS)}")

    def recognise(self, path: Path) -> ArchiveReader | None:
        """The reader whose format the file's first characters have, or None."""
        head = read_head(path)
        return next((reader for reader in _ALL if reader.recognises(path, head)), None)

    def find(self, path: Path) -> Iterator[tuple[Path, str]]:
        """The files under a path, sorted, and their names relative to it; hidden ones are left out."""
        if path.is_dir():
            for file in _files(path):
                yield file, file.relative_to(path).as_posix()
        elif path.exists():
            yield path, path.name
        else:
            raise FileNotFoundError(f"no such file or folder: {path}")


def _files(folder: Path) -> Iterator[Path]:
    """Folder by folder, since a list of all files would grow with an archive; links to folders are not followed."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path) if not path.is_symlink() else ()
        elif path.is_file():
            yield path
