"""What we need from outside, as Protocols; `adapters/` implements them and one suite a port tests them."""

from hypermnesia.ports.archives import UNNAMED, ArchiveReader, Archives, Entry, Refusal
from hypermnesia.ports.extraction import Extractor
from hypermnesia.ports.generation import (
    STATUSES,
    Completion,
    EngineDeadError,
    EngineUnavailableError,
    Generator,
    Request,
    Sampling,
)
from hypermnesia.ports.graph import Anchor, Citation, Frame, FrameRole, GraphBuild, GraphCounts, GraphIndex, GraphReader
from hypermnesia.ports.lake import ConcurrentCommitError, Lake, LakeTable
from hypermnesia.ports.models import Embedder, Tokens
from hypermnesia.ports.secrets import SecretDetector, Vault
from hypermnesia.ports.stages import Call, ModelStage, OpenShard, Part, PlannedStage, Shard, Stage, VersionDriftError
from hypermnesia.ports.tracking import Tracker
from hypermnesia.ports.vectors import IndexRow, NameRow, Source, VectorBuild, VectorIndex, VectorReader

__all__ = [
    "STATUSES",
    "UNNAMED",
    "Anchor",
    "ArchiveReader",
    "Archives",
    "Call",
    "Citation",
    "Completion",
    "ConcurrentCommitError",
    "Embedder",
    "EngineDeadError",
    "EngineUnavailableError",
    "Entry",
    "Extractor",
    "Frame",
    "FrameRole",
    "Generator",
    "GraphBuild",
    "GraphCounts",
    "GraphIndex",
    "GraphReader",
    "IndexRow",
    "Lake",
    "LakeTable",
    "ModelStage",
    "NameRow",
    "OpenShard",
    "Part",
    "PlannedStage",
    "Refusal",
    "Request",
    "Sampling",
    "SecretDetector",
    "Shard",
    "Source",
    "Stage",
    "Tokens",
    "Tracker",
    "Vault",
    "VectorBuild",
    "VectorIndex",
    "VectorReader",
    "VersionDriftError",
]
