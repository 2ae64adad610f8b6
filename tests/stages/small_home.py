"""A small home for tests of stages: a real lake, a fake embedder and a vector index in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from hypermnesia.adapters.delta import N_BUCKETS, DeltaLake
from hypermnesia.adapters.secret_detectors import JoinedSecretDetector
from hypermnesia.adapters.sqlite import SqliteGraphIndex
from hypermnesia.adapters.vault import FileVault
from hypermnesia.archives import KnownArchives
from hypermnesia.engine.commits import Committer
from hypermnesia.engine.counts import Counts
from hypermnesia.engine.inline import InlineExecutor
from hypermnesia.engine.run import StageReport, run_stage
from hypermnesia.graph_view import UserGraph, user_graphs
from hypermnesia.inspection.digest import digest
from hypermnesia.ports import Extractor, IndexRow, NameRow, Part, Stage, Tokens
from hypermnesia.ports.builds import Build
from hypermnesia.rules import verbatim
from hypermnesia.rules.extraction import MEMORY_TYPES
from hypermnesia.rules.identity import Identity
from hypermnesia.stages.chunk import ChunkStage
from hypermnesia.stages.embed import Embed
from hypermnesia.stages.extract import Extract
from hypermnesia.stages.ingest import ArchiveInput, Ingest
from hypermnesia.stages.load_graph import LoadGraph
from hypermnesia.stages.load_vectors import LoadVectors
from hypermnesia.stages.merge_entities import NIGHTLY, MergeEntities
from hypermnesia.stages.resolve import Resolve
from hypermnesia.views import Bucket

IDS = Identity(b"k" * 32)
ACTIVE = dict.fromkeys(MEMORY_TYPES, (verbatim.VERSION,))
STAGES = ("ingest", "chunk", "extract", "embed", "resolve")
NOW = datetime(2025, 1, 1, tzinfo=UTC)

Row = dict[str, Any]
Vectors = np.ndarray[Any, np.dtype[np.float32]]


def hashed_tokens(text: str) -> Tokens:
    """A token a word, each a number and four signs of its hash."""
    hashes = [hashlib.sha256(word.encode()).digest() for word in text.split()]
    pieces = np.array([h[0] for h in hashes], np.uint16)
    return Tokens(pieces, np.array([list(h[1:5]) for h in hashes], np.uint8).astype(np.int8).reshape(-1, 4))


class HashEmbedder:
    """A unit vector from a text's hash; keeps what it was asked to embed."""

    model = "hash/1"
    dimension = 4

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.array([self.one(t) for t in texts], np.float32).reshape(len(texts), self.dimension)

    def embed_tokens(self, texts: Sequence[tuple[str, str]]) -> tuple[Vectors, list[Tokens]]:
        vectors = self.embed(["".join(pair) for pair in texts])
        return vectors, [hashed_tokens(text) for _, text in texts]

    def one(self, text: str) -> Vectors:
        numbers = np.frombuffer(hashlib.sha256(text.encode()).digest()[:4], np.uint8).astype(np.float32) - 127.5
        return np.asarray(numbers / np.linalg.norm(numbers), np.float32)


class MemoryIndex:
    """A vector index in memory: generations are numbered, only a published one is read."""

    def __init__(self) -> None:
        self.rows: dict[str, IndexRow] = {}
        self.names: dict[str, NameRow] = {}
        self.n_published = 0
        self.n_written = 0

    def published(self) -> str | None:
        return f"generation-{self.n_published}" if self.n_published else None

    def reader(self) -> Any:
        raise NotImplementedError

    def build(self, *, is_fresh: bool) -> _Build:
        return _Build(self, {} if is_fresh else dict(self.rows), {} if is_fresh else dict(self.names))

    def entries(self) -> Iterator[tuple[str, str, str]]:
        for row in self.rows.values():
            yield row.row_id, row.model, row.text_hash
            yield row.row_id, row.model, row.context_hash
        for name in self.names.values():
            yield name.anchor_id, name.model, name.text_hash


class _Build(Build):
    def __init__(self, index: MemoryIndex, rows: dict[str, IndexRow], names: dict[str, NameRow]) -> None:
        self._index, self._rows, self._names = index, rows, names

    def present(self) -> Mapping[str, str]:
        return {row.row_id: row.fingerprint for row in self._rows.values()}

    def upsert(self, rows: Iterable[IndexRow]) -> int:
        fresh = {row.row_id: row for row in rows}
        self._rows |= fresh
        self._index.n_written += len(fresh)
        return len(fresh)

    def delete(self, row_ids: Iterable[str]) -> int:
        return sum(self._rows.pop(row_id, None) is not None for row_id in list(row_ids))

    def present_names(self) -> Mapping[str, str]:
        return {name.anchor_id: name.text_hash for name in self._names.values()}

    def upsert_names(self, names: Iterable[NameRow]) -> int:
        fresh = {name.anchor_id: name for name in names}
        self._names |= fresh
        return len(fresh)

    def delete_names(self, anchor_ids: Iterable[str]) -> int:
        return sum(self._names.pop(anchor_id, None) is not None for anchor_id in list(anchor_ids))

    def publish(self, expected: int, expected_names: int = 0) -> str:
        if (len(self._rows), len(self._names)) != (expected, expected_names):
            raise RuntimeError(f"{len(self._rows)} rows, {expected} expected")
        self._index.rows, self._index.names = self._rows, self._names
        self._index.n_published += 1
        return self._index.published() or ""

    def abandon(self) -> None:
        self._rows = {}


