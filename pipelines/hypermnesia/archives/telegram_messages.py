"""One message of a Telegram export as entries: what was said, then the media that came with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypermnesia.ports import Entry, Refusal

_MOST_SECONDS = 253_402_300_799  # the end of year 9999
_NUMBER = re.compile(r"\d{1,12}", re.ASCII)
_MOST_OFFSET = timedelta(hours=14)
_TYPES = {
    "voice_message": "audio",
    "audio_file": "audio",
    "video_message": "video",
    "video_file": "video",
    "animation": "gif",
    "sticker": "sticker",
}


def read_message(place: Entry, fields: Any, owner: str | None) -> Iterator[Entry | Refusal]:
    """The entries of a message. `place` says in which chat and where in the file."""
    kind = fields.get("type") if isinstance(fields, dict) else None
    text = _text(fields.get("text", "")) if isinstance(fields, dict) else None
    number = fields.get("id") if isinstance(fields, dict) else None
    if kind not in ("message", "service") or text is None or not isinstance(number, int | str | None):
        remedy = "a message has the type `message` or `service` and a `text`"
        yield Refusal("not_a_message", place.locator, remedy, f"type {kind}" if isinstance(kind, str) else "")
        return
    written, local = _time(fields, "date")
    _, revised = _time(fields, "edited")
    if local is None:
        yield Refusal("bad_time", place.locator, "mend `date_unixtime`; the message is kept without a time")
    if revised is None and fields.get("edited") is not None:
        yield Refusal("bad_time", f"{place.locator} edited", "mend `edited_unixtime`; the message is kept")
    said = replace(
        place,
        native_id=None if number is None else str(number),
        written_at=written,
        local=local,
        revised_at=revised,
        reply_to=_named(fields.get("reply_to_message_id")) or None,
    )
    if kind == "service":
        yield _service(said, fields, text)
        return
    said = _said(said, fields, text, owner)
    yield said
    for ordinal, (words, attributes) in enumerate(_media(fields)):
        yield replace(said, kind="attachment", part=f"attachment/{ordinal:03}", text=words, attributes=attributes)


def _said(entry: Entry, fields: dict[str, Any], text: str, owner: str | None) -> Entry:
    sender = _named(fields.get("from_id"))
    whose = {"speaker_id": sender} | {key: _named(fields.get(key)) for key in ("forwarded_from", "via_bot", "author")}
    return replace(
        entry,
        text=text,
        speaker=_named(fields.get("from")) or sender or "unknown",
        role="user" if owner and sender == owner else "person",
        attributes=tuple((key, value) for key, value in whose.items() if value),
    )


def _service(entry: Entry, fields: dict[str, Any], text: str) -> Entry:
    """What the app says, in words: who did what, to whom."""
    actor = _named(fields.get("actor")) or _named(fields.get("actor_id")) or "unknown"
    action = _named(fields.get("action"))
    members = fields.get("members")
    people = [m for m in members if isinstance(m, str)] if isinstance(members, list) else []
    details = ", ".join(filter(None, (_named(fields.get("title")), *people)))
    words = f"{actor} {action.replace('_', ' ')}".strip() + (f": {details}" if details else "")
    attributes = (("action", action),) if action else ()
    return replace(entry, text=text or words, speaker=actor, role="system", kind="system", attributes=attributes)


def _text(text: Any) -> str | None:
    """Text as it is shown, from a text or a list of texts and formatted parts; a link keeps its address."""
    if isinstance(text, str):
        return text
    if not isinstance(text, list):
        return None
    parts = []
    for part in text:
        match part:
            case str():
                parts.append(part)
            case {"text": str(words), "href": str(address)} if address not in words:
                parts.append(f"{words} ({address})")
            case {"text": str(words)}:
                parts.append(words)
            case _:
                return None
    return "".join(parts)


def _time(fields: dict[str, Any], name: str) -> tuple[str | None, str | None]:
    """(as written, ISO time) of `date` or `edited`: the instant, on the wall clock of the export where that is told."""
    civil, seconds = fields.get(name), fields.get(f"{name}_unixtime")
    wall = _civil(civil)
    number = _named(seconds)
    if _NUMBER.fullmatch(number) and 0 < int(number) <= _MOST_SECONDS:
        instant = datetime.fromtimestamp(int(number), UTC)
        offset = wall.replace(tzinfo=UTC) - instant if wall else timedelta()
        if abs(offset) <= _MOST_OFFSET and not offset % timedelta(minutes=15):
            instant = instant.astimezone(timezone(offset))
        return number, instant.isoformat()
    return (civil if isinstance(civil, str) else None), wall.isoformat() if wall else None


def _civil(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value).replace(tzinfo=None) if isinstance(value, str) else None
    except ValueError:
        return None


def _media(fields: dict[str, Any]) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """What came with a message: its words (a title, an emoji, a poll, a place), its type and its name."""
    if "photo" in fields:
        yield "", _pairs(type="image", name=_file_name(fields["photo"]))
    if "file" in fields or "media_type" in fields:
        yield _file(fields)
    if isinstance(poll := fields.get("poll"), dict):
        answers = poll.get("answers") if isinstance(poll.get("answers"), list) else []
        options = [_named(a.get("text")) for a in answers or [] if isinstance(a, dict)]
        yield "\n".join(filter(None, [_text(poll.get("question")) or "", *options])), _pairs(type="poll")
    if isinstance(contact := fields.get("contact_information"), dict):
        keys = ("first_name", "last_name", "phone_number")
        yield " ".join(filter(None, (_named(contact.get(key)) for key in keys))), _pairs(type="contact")
    if isinstance(spot := fields.get("location_information"), dict):
        named = [_named(fields.get(key)) for key in ("place_name", "address")]
        point = ", ".join(str(spot[key]) for key in ("latitude", "longitude") if key in spot)
        yield ", ".join(filter(None, (*named, point))), _pairs(type="location")


def _file(fields: dict[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    kind = _TYPES.get(_named(fields.get("media_type")), "")
    mime = _named(fields.get("mime_type"))
    kind = kind or (mime.partition("/")[0] if mime.startswith(("image/", "audio/", "video/")) else "file")
    name = _named(fields.get("file_name")) or _file_name(fields.get("file"))
    track = " - ".join(filter(None, (_named(fields.get("performer")), _named(fields.get("title")))))
    words = track or _named(fields.get("sticker_emoji")) or (name if kind == "file" else "")
    return words, _pairs(type=kind, name=name, mime_type=mime)


def _file_name(path: Any) -> str:
    """A file's name; a note that it was not exported is none."""
    text = _named(path)
    return "" if text.startswith("(") else text.rpartition("/")[2]


def _pairs(**values: str) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in values.items() if value)


def _named(value: Any) -> str:
    """A text or whole number as text; anything else is empty."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else ""
