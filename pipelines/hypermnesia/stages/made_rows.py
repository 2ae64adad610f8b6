"""What an extractor made of a passage, as rows of the lake: records, mentions and assertions with their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.extraction import Assertion, EventTime, Made, Passage
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.verbatim import says_something

Row = dict[str, Any]

#: Why a name or a frame of a record is no row.
NO_ANCHOR, ONE_ANCHOR = "name_without_anchor", "frame_of_one_anchor"


@dataclass(slots=True)
class MadeRows:
    """The rows of one answer. `left_out` counts names and frames that are none, by reason."""

    records: list[Row] = field(default_factory=list)
    mentions: list[Row] = field(default_factory=list)
    assertions: list[Row] = field(default_factory=list)
    items: list[Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def made_rows(
    made: Iterable[Made], passage: Passage, extraction_id: str, version: str, extractor: str, identity: Identity
) -> MadeRows:
    """Rows without owner and shard; the same record made twice of one passage is one."""
    rows = MadeRows()
    seen: set[str] = set()
    for record in made:
        row = _record(record, passage, extraction_id, version, extractor, identity)
        if row["row_id"] in seen:
            continue
        seen.add(row["row_id"])
        rows.records.append(row)
        rows.items.append({"row_id": row["row_id"], "context": record.context, **_event(record)})
        mentions = _mentions(record, passage, row["row_id"], extraction_id, identity)
        rows.left_out[NO_ANCHOR] += sum(m is None for m in mentions)
        rows.mentions.extend(_unique((m for m in mentions if m is not None), "mention_id"))
        frames = [_assertion(a, mentions, passage, row["row_id"], extraction_id, identity) for a in record.assertions]
        rows.left_out[ONE_ANCHOR] += sum(frame is None for frame in frames)
        rows.assertions.extend(_one_each(frame for frame in frames if frame is not None))
    return rows


def _record(made: Made, passage: Passage, extraction_id: str, version: str, extractor: str, identity: Identity) -> Row:
    turns = [passage.turns[place] for place in made.turns]
    cited = [revision for turn in turns for revision in turn.cited]
    head = turns[0]
    return {
        "row_id": identity.record(passage.user_id, made.memory_type, cited, version, made.text),
        "memory_type": made.memory_type,
        "text": made.text,
        **_event(made),
        "said_at": head.said_at,
        "said_local": head.said_local.isoformat() if head.said_local else None,
        "speaker": made.speaker,
        "context": made.context,
        "cited": [{"message_id": m, "content_hash": h} for m, h in cited],
        "quotes": _quotes(made, passage),
        "chunk_id": passage.chunk_id,
        "extraction_id": extraction_id,
        "derived_from": [],
        "attributes": _pairs(made.attributes),
        "trust": made.trust,
        "extractor": extractor,
        "extractor_version": version,
    }


def _quotes(made: Made, passage: Passage) -> list[Row]:
    """The quotes, or all that the cited turns said where the record is what was said."""
    if made.quotes:
        turns = [(passage.turns[place], start, end) for place, start, end in made.quotes]
        return [_quote(turn.message_id, turn.content_hash, start, end) for turn, start, end in turns]
    parts = [part for place in made.turns for part in zip(*_parts(passage, place), strict=True)]
    return [_quote(*revision, 0, len(text)) for revision, text in parts if says_something(text)]


def _parts(passage: Passage, place: int) -> tuple[Sequence[tuple[str, str]], Sequence[str]]:
    return passage.turns[place].cited, passage.turns[place].parts


def _quote(message_id: str, content_hash: str, start: int, end: int) -> Row:
    return {"message_id": message_id, "content_hash": content_hash, "start": start, "end": end}


def _event(made: Made | Assertion) -> Row:
    time = made.time or EventTime(None, None, "unknown")
    return {
        "event_start": time.start,
        "event_end": time.end,
        "event_precision": time.precision,
        "event_timezone": time.timezone,
        "is_event_tz_known": time.is_tz_known,
        "modality": made.modality,
        "is_negated": made.is_negated,
    }


def _mentions(made: Made, passage: Passage, row_id: str, extraction_id: str, identity: Identity) -> list[Row | None]:
    """One row a mention, None for a name that is no anchor, in the order of `made.mentions`."""
    rows: list[Row | None] = []
    for mention in made.mentions:
        key = anchor_key(mention.surface)
        turn = passage.turns[mention.turn]
        place = [str(mention.start), str(mention.end)]
        rows.append(
            (
                key
                and {
                    "mention_id": identity.make(
                        "mention", extraction_id, row_id, turn.message_id, mention.type, mention.surface, *place
                    ),
                    "extraction_id": extraction_id,
                    "row_id": row_id,
                    "message_id": turn.message_id,
                    "surface": mention.surface,
                    "type": mention.type,
                    "key": key,
                    "anchor_id": identity.anchor(passage.user_id, mention.type, key),
                    "start": mention.start,
                    "end": mention.end,
                }
            )
            or None
        )
    return rows


def _assertion(
    made: Assertion,
    mentions: Sequence[Mapping[str, Any] | None],
    passage: Passage,
    row_id: str,
    extraction_id: str,
    identity: Identity,
) -> Row | None:
    """The frame that a record supports, or None where fewer than two different anchors are in it (DESIGN 4)."""
    places = [(role, mentions[place]) for role, place in made.roles]
    roles = sorted({(role, m["anchor_id"]): m["mention_id"] for role, m in places if m is not None}.items())
    if len({anchor_id for (_, anchor_id), _ in roles}) < 2:
        return None
    occurrence = _occurrence(made, row_id)
    return {
        "frame_id": identity.frame(passage.user_id, made.predicate, [key for key, _ in roles], occurrence),
        "row_id": row_id,
        "extraction_id": extraction_id,
        "predicate": made.predicate,
        "is_event": made.is_event,
        "occurrence": occurrence,
        "roles": [{"role": r, "mention_id": mention_id, "anchor_id": a} for (r, a), mention_id in roles],
        **_event(made),
        "attributes": _pairs(made.attributes),
        "start": made.start,
        "end": made.end,
    }


def _occurrence(made: Assertion, row_id: str) -> str:
    """What makes an event itself: its day or finer, a named occasion, else the record; "" for a state (DESIGN 4)."""
    if not made.is_event:
        return ""
    if made.time is not None and made.time.start and made.time.precision in ("day", "instant"):
        return made.time.start
    return made.occasion or row_id


def _one_each(frames: Iterable[Row]) -> list[Row]:
    """One assertion a frame: a record that says the same twice supports it once, with the attributes of both."""
    by_frame: dict[str, Row] = {}
    for frame in frames:
        kept = by_frame.setdefault(frame["frame_id"], frame)
        if kept is not frame:
            kept["attributes"] += [pair for pair in frame["attributes"] if pair not in kept["attributes"]]
    return list(by_frame.values())


def _unique(rows: Iterable[Row], column: str) -> list[Row]:
    return list({row[column]: row for row in rows}.values())


def _pairs(attributes: Iterable[tuple[str, str]]) -> list[Row]:
    return [{"key": key, "value": value} for key, value in attributes]
