"""What a row is in Milvus: columns, limits that a server holds (Milvus Lite does not), and filters.

What is asked for by name has a column; the rest is one JSON column, in which None stays None. The names of
anchors are a collection of their own.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hypermnesia.ports import IndexRow, NameRow, Source
from hypermnesia.ports.models import Packed
from hypermnesia.rules.identity import bucket_of

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
SPEAKER_BYTES = 1_024
NAME_BYTES = {"anchor_id": 128, "user_id": 1_024, "model": 256, "text_hash": 128}


@dataclass(frozen=True)
class Collection:
    """One collection: its key, its identifiers with their limits in bytes, its other text and its vectors."""

    name: str
    key: str
    id_bytes: Mapping[str, int]
    texts: tuple[str, ...]
    flags: tuple[str, ...]
    vectors: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column."""
        return (*self.id_bytes, *self.texts, *self.flags, *self.vectors)


ROWS = Collection("rows", "row_id", ID_BYTES, ("text", "context", "details"), ("is_cut",), VECTORS)
NAMES = Collection("names", "anchor_id", NAME_BYTES, (), (), ("vector",))
COLLECTIONS = (ROWS, NAMES)
SERVED = (*ID_BYTES, "text", "context", "details", *VECTORS)  # the columns that `to_row` reads

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
    "signals",
)


def partition_of(user_id: str) -> str:
    """The partition of a user's rows, named in every call: Milvus Lite reads all of those it is not told.

    Raises `ValueError` for an empty user.
    """
    return PARTITIONS[bucket_of(user_id, N_PARTITIONS)]


def check_columns(collection: Collection, found: Mapping[str, int | None], dimension: int, path: Path) -> None:
    """Holds a collection's columns (name -> dimension) to those that its rows need.

    Raises `RuntimeError` for others: Milvus Lite leaves out, without a word, what it does not know,
    and an index may be older than the layout.
    """
    wanted = {name: dimension if name in collection.vectors else None for name in collection.columns}
    if dict(found) != wanted:
        raise RuntimeError(
            f"{path}: {collection.name} has columns {dict(found)}, not {wanted}: build the index fresh (`rebuild`)"
        )


def to_entity(row: IndexRow, dimension: int) -> dict[str, Any]:
    """One row as Milvus takes it. Free text that is too long is cut, and `is_cut` says so.

    Raises `ValueError` for an empty or too long id and for a vector of another dimension.
    """
    _check(ROWS, row.row_id, row, dimension)
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


def name_to_entity(name: NameRow, dimension: int) -> dict[str, Any]:
    """One name as Milvus takes it. Raises `ValueError` as `to_entity` does."""
    _check(NAMES, name.anchor_id, name, dimension)
    ids = {column: getattr(name, column) for column in NAME_BYTES}
    return {**ids, "vector": np.ascontiguousarray(name.vector, dtype=np.float32)}


def to_name(entity: Mapping[str, Any]) -> NameRow:
    """The name that an entity was made of."""
    return NameRow(**{c: entity[c] for c in NAME_BYTES}, vector=np.asarray(entity["vector"], dtype=np.float32))


def _check(collection: Collection, identifier: str, row: IndexRow | NameRow, dimension: int) -> None:
    for name, limit in collection.id_bytes.items():
        value = getattr(row, name)
        if not 0 < n_bytes(value) <= limit:
            raise ValueError(f"row {identifier[:80]!r}: {name} must have 1 to {limit} bytes, not {n_bytes(value)}")
    for name in collection.vectors:
        if getattr(row, name).shape != (dimension,):
            raise ValueError(f"row {identifier}: {name} has shape {getattr(row, name).shape}, not ({dimension},)")


def to_row(entity: Mapping[str, Any], tokens: Packed) -> IndexRow:
    """The row that an entity of the served columns was made of; its tokens are kept beside it (`token_files.py`)."""
    columns = dict(entity)
    details = json.loads(columns.pop("details"))
    sources = tuple(Source(source[0], *map(_shared, source[1:])) for source in details.pop("sources"))
    details["signals"] = tuple(map(_shared, details["signals"]))
    details |= {name: columns.pop(name) for name in ("user_id", "memory_type", "model")}
    shared = {name: _shared(value) for name, value in details.items()}
    return IndexRow(**columns, **shared, sources=sources, tokens=tokens)


def _shared(value: Any) -> Any:
    """The one copy of a text that many rows have, such as a speaker: half of what a row's texts take."""
    return sys.intern(value) if isinstance(value, str) else value


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


def among(key: str, ids: Iterable[str]) -> str:
    """The filter of some rows."""
    return f"{key} in [{', '.join(map(literal, ids))}]"


def after(key: str, last: str) -> str:
    """The filter of the rows that follow one in the order of keys; all rows for an empty id."""
    return f"{key} > {literal(last)}"
