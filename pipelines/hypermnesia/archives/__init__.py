"""One file an archive format. A new format is its file and one line in `READERS`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypermnesia.archives.chatgpt import ChatgptReader
from hypermnesia.archives.claude import ClaudeReader
from hypermnesia.archives.files import read_head
from hypermnesia.archives.jsonl import JsonlReader
from hypermnesia.archives.locomo import LocomoReader
from hypermnesia.archives.longmemeval import LongmemevalReader
from hypermnesia.archives.markdown import MarkdownReader
from hypermnesia.archives.openai_messages import OpenaiMessagesReader
from hypermnesia.archives.sharegpt import SharegptReader
from hypermnesia.archives.slack import SlackReader
from hypermnesia.archives.telegram import TelegramReader
from hypermnesia.archives.whatsapp import WhatsappReader
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
    JsonlReader(),
    MarkdownReader(),
)


class KnownArchives:
    """The formats of `READERS`."""

    def named(self, name: str) -> ArchiveReader:
        """The reader of a format. Raises `ValueError` naming the formats there are."""
        for reader in READERS:
            if reader.name == name:
                return reader
        raise ValueError(f"unknown format {name!r}: one of {', '.join(r.name for r in READERS)}")

    def recognise(self, path: Path) -> ArchiveReader | None:
        """The reader whose format the file's first characters have, or None."""
        head = read_head(path)
        return next((reader for reader in READERS if reader.recognises(path, head)), None)

    def find(self, path: Path) -> Iterator[tuple[Path, str]]:
        """The files under a path, sorted, and their names relative to it; hidden ones are left out."""
        if path.is_dir():
            for file in sorted(p for p in path.rglob("*") if p.is_file()):
                relative = file.relative_to(path)
                if not any(part.startswith(".") for part in relative.parts):
                    yield file, relative.as_posix()
        elif path.exists():
            yield path, path.name
        else:
            raise FileNotFoundError(f"no such file or folder: {path}")