class Silent:
    """Progress that nobody sees."""

    def update(self, report: StageReport) -> None:
        return None


class Home:
    """A lake in a folder and what runs over it, in this process."""

    def __init__(self, root: Path, identity: Identity = IDS, **shards: int) -> None:
        self.lake = DeltaLake(root / "lake")
        self.identity = identity
        self.vault = FileVault(root / "vault_keys", b"v" * 32, identity, N_BUCKETS)
        self.embedder = HashEmbedder()
        self.index = MemoryIndex()
        self.extractor: Extractor = verbatim.VerbatimExtractor()
        self.graph = SqliteGraphIndex(root / "index")
        self.n_runs = 0
        self._shards = {"messages": 2_000, "records": 256, "names": 2_000} | shards

    def stage(self, name: str, inputs: Sequence[ArchiveInput] = ()) -> Stage:
        match name:
            case "ingest":
                seen_at = NOW + timedelta(days=self.n_runs)
                detector = JoinedSecretDetector()
                return Ingest(inputs, KnownArchives(), self.identity, N_BUCKETS, seen_at, detector, self.vault)
            case "chunk":
                return ChunkStage(self.lake, self.identity, self._shards["messages"])
            case "extract":
                return Extract(self.lake, self.identity, self.extractor, self._shards["messages"])
            case "resolve":
                return Resolve(self.lake, self.identity, ACTIVE, self._shards["names"])
        return Embed(self.lake, self.identity, self.embedder, ACTIVE, self._shards["records"])

    def run(self, *inputs: Path | ArchiveInput, until: str = "resolve") -> dict[str, Counts]:
        """Runs the stages over some archives; every stage's counts add up, or it raises."""
        given = [i if isinstance(i, ArchiveInput) else ArchiveInput(i) for i in inputs]
        self.n_runs += 1
        counts = {}
        for name in STAGES[: STAGES.index(until) + 1]:
            stage = self.stage(name, given)
            committer = Committer(self.lake, stage, f"run-{self.n_runs}")
            report = run_stage(stage, committer, InlineExecutor(), Silent())
            report.counts.check(name)
            counts[name] = report.counts
        return counts

    def load(self, *, is_fresh: bool = False) -> Part:
        part = LoadVectors(self.lake, self.identity, self.index, HashEmbedder.model, ACTIVE, is_fresh=is_fresh).load()
        assert part.n_in == part.n_out + part.n_merged + part.n_deferred + part.n_rejected
        return part

    def load_graph(self, *, is_fresh: bool = False) -> Part:
        part = LoadGraph(self.lake, self.identity, self.graph, ACTIVE, is_fresh=is_fresh).load()
        assert part.n_in == part.n_out + part.n_merged + part.n_deferred + part.n_rejected
        return part

    def night(self, *, rounds: str = NIGHTLY, since: datetime | None = None) -> Counts:
        """One night of merging, without probes; every count adds up, or it raises."""
        self.n_runs += 1
        model, size = self.embedder.model, self._shards["names"]
        stage = MergeEntities(self.lake, self.identity, ACTIVE, model, size, since=since, rounds=rounds)
        report = run_stage(stage, Committer(self.lake, stage, f"run-{self.n_runs}"), InlineExecutor(), Silent())
        report.counts.check(stage.name)
        return report.counts

    def graphs(self) -> dict[str, UserGraph]:
        """Every user's graph as it follows from the lake."""
        buckets = (Bucket(self.lake, self.identity, n, ACTIVE) for n in self.lake.buckets("messages"))
        return {graph.user_id: graph for bucket in buckets for graph in user_graphs(bucket, self.identity)}

    def rows(self, table: str, **equals: str) -> list[Row]:
        rows: list[Row] = self.lake.read(table, equals=equals or None).to_pylist()
        return rows

    def n_rows(self) -> dict[str, int]:
        """Rows of every table that a stage writes."""
        tables = ("messages", "message_sources", "chunks", "extractions", "records", "mentions", "assertions")
        tables += ("embeddings", "merges", "rejects", "commits")
        return {table: self.lake.read(table).num_rows for table in tables}

    def digest(self) -> dict[str, Any]:
        return digest(self.lake, self.index, self.graph, self.identity, ACTIVE)

    def view(self) -> list[Row]:
        """The records in force of the whole lake, in order."""
        buckets = (Bucket(self.lake, self.identity, n, ACTIVE) for n in self.lake.buckets("messages"))
        return [row for bucket in buckets for row in bucket.records.to_dicts()]


def line(native: str | None, text: str, minute: int = 0, **more: Any) -> Row:
    """A line of our JSONL, said on 1 May 2024 so many minutes after nine."""
    time = (datetime(2024, 5, 1, 9) + timedelta(minutes=minute)).isoformat()
    named = {} if native is None else {"id": native}
    return {"user": "ann", "conversation": "c", "speaker": "Ann", "time": time, **named, "text": text, **more}


def write(path: Path, *lines: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join((entry if isinstance(entry, str) else json.dumps(entry)) + "\n" for entry in lines)
    path.write_text(text, encoding="utf-8")
    return path
