"""One message of a Slack export, or an event about one, as entries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypermnesia.archives.slack_markup import mentioned, text_of_blocks
from hypermnesia.archives.slack_workspace import Person, Workspace, text_or_empty
from hypermnesia.ports import Entry, Refusal

_TS = re.compile(r"(\d{1,11})(?:\.(\d{1,9}))?", re.ASCII)
_SYSTEM = re.compile(
    r"message_replied|"
    r"(channel|group|bot|pinned|unpinned|reminder|sh_room|huddle|app_conversation|ekm|mpim)_(?!message$)\w+"
)


def read_event(place: Entry, fields: Any, space: Workspace) -> Iterator[Entry | Refusal]:
    """A message, or an event about one: an edit (both revisions), or a deletion."""
    event = fields if isinstance(fields, dict) else {}
    before = event.get("previous_message")
    match event.get("subtype"):
        case "message_changed":
            if isinstance(before, dict):
                yield from _read_message(place, before, space)
            at = _instant(event.get("ts"))
            for entry in _read_message(place, event.get("message"), space):
                yield replace(entry, revised_at=entry.revised_at or at) if isinstance(entry, Entry) else entry
        case "message_deleted":
            gone = {"user": event.get("user"), **(before if isinstance(before, dict) else {})}
            gone["ts"] = event.get("deleted_ts") or gone.get("ts")
            yield from _read_message(replace(place, is_deleted=True), gone, space)
        case _:
            yield from _read_message(place, fields, space)


def _read_message(place: Entry, fields: Any, space: Workspace) -> Iterator[Entry | Refusal]:
    if not isinstance(fields, dict) or fields.get("type") not in (None, "message"):
        yield Refusal("not_a_message", place.locator, "a message is an object of type `message`")
        return
    text, ts = fields.get("text") or "", fields.get("ts")
    local = _instant(ts)
    if local is None:
        yield Refusal("bad_time", place.locator, 'write `ts` as text, as Slack does: "1700000000.000101"')
        return
    if not isinstance(text, str):
        yield Refusal("not_a_message", place.locator, "`text` must be text")
        return
    text = text or text_of_blocks(fields.get("blocks"))
    said = _said(replace(place, native_id=ts, written_at=ts, local=local), fields, space)
    said = replace(said, text=space.readable(text), attributes=said.attributes + _mentions(text))
    yield said
    for ordinal, (words, attributes) in enumerate(_attachments(fields, space)):
        yield replace(said, kind="attachment", part=f"attachment/{ordinal:03}", text=words, attributes=attributes)


def _said(entry: Entry, fields: dict[str, Any], space: Workspace) -> Entry:
    """The entry with who said it, of which kind it is, and what it belongs to."""
    subtype, edited, thread = text_or_empty(fields.get("subtype")), fields.get("edited"), fields.get("thread_ts")
    user = text_or_empty(fields.get("user")) or _commenter(fields.get("comment"))
    person = space.people.get(user)
    is_system = _SYSTEM.fullmatch(subtype) is not None
    is_bot = not is_system and (subtype in ("bot_message", "slackbot_response") or _is_bot(user, fields, person))
    return replace(
        entry,
        speaker=_speaker(user, fields, space),
        role="system" if is_system else "tool" if is_bot else "person",
        kind="system" if is_system else "utterance",
        timezone=person.timezone if person and not is_bot else None,
        reply_to=thread if isinstance(thread, str) and thread != entry.native_id else None,
        revised_at=_instant(edited.get("ts")) if isinstance(edited, dict) else None,
        is_deleted=entry.is_deleted or subtype == "tombstone",
        attributes=tuple((k, v) for k, v in (("speaker_id", user), ("subtype", subtype)) if v),
    )


def _commenter(comment: Any) -> str:
    """Who wrote an old comment on a file: named in the comment alone."""
    return text_or_empty(comment.get("user")) if isinstance(comment, dict) else ""


def _is_bot(user: str, fields: dict[str, Any], person: Person | None) -> bool:
    return user == "USLACKBOT" or (person.is_bot if person else bool(fields.get("bot_id")))


def _speaker(user: str, fields: dict[str, Any], space: Workspace) -> str:
    if user in space.people:
        return space.people[user].name
    profiles = (fields.get("bot_profile"), fields.get("user_profile"))
    names = [text_or_empty(fields.get("username"))]
    for profile in profiles:
        if isinstance(profile, dict):
            names += [text_or_empty(profile.get(key)) for key in ("real_name", "name", "display_name")]
    return next(filter(None, (*names, space.person(user), text_or_empty(fields.get("bot_id")))), "unknown")


def _mentions(text: str) -> tuple[tuple[str, str], ...]:
    """Whom the text names, by id: a name may change, and two unknown ids are two people."""
    ids = mentioned(text)
    return (("mentions", " ".join(ids)),) if ids else ()


def _attachments(fields: dict[str, Any], space: Workspace) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Files, and what a bot or a link's preview holds beside the text, each with its type and name."""
    files = fields.get("files") if isinstance(fields.get("files"), list) else [fields.get("file")]
    for file in files or []:
        if isinstance(file, dict):
            yield _file_text(file), _pairs(type=_file_type(file), name=file.get("name"), file_id=file.get("id"))
    previews = fields.get("attachments")
    for preview in previews if isinstance(previews, list) else []:
        if isinstance(preview, dict):
            yield space.readable(_preview_text(preview)), _pairs(type="preview", link=preview.get("from_url"))


def _file_text(file: dict[str, Any]) -> str:
    transcription = file.get("transcription")
    spoken = transcription.get("preview") if isinstance(transcription, dict) else None
    heard = spoken.get("content") if isinstance(spoken, dict) else None
    title = text_or_empty(file.get("title")) or text_or_empty(file.get("name"))
    return "\n".join(filter(None, (title, text_or_empty(file.get("preview")), text_or_empty(heard))))


def _file_type(file: dict[str, Any]) -> str:
    kind = text_or_empty(file.get("mimetype")).partition("/")[0]
    return kind if kind in ("image", "audio", "video") else "file"


def _preview_text(preview: dict[str, Any]) -> str:
    parts = [text_or_empty(preview.get(key)) for key in ("pretext", "title", "text")]
    rows = preview.get("fields")
    for row in (r for r in (rows if isinstance(rows, list) else []) if isinstance(r, dict)):
        named = (text_or_empty(row.get("title")), text_or_empty(row.get("value")))
        parts.append(": ".join(filter(None, named)))
    words = "\n".join(filter(None, parts))
    return words or text_of_blocks(preview.get("blocks")) or text_or_empty(preview.get("fallback"))


def _pairs(**values: Any) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in values.items() if isinstance(value, str) and value)


def _instant(ts: Any) -> str | None:
    """A `ts` as an instant in UTC, else None. Only text with finite digits is one."""
    found = _TS.fullmatch(ts) if isinstance(ts, str) else None
    if not found:
        return None
    micro = int((found[2] or "").ljust(6, "0")[:6])
    return datetime.fromtimestamp(int(found[1]), UTC).replace(microsecond=micro).isoformat()
