"""What lies beside the conversations of an unpacked export and holds no message: accounts, votes, lists, pictures.

It is passed over by its name, and only where an export lies around it: the same name elsewhere is anybody's file.
`plan` shows such a file as of the format `sidecar`, with no message and no reject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from hypermnesia.archives.files import read_head
from hypermnesia.ports import Entry, Refusal

#: Files of an export that hold no message: accounts, votes, links, lists of files.
SIDECARS = {
    "export_manifest.json",
    "manifest.json",
    "message_feedback.json",
    "model_comparisons.json",
    "projects.json",
    "shared_conversations.json",
    "user.json",
    "user_settings.json",
    "users.json",
}
#: The page that shows what `conversations.json` holds, and what was sent and made in conversations.
_PAGES = {"chat.html"}
_MEDIA = (
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".webp",
    ".heic",
    ".wav",
    ".mp3",
    ".m4a",
    ".ogg",
    ".mp4",
    ".mov",
    ".pdf",
    ".dat",
)
_MOST_FOLDERS_DEEP = 3


class SidecarReader:
    """Reads nothing, of files of which it is known that they hold no message."""

    name = "sidecar"

    def __init__(self, *known: Callable[[Path], bool]) -> None:
        self._known = known

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """Whether one of the exports' own rules knows the file."""
        return any(is_known(path) for is_known in self._known)

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Nothing; a refusal of a file that is none, where somebody names this as its format."""
        if not self.recognises(path, ""):
            yield Refusal("unknown_format", path.name, "no message is read under `sidecar`: leave --format out")


def is_sidecar(path: Path, is_theirs: Callable[[str], bool]) -> bool:
    """Whether a file holds no message and belongs to an unpacked export, whose conversations `is_theirs` knows.

    Lists and pages lie beside the conversations, media there or some folders below.
    """
    if path.name in SIDECARS | _PAGES:
        folders = [path.parent]
    elif path.name.lower().endswith(_MEDIA):
        folders = [path.parent, *path.parents[1 : 1 + _MOST_FOLDERS_DEEP]]
    else:
        return False
    return any(_holds_conversations(folder, folder.stat().st_mtime_ns, is_theirs) for folder in folders)


@lru_cache(maxsize=256)
def _holds_conversations(folder: Path, changed_ns: int, is_theirs: Callable[[str], bool]) -> bool:  # noqa: ARG001
    return any(is_theirs(read_head(file)) for file in sorted(folder.glob("conversations*.json")) if file.is_file())
