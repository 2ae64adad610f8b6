"""What a message of ChatGPT's export holds: who speaks, its text by the kind of content, what came with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hypermnesia.archives.json_rows import text_of
from hypermnesia.ports import Entry, Refusal

#: The fields that hold the text of each kind of content; `parts` and `thoughts` are lists.
TEXT_FIELDS = {
    "text": ("parts",),
    "multimodal_text": ("parts",),
    "code": ("text",),
    "execution_output": ("text",),
    "computer_output": ("text",),
    "citable_code_output": ("output_str", "text"),
    "system_error": ("name", "text"),
    "tether_quote": ("title", "url", "text"),
    "tether_browsing_code": ("text",),
    "tether_browsing_display": ("result", "summary"),
    "sonic_webpage": ("title", "url", "text"),
    "thoughts": ("thoughts", "parts", "content"),
    "reasoning_recap": ("content",),
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context", "repository"),
}

#: Content that is for the program itself.
_NOT_SAID = {"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"}
_RECALLED = re.compile(r"[#\s]*model set context", re.IGNORECASE)

_POINTERS = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "real_time_user_audio_video_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
}
_SAID = {"text", "audio_transcription"}


def content_of(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the message holds; older and shortened forms have it in the message itself."""
    content = message.get("content")
    if isinstance(content, dict):
        return content
    return {"text": content} if isinstance(content, str) else message


def type_of(content: Mapping[str, Any]) -> str:
    """The kind of content; text where none is named."""
    return text_of(content.get("content_type")) or "text"


def speaker_of(message: Mapping[str, Any], text: str) -> tuple[str, str, str]:
    """(role, kind, speaker) of a message; what the program says to itself is said by nobody: `system`."""
    author = message.get("author")
    role = author.get("role") if isinstance(author, dict) else author or message.get("role")
    name = text_of(author.get("name")) if isinstance(author, dict) else None
    recipient = text_of(message.get("recipient")) or "all"
    metadata = message.get("metadata")
    is_hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True
    is_memory = "bio" in ((name or "").split(".")[0], recipient.split(".")[0])
    is_recalled = role != "user" and _RECALLED.match(text) is not None
    is_apart = type_of(content_of(message)) in _NOT_SAID or message.get("hidden") is True
    if role == "system" or is_hidden or is_memory or is_recalled or is_apart:
        return "system", "system", "system"
    if role == "tool":
        return "tool", "tool_result", name or "tool"
    if role == "assistant":
        return "assistant", "utterance" if recipient == "all" else "tool_call", "assistant"
    if role == "user":
        return "user", "utterance", "user"
    return "person", "utterance", text_of(role) or name or "unknown"


def said_text(content: Mapping[str, Any], message: Mapping[str, Any]) -> str | None:
    """The text that a content holds, "" for an empty one, None for a kind of content that is not known."""
    fields = TEXT_FIELDS.get(type_of(content))
    if fields is None:
        return None
    texts = [text for field in fields for text in _texts(content.get(field))]
    return "\n".join(texts or _texts(content.get("text")) or _instructions(message))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, list):
        return [text for part in value for text in (_texts(part) if isinstance(part, str) else _part_texts(part))]
    return []


def _part_texts(part: Any) -> list[str]:
    """The text of a voice's transcription, or of a thought."""
    if not isinstance(part, dict) or _part_type(part) not in _SAID:
        return []
    return [text for field in ("summary", "content", "text") if (text := text_of(part.get(field)))]


def _part_type(part: Any) -> str:
    if not isinstance(part, dict):
        return "text" if part is None or isinstance(part, str) else type(part).__name__
    return text_of(part.get("content_type")) or ("image_asset_pointer" if "asset_pointer" in part else "text")


def _instructions(message: Mapping[str, Any]) -> list[str]:
    """Custom instructions as exports of 2023 have them: beside an empty system message."""
    metadata = message.get("metadata")
    told = metadata.get("user_context_message_data") if isinstance(metadata, dict) else None
    fields = ("about_user_message", "about_model_message")
    return [text for field in fields if (text := text_of(told.get(field)))] if isinstance(told, dict) else []


def attachments_of(said: Entry, content: Mapping[str, Any], message: Mapping[str, Any]) -> Iterator[Entry | Refusal]:
    """What came with a message: pictures, sound and files; a part that is not known is a `Refusal`."""
    metadata = message.get("metadata")
    files = metadata.get("attachments") if isinstance(metadata, dict) else None
    named = [file for file in files if isinstance(file, dict)] if isinstance(files, list) else []
    names = {text_of(file.get("id")) or f"#{n}": file for n, file in enumerate(named)}
    parts = content.get("parts")
    found: list[tuple[str, str, str]] = []  # type, name, text
    for part in parts if isinstance(parts, list) else ():
        kind = _part_type(part)
        if kind in _POINTERS:
            key = _pointer(part).rsplit("/", 1)[-1]
            found.append((_POINTERS[kind], text_of(names.pop(key, {}).get("name")) or key, _caption(part)))
        elif kind not in _SAID:
            yield Refusal(
                "unknown_part", said.locator, "not known yet, the rest of the message is kept: report it", kind
            )
    for file in names.values():
        media = text_of(file.get("mime_type")) or text_of(file.get("mimeType")) or ""
        found.append(("image" if media.startswith("image/") else "file", text_of(file.get("name")) or "", ""))
    for ordinal, (kind, name, text) in enumerate(found):
        attributes = tuple(pair for pair in (("type", kind), ("name", name)) if pair[1])
        yield replace(said, kind="attachment", part=f"attachment/{ordinal:03}", text=text, attributes=attributes)


def _pointer(part: Mapping[str, Any]) -> str:
    pointer = part.get("asset_pointer") or part.get("audio_asset_pointer")
    if isinstance(pointer, dict):
        pointer = pointer.get("asset_pointer")
    return pointer if isinstance(pointer, str) else ""


def _caption(part: Mapping[str, Any]) -> str:
    """What a made picture was made from."""
    metadata = part.get("metadata")
    made = metadata.get("dalle") if isinstance(metadata, dict) else None
    return (text_of(made.get("prompt")) if isinstance(made, dict) else None) or ""
