"""What a row is in Milvus: columns, limits that a server holds (Milvus Lite does not), and filters.

What is asked for by name has a column; the rest is one JSON column, in which None stays None.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hypermnesia.ports import IndexRow, Source
from hypermnesia.rules.identity import bucket_of

COLLECTION = "rows"
N_PARTITIONS = 32
PARTITIONS = tuple(f"users_{number:02d}" for number in range(N_PARTITIONS))

TEXT_BYTES = 65_535  # a VARCHAR's greatest max_length, which counts UTF-8 bytes
ID_BYTES = {
    "row_id": 128,
    "user_id": 1_024,
    "memory_type": 64,
    "model": 256,
    "text_hash": 128,
    "context_hash": 128,
    "fingerprint": 128,
}
VECTORS = ("vector", "context_vector")
COLUMNS = (*ID_BYTES, "text", "context", "details", "is_cut", *VECTORS)
SPEAKER_BYTES = 1_024
LONGEST_GRAPHEME = 32  # characters; what is longer is decoration, and is cut anywhere

_DETAILS = (
    "role",
    "trust",
    "modality",
    "said_at",
    "said_local",
    "event_start",
    "event_end",
    "event_precision",
    "conversation_id",
    "session",
    "order",
)


def partition_of(user_id: str) -> str:
    """The partition of a user's rows, named in every call: Milvus Lite reads all of those it is not told.

    Raises `ValueError` for an empty user.
    """
    return PARTITIONS[bucket_of(user_id, N_PARTITIONS)]


def check_columns(found: Mapping[str, int | None], dimension: int, path: Path) -> None:
    """Holds a database's columns (name -> dimension) to those that rows need.

    Raises `RuntimeError` for others: Milvus Lite leaves out, without a word, what it does not know,
    and an index may be older than the layout.
    """
    wanted = {name: dimension if name in VECTORS else None for name in COLUMNS}
    if dict(found) != wanted:
        raise RuntimeError(f"{path} has columns {dict(found)}, not {wanted}: build the index fresh")


def to_entity(row: IndexRow, dimension: int) -> dict[str, Any]:
    """One row as Milvus takes it. Free text that is too long is cut, and `is_cut` says so.

    Raises `ValueError` for an empty or too long id and for a vector of another dimension.
    """
    for name, limit in ID_BYTES.items():
        value = getattr(row, name)
        if not 0 < n_bytes(value) <= limit:
            raise ValueError(f"row {row.row_id[:80]!r}: {name} must have 1 to {limit} bytes, not {n_bytes(value)}")
    for name in VECTORS:
        if getattr(row, name).shape != (dimension,):
            raise ValueError(f"row {row.row_id}: {name} has shape {getattr(row, name).shape}, not ({dimension},)")
    text = cut(row.text, TEXT_BYTES)
    context = None if row.context is None else cut(row.context, TEXT_BYTES)
    details, is_short = _pack_details(row)
    return {
        **{name: getattr(row, name) for name in ID_BYTES},
        "text": text,
        "context": context,
        "details": details,
        "is_cut": is_short or (text, context) != (row.text, row.context),
        **{name: np.ascontiguousarray(getattr(row, name), dtype=np.float32) for name in VECTORS},
    }


def to_row(entity: Mapping[str, Any]) -> IndexRow:
    """The row that an entity with all columns was made of."""
    details = json.loads(entity["details"])
    sources = tuple(Source(*source) for source in details.pop("sources"))
    columns: dict[str, Any] = {name: entity[name] for name in (*ID_BYTES, "text", "context")}
    columns |= {name: np.asarray(entity[name], dtype=np.float32) for name in VECTORS}
    return IndexRow(**columns, **details, sources=sources)


def _pack_details(row: IndexRow) -> tuple[str, bool]:
    """The JSON column, and whether something was left out: a long speaker's end, the last of many sources."""
    speaker = cut(row.speaker, SPEAKER_BYTES)
    details: dict[str, Any] = {name: getattr(row, name) for name in _DETAILS}
    details |= {"speaker": speaker, "sources": []}
    left = TEXT_BYTES - n_bytes(_json(details))
    if left < 0:
        raise ValueError(f"row {row.row_id}: its ids and times alone are longer than {TEXT_BYTES} bytes")
    for source in row.sources:
        packed = [source.message_id, source.archive, source.conversation, source.native_id]
        left -= n_bytes(_json(packed)) + 1
        if left < 0:
            break
        details["sources"].append(packed)
    return _json(details), speaker != row.speaker or len(details["sources"]) < len(row.sources)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def n_bytes(text: str) -> int:
    """Length in UTF-8 bytes, which is what Milvus's limits count."""
    return len(text.encode())


def cut(text: str, limit: int) -> str:
    """The longest beginning of at most `limit` UTF-8 bytes that ends between two graphemes."""
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    end = longest = len(encoded[:limit].decode(errors="ignore"))
    while end > 0 and longest - end < LONGEST_GRAPHEME and _is_joined(text, end):
        end -= 1
    return text[: end if not _is_joined(text, end) else longest]


def _is_joined(text: str, at: int) -> bool:
    """Whether the characters before and after `at` are seen as one (marks, emoji sequences, flags)."""
    if at == 0:
        return False
    before, after = text[at - 1], text[at]
    if before == "\u200d" or after == "\u200d" or unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":  # skin tones
        return True
    n_flags = at - len(text[:at].rstrip("".join(map(chr, range(0x1F1E6, 0x1F200)))))
    return n_flags % 2 == 1 and "\U0001f1e6" <= after <= "\U0001f1ff"


def literal(value: str) -> str:
    """A string in a filter expression: the only way in which a value gets into one."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def equals_user(user_id: str) -> str:
    """The filter of one user's rows."""
    return f"user_id == {literal(user_id)}"


def among(row_ids: Iterable[str]) -> str:
    """The filter of some rows."""
    return f"row_id in [{', '.join(map(literal, row_ids))}]"


def after(row_id: str) -> str:
    """The filter of the rows that follow one in the order of keys; all rows for an empty id."""
    return f"row_id > {literal(row_id)}"
