"""Fakes at the edge of the read path: rows, a vector index and an embedder in memory."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from hypermnesia.ports import IndexRow, NameRow, Source, Tokens, VectorBuild, VectorReader
from hypermnesia.rules.embedding_text import own_text, text_before
from tests.fixtures.index_rows import index_row

DIMENSION = 32
MODEL = "bag-of-words/1"
Vectors = np.ndarray[Any, np.dtype[np.float32]]


class BagOfWords:
    """An embedder: each word a fixed direction, their sum of length 1."""

    model = MODEL
    dimension = DIMENSION

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._one(text) for text in texts])

    def embed_tokens(self, texts: Sequence[tuple[str, str]]) -> tuple[Vectors, list[Tokens]]:
        return self.embed(["".join(pair) for pair in texts]), [self._tokens(text) for _, text in texts]

    def _tokens(self, text: str) -> Tokens:
        found = re.findall(r"\w+", text.lower())
        pieces = [int.from_bytes(hashlib.sha256(word.encode()).digest()[:2], "big") for word in found]
        vectors = np.array([self._one(word) for word in found], np.float32).reshape(-1, DIMENSION)
        return Tokens(np.array(pieces, np.uint16), np.rint(vectors * 127).astype(np.int8))

    def _one(self, text: str) -> Vectors:
        total = np.full(DIMENSION, 1e-3, np.float64)
        for word in re.findall(r"\w+", text.lower()):
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            total += np.random.default_rng(seed).normal(size=DIMENSION)
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


def make_rows(
    said: Iterable[tuple[str, str]],
    *,
    user: str = "ann",
    conversation: str = "c1",
    session: str = "s1",
    day: str | None = "2023-05-08",
    first: int = 0,
    roles: dict[str, str] | None = None,
) -> list[IndexRow]:
    """Rows of one session from (speaker, text) in order; row ids are `user/conversation/session/order`."""
    rows: list[IndexRow] = []
    before: tuple[str, str] | None = None
    embedder = BagOfWords()
    for order, (speaker, text) in enumerate(said, start=first):
        written = own_text(speaker, text)
        own, context = embedder.embed([written, text_before(*(before or (None, None))) + written])
        tokens = embedder.embed_tokens([("", written)])[1][0]
        name = f"{user}/{conversation}/{session}/{order:05d}"
        rows.append(
            index_row(
                name,
                user_id=user,
                text=text,
                speaker=speaker,
                role=(roles or {}).get(speaker, "person"),
                trust="other_person",
                said_at=f"{day}T12:{order % 60:02d}:00+00:00" if day else None,
                said_local=f"{day}T12:{order % 60:02d}:00" if day else None,
                conversation_id=conversation,
                session=session,
                order=order,
                sources=(Source(f"m/{name}", "archive.json", conversation, f"D1:{order}"),),
                model=MODEL,
                vector=own,
                context_vector=context,
                tokens=tokens.pack(),
            )
        )
        before = (speaker, text)
    return rows


class MemoryIndex:
    """A vector index of one published generation; `publish` replaces it. Counts what was read."""

    def __init__(self, rows: Sequence[IndexRow] = ()) -> None:
        self.rows = list(rows)
        self.number = 1
        self.n_reads = 0
        self.n_open = 0

    def publish(self, rows: Sequence[IndexRow]) -> None:
        self.rows, self.number = list(rows), self.number + 1

    def published(self) -> str | None:
        return f"generation-{self.number}"

    def reader(self) -> VectorReader:
        return _MemoryReader(self)

    def build(self, *, is_fresh: bool) -> VectorBuild:
        raise NotImplementedError("this index is only read")

    def entries(self) -> Iterator[tuple[str, str, str]]:
        raise NotImplementedError("this index is only read")


class _MemoryReader:
    def __init__(self, index: MemoryIndex) -> None:
        self._index, self._rows = index, list(index.rows)
        self.generation = f"generation-{index.number}"
        index.n_open += 1

    def user_rows(self, user_id: str) -> Sequence[IndexRow]:
        self._index.n_reads += 1
        rows = [row for row in self._rows if row.user_id == user_id]
        return sorted(rows, key=lambda r: (r.conversation_id, r.order, r.row_id))

    def user_names(self, user_id: str) -> Sequence[NameRow]:
        return []

    def close(self) -> None:
        self._index.n_open -= 1


class EmptyGraph:
    """A published graph that knows nothing, of one generation; its own reader."""

    generation = "generation-1"

    def published(self) -> str | None:
        return self.generation

    def reader(self) -> Any:
        return self

    def close(self) -> None:
        return None

    def anchors(self, *_: Any, **__: Any) -> list[Any]:
        return []

    anchors_by_key = user_anchors = frames = frames_around = frames_joining = frames_citing = anchors
