"""LoCoMo: an array of samples, each one long conversation of two people over many sessions.

The owner is the `sample_id`. Labels (qa, evidence, observation, summaries) and `query`, the search
phrase of the data set's authors, are never read; an image's caption is an attachment's text.
Source: Maharana et al. 2024, arXiv 2402.17753.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from hypermnesia.archives.files import read_pieces
from hypermnesia.archives.json_items import read_each, read_items
from hypermnesia.ports import Entry, Refusal

_MARKS = re.compile(r'"(dia_id|speaker_a|session_1|session_1_date_time)"\s*:')
_LABELS = re.compile(r'"qa"\s*:.*"evidence"\s*:', re.DOTALL)
_SESSION = re.compile(r"session_(\d+)")


class LocomoReader:
    """Reads LoCoMo files as they are published."""

    name = "locomo"

    def recognises(self, path: Path, head: str) -> bool:  # noqa: ARG002
        """An array with turns (`dia_id`) or the data set's labels in its first characters, or one sample."""
        match head.lstrip()[:1]:
            case "[":
                return bool(_MARKS.search(head) or _LABELS.search(head))
            case "{":
                return bool(_MARKS.search(head))
        return False

    def read(self, path: Path) -> Iterator[Entry | Refusal]:
        """Turns and captions by sample and session; a broken sample or turn is a refusal."""
        yield from read_each(read_items(read_pieces(path), "sample"), _read_sample)


def _read_sample(locator: str, sample: Any) -> Iterator[Entry | Refusal]:
    sample_id = sample.get("sample_id") if isinstance(sample, dict) else None
    conversation = sample.get("conversation") if isinstance(sample, dict) else None
    if not isinstance(sample_id, str) or not sample_id.strip() or not isinstance(conversation, dict):
        yield Refusal("not_a_sample", locator, "a sample needs a text `sample_id` and an object `conversation`")
        return
    numbered = sorted((int(m[1]), key) for key in conversation if (m := _SESSION.fullmatch(key)))
    if not numbered:
        yield Refusal("no_sessions", locator, "a conversation needs lists of turns in `session_1`, `session_2`, ...")
    for _, session in numbered:
        yield from _read_session(sample_id, session, conversation)


def _read_session(sample_id: str, session: str, conversation: dict[str, Any]) -> Iterator[Entry | Refusal]:
    turns, written = conversation[session], conversation.get(f"{session}_date_time")
    where = f"{sample_id} {session}"
    if not isinstance(turns, list):
        yield Refusal("not_a_session", where, "a session must be a list of turns")
        return
    local = _parse_time(written)
    if written is not None and local is None:
        yield Refusal("bad_time", where, "write it as `1:56 pm on 8 May, 2023`; the turns are kept without a time")
    for ordinal, turn in enumerate(turns, start=1):
        yield from _read_turn(f"{where} turn {ordinal}", sample_id, session, turn, written, local)


def _read_turn(
    where: str, sample_id: str, session: str, turn: Any, written: Any, local: str | None
) -> Iterator[Entry | Refusal]:
    fields = turn if isinstance(turn, dict) else {}
    dia_id, speaker, text = fields.get("dia_id"), fields.get("speaker"), fields.get("text")
    if not isinstance(dia_id, str) or not dia_id.strip() or not isinstance(speaker, str) or not isinstance(text, str):
        yield Refusal("not_a_turn", where, "a turn needs text in `dia_id`, `speaker` and `text`")
        return
    said = Entry(
        user=sample_id,
        conversation=sample_id,
        locator=f"{sample_id} {dia_id}",
        text=text,
        speaker=speaker,
        role="person",
        native_id=dia_id,
        session=session,
        written_at=written if isinstance(written, str) else None,
        local=local,
    )
    yield said
    caption = fields.get("blip_caption")
    if isinstance(caption, str) and caption.strip():
        yield replace(said, kind="attachment", part="attachment/000", text=caption, attributes=(("type", "image"),))


def _parse_time(written: Any) -> str | None:
    """ "1:56 pm on 8 May, 2023" as a civil ISO time, else None."""
    if not isinstance(written, str):
        return None
    try:
        return datetime.strptime(written.strip(), "%I:%M %p on %d %B, %Y").isoformat()
    except ValueError:
        return None
