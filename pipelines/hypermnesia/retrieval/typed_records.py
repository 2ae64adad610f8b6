"""One record of the other memory types with what the lake keeps of it, and how typed reads show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypermnesia.ports import IndexRow
from hypermnesia.rules.core_view import IN_FORCE, Held, Statement
from hypermnesia.rules.extraction import CORE, SEMANTIC


@dataclass(frozen=True, slots=True)
class TypedRecord:
    """One record in force with what the lake keeps of it."""

    row: IndexRow
    attributes: tuple[tuple[str, str], ...]
    is_negated: bool

    @property
    def said(self) -> str:
        """When it was said, as a civil ISO time; "" where nobody knows."""
        return self.row.said_local or self.row.said_at or ""

    def get(self, name: str) -> str | None:
        """The first value of an attribute."""
        return next((value for key, value in self.attributes if key == name), None)


def statement(one: TypedRecord) -> Statement:
    """A fact as the current view takes it."""
    return Statement(
        row_id=one.row.row_id,
        predicate=one.get("predicate") or "",
        subject=one.get("subject") or one.row.speaker,
        value=one.get("value") or one.row.text,
        said=one.said,
        is_negated=one.is_negated,
        modality=one.row.modality or "done",
    )


def shown_fact(held: Held, by_id: Mapping[str, TypedRecord]) -> dict[str, Any]:
    """A value of the current view."""
    cited = [by_id[statement.row_id] for statement in held.statements]
    head = {"memory_type": SEMANTIC, "predicate": held.predicate, "subject": held.subject, "value": held.value}
    return {**head, "kind": "fact", "status": held.status, **_shown_claim(cited)}


def shown_core(one: TypedRecord) -> dict[str, Any]:
    """A record of type core: it holds until it is corrected or forgotten."""
    subject = one.get("about") or one.row.speaker
    head = {"memory_type": CORE, "predicate": None, "subject": subject, "value": None}
    return {**head, "kind": one.get("kind") or "fact", "status": IN_FORCE, **_shown_claim([one])}


def _shown_claim(cited: Sequence[TypedRecord]) -> dict[str, Any]:
    """What the deciding record says, and every record that it came from."""
    row = cited[0].row
    return {
        "text": row.text,
        "is_negated": cited[0].is_negated,
        "modality": row.modality,
        "trust": row.trust,
        "said_at": row.said_at,
        "event_time": {"start": row.event_start, "end": row.event_end, "precision": row.event_precision or "unknown"},
        "records": [
            {
                "row_id": one.row.row_id,
                "text": one.row.text,
                "said_at": one.row.said_at,
                "is_negated": one.is_negated,
                "sources": _sources(one.row),
            }
            for one in cited
        ],
    }


def shown_procedure(one: TypedRecord, score: float) -> dict[str, Any]:
    """A procedure with its steps."""
    steps = [value for key, value in one.attributes if key == "step"]
    return {**_shown_row(one.row, score), "steps": steps}


def shown_resource(one: TypedRecord, score: float) -> dict[str, Any]:
    """A resource; `start` and `end` count characters in the document; null for what is no part of one."""
    start, end = one.get("start"), one.get("end")
    return {
        **_shown_row(one.row, score),
        "title": one.get("title"),
        "section": one.get("section"),
        "kind": one.get("kind") or ("document" if start else None),
        "start": int(start) if start else None,
        "end": int(end) if end else None,
    }


def _shown_row(row: IndexRow, score: float) -> dict[str, Any]:
    return {
        "row_id": row.row_id,
        "text": row.text,
        "speaker": row.speaker,
        "trust": row.trust,
        "said_at": row.said_at,
        "score": round(score, 4),
        "sources": _sources(row),
    }


def _sources(row: IndexRow) -> list[dict[str, Any]]:
    return [
        {
            "message_id": source.message_id,
            "archive": source.archive,
            "conversation": source.conversation,
            "native_id": source.native_id,
        }
        for source in row.sources
    ]
