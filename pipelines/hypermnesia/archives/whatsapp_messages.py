"""What a WhatsApp message is, from its text: said, a notice of the app, deleted, or a medium with a caption."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from hypermnesia.archives import whatsapp_words as words
from hypermnesia.ports import Entry

MOST_NAME = 120

Attributes = tuple[tuple[str, str], ...]

_MARK = "\u200e\u200f"
_MARKS = _MARK + "\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
#: Any language's "<Media omitted>": in angle brackets, with a space or another script than Latin.
_IN_PLACE = re.compile(r"<(?=[^<>]*(?:\s|[^\x00-\u024f]))[^<>=/\"\n:]{3,60}>(?:\n|$)")
_OPEN = re.compile(r'^[^"]*"[^"]*$|“[^”]*$|«[^»]*$')
_TYPES = {
    "image": "jpg jpeg png heic",
    "sticker": "webp",
    "gif": "gif",
    "audio": "opus mp3 m4a aac ogg amr",
    "video": "mp4 mov 3gp mkv",
    "contact": "vcf",
}


def entries_of(place: Entry, body: str) -> Iterator[Entry]:
    """The message that stands behind a head, then its media. `place` says where and when."""
    author, text = _author(body)
    if author is None or (text.startswith(tuple(_MARK)) and words.NOTICE.match(text.strip(_MARK))):
        yield replace(place, text=text.strip(_MARK), speaker=author or "WhatsApp", role="system", kind="system")
        return
    if words.DELETED.fullmatch(text.strip(f"{_MARK} \n")):
        yield replace(place, speaker=author, text=text.strip(_MARK), is_deleted=True)
        return
    kept, n_marks = words.EDITED.subn("", text)
    caption, media = _media(kept.rstrip(f"{_MARK} ") if n_marks else text)
    edited = (("edited", "true"),) if n_marks else ()
    said = replace(place, speaker=author, text=caption.strip(_MARK), attributes=edited)
    yield said
    for ordinal, attributes in enumerate(media):
        known = dict(attributes)
        name = known.get("name", "") if known["type"] == "document" else ""  # a camera's name says nothing
        yield replace(said, kind="attachment", part=f"attachment/{ordinal:03}", text=name, attributes=attributes)


def _author(body: str) -> tuple[str | None, str]:
    """Who speaks, and what; None for a notice of the app.

    An author ends at the first ": ", or where there is none at a bare colon. A notice may hold a colon too: in a
    quoted name, a time, an address, or behind words that the app is known to write.
    """
    first, line_end, rest = body.partition("\n")
    author, colon, text = first.partition(": ")
    if not colon:
        author, colon, text = first.partition(":")
        if author.endswith(("http", "https")) or (author[-1:].isdigit() and text[:1].isdigit()):
            return None, body
    name = author.strip(_MARKS + " \u00a0\u202f").removeprefix("~").strip(_MARKS + " \u00a0\u202f")
    if not colon or not name or len(name) > MOST_NAME or _OPEN.search(name) or words.NOTICE.match(name):
        return None, body
    return name, text + line_end + rest


def _media(text: str) -> tuple[str, list[Attributes]]:
    """A message's caption and its media, each with its type and what is known of its name."""
    media: list[Attributes] = [_named(found["name"]) for found in words.ATTACHED.finditer(text)]
    if media:
        return words.ATTACHED.sub("", text).strip(f"{_MARK} \n"), media
    if found := words.FILE_ATTACHED.match(text):
        return text[found.end() :].removeprefix("\n"), [_named(found["name"])]
    bare = text.lstrip(_MARK)
    if found := _IN_PLACE.match(bare):
        return bare[found.end() :], [(("type", "media"), ("placeholder", found[0].strip()))]
    caption, mark, last = text.rpartition("\u200e")
    found = words.OMITTED.fullmatch(last.strip(f"{_MARK} \n"))
    if found and (kind := _omitted(found["kind"], is_marked=bool(mark))):
        return caption.strip(f"{_MARK} \n"), [(("type", kind), ("placeholder", found[0]))]
    return text, []


def _omitted(word: str, *, is_marked: bool) -> str | None:
    """The type that "image omitted" names; a word that is not known is one only where the app's mark stands."""
    for kind, names in words.OMITTED_KINDS.items():
        if word.lower() in names.split():
            return kind
    return "media" if is_marked else None


def _named(name: str) -> Attributes:
    ending = name.strip().rpartition(".")[2].lower()
    kind = next((kind for kind, endings in _TYPES.items() if ending in endings.split()), "document")
    return (("type", kind), ("name", name.strip()))
