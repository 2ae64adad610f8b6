"""The one place where adapters are chosen: what a home folder is made of, and what runs over it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from hypermnesia import __version__
from hypermnesia.adapters.delta import N_BUCKETS, DeltaLake
from hypermnesia.adapters.lake_key import read_lake_key
from hypermnesia.adapters.milvus import MilvusVectorIndex
from hypermnesia.adapters.mlflow import MlflowTracker
from hypermnesia.adapters.onnx import OnnxEmbedder
from hypermnesia.adapters.secret_detectors import JoinedSecretDetector
from hypermnesia.adapters.spacy import LinguisticExtractor
from hypermnesia.adapters.vault import KEYS_FOLDER, FileVault, read_vault_key
from hypermnesia.archives import KnownArchives
from hypermnesia.engine.commits import never_crash
from hypermnesia.engine.flow import Flow, Load, RunReport, new_run_id
from hypermnesia.engine.inline import InlineExecutor
from hypermnesia.engine.lease import lease
from hypermnesia.engine.progress import Progress
from hypermnesia.engine.ray_workers import RayExecutor
from hypermnesia.engine.replay import ModelReplay, Replay
from hypermnesia.engine.run import Executor
from hypermnesia.engine.tracking import SafeTracker
from hypermnesia.home_graph import open_graph, write_parts
from hypermnesia.home_names import HomeNames
from hypermnesia.home_questions import ask_line, ask_many
from hypermnesia.home_skills import HomeSkills
from hypermnesia.inspection.diff import diff
from hypermnesia.inspection.digest import digest
from hypermnesia.inspection.estimate import estimate
from hypermnesia.inspection.show import Inspector
from hypermnesia.inspection.status import rejects, status
from hypermnesia.model_path import ANSWER, ModelPath
from hypermnesia.ports import Extractor, GraphCounts, GraphIndex, ModelStage, Stage
from hypermnesia.retrieval.ask import Asker
from hypermnesia.rules.activation import Active
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.verbatim import VerbatimExtractor
from hypermnesia.settings import Settings
from hypermnesia.stages.activations import activate, activate_first
from hypermnesia.stages.chunk import ChunkStage
from hypermnesia.stages.decisions import Decisions
from hypermnesia.stages.embed import Embed
from hypermnesia.stages.extract import Extract
from hypermnesia.stages.ingest import ArchiveInput, Ingest
from hypermnesia.stages.load_graph import LoadGraph
from hypermnesia.stages.load_vectors import LoadVectors
from hypermnesia.stages.merge_entities import NIGHTLY
from hypermnesia.stages.resolve import Resolve
from hypermnesia.stages.stored_answers import ModelExtractor
from hypermnesia.views import read_active

STAGES = ("ingest", "chunk", "extract", "embed", "resolve")
MODEL_STAGES = ("ingest", "chunk", ANSWER, "extract", "embed", "resolve")


class App:
    """One home folder and what can be done with it; without `makes_home` it must be there."""

    def __init__(self, settings: Settings, *, makes_home: bool = True) -> None:
        self.settings = settings
        self._makes_home = makes_home

    @cached_property
    def home(self) -> Path:
        """The home folder. Raises `LookupError` where nothing was built and this app builds nothing."""
        home = self.settings.home
        if not self._makes_home and not (home / "lake").is_dir():
            raise LookupError(f"no memory in {home}: run `hypermnesia backfill` first, or name another --home")
        return home

    @cached_property
    def identity(self) -> Identity:
        """Makes the ids of this home's lake. Raises `ValueError` where the key is not the lake's."""
        given = self.settings.lake_key
        return Identity(read_lake_key(self.home, given.get_secret_value() if given else None))

    @cached_property
    def lake(self) -> DeltaLake:
        """The authority."""
        return DeltaLake(self.home / "lake")

    @cached_property
    def vault(self) -> FileVault:
        """The vault's keys. Raises `ValueError` where the master key is not the vault's."""
        given = self.settings.vault_key
        master = read_vault_key(self.home, given.get_secret_value() if given else None)
        return FileVault(self.home / KEYS_FOLDER, master, self.identity, N_BUCKETS)

    @cached_property
    def embedder(self) -> OnnxEmbedder:
        """The bundled model."""
        return OnnxEmbedder()

    @cached_property
    def index(self) -> MilvusVectorIndex:
        """The vector store."""
        return MilvusVectorIndex(self.home / "index", OnnxEmbedder.dimension)

    @cached_property
    def graph(self) -> GraphIndex:
        """The graph store."""
        return open_graph(self.settings, self.home)

    @cached_property
    def extractor(self) -> Extractor:
        """What makes records of chunks; its model is loaded when it first reads."""
        match self.settings.extractor:
            case "verbatim":
                return VerbatimExtractor()
            case "model":
                return self.model_path.extractor
        return LinguisticExtractor()

    @cached_property
    def model_path(self) -> ModelPath:
        """The model that is asked about chunks, where `extractor` is model."""
        return ModelPath(self.settings, self.lake, lambda: self.identity)

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The lake's stages in order; a model is asked where there is one to ask."""
        return MODEL_STAGES if self.settings.extractor == "model" and self.settings.generator != "none" else STAGES

    @property
    def active(self) -> Active:
        """The extractor versions in force now."""
        return read_active(self.lake)

    @cached_property
    def asker(self) -> Asker:
        """The read path."""
        return Asker(self.index, self.graph, self.embedder, cache_rows=self.settings.cache_rows)

    def ask_all(
        self, lines: Iterable[Mapping[str, Any]], options: Mapping[str, Any], *, is_many: bool
    ) -> Iterator[dict[str, Any]]:
        """The evidence for each line, in their order; where there are many, by `workers` processes."""
        if is_many and self.settings.executor == "ray":
            return ask_many(self.settings, lines, options)
        return (ask_line(self.asker, line, options) for line in lines)

    @property
    def archives(self) -> KnownArchives:
        """The archive formats."""
        return KnownArchives()

    def stage(
        self, name: str, inputs: Sequence[ArchiveInput] = (), seen_at: datetime | None = None
    ) -> Stage | ModelStage:
        """A stage by its name, here or in a worker."""
        match name:
            case "ingest":
                at = seen_at or datetime.now(UTC)
                detector = JoinedSecretDetector()
                return Ingest(inputs, self.archives, self.identity, N_BUCKETS, at, detector, self.vault)
            case "chunk":
                return ChunkStage(self.lake, self.identity, self.settings.shard_messages)
            case "extract":
                marks = self.extractor.marks if isinstance(self.extractor, ModelExtractor) else None
                return Extract(self.lake, self.identity, self.extractor, self.settings.shard_messages, marks)
            case "answer":
                return self.model_path.stage
            case "embed":
                return Embed(self.lake, self.identity, self.embedder, self.active, self.settings.shard_records)
            case "resolve":
                return Resolve(self.lake, self.identity, self.active, self.settings.shard_names)
            case "merge_entities":
                return self.names.merging()
            case "judge_entities":
                return self.names.judging()
            case "propose_skills":
                return self.skills.proposals
            case "distill_skills":
                return self.skills.stage
        raise ValueError(f"no stage {name!r}")

    def plan(self, inputs: Sequence[ArchiveInput]) -> dict[str, Any]:
        """What a backfill would read, and what a model would cost to read it; writes nothing."""
        found = estimate(self.archives, inputs)
        return found | ({"model": self.model_path.cost(found["total"])} if self.settings.extractor == "model" else {})

    def backfill(
        self, inputs: Sequence[ArchiveInput], progress: Progress, crash: Callable[[str], None] = never_crash
    ) -> RunReport:
        """All stages over some archives; goes on where an earlier run stopped."""
        seen_at = datetime.now(UTC)
        steps = self.stages(inputs, seen_at, progress)
        return self.run("backfill", [*steps, *self.loads()], progress, seen_at, crash)

    def stages(self, inputs: Sequence[ArchiveInput], seen_at: datetime, progress: Progress) -> list[Stage | ModelStage]:
        """Every stage over some archives. In a home where nothing is in force yet, the extractor is."""
        if others := activate_first(self.lake, self.identity, self.extractor, seen_at):
            types = ", ".join(others)
            progress.say(f"another version stays in force for {types}: `activate {self.extractor.version}` switches")
        return [self.stage(name, inputs, seen_at) for name in self.stage_names]

    def replay(self, name: str, inputs: Sequence[ArchiveInput], progress: Progress) -> RunReport:
        """A stage again over what it refused, then the stages behind it. `ingest` needs its archives again.

        Raises `ValueError` for a stage that there is not.
        """
        seen_at = datetime.now(UTC)
        if name not in self.stage_names:
            raise ValueError(f"this configuration has no stage {name!r}, but {', '.join(self.stage_names)}")
        refused = {row.get("subject_id") or row["archive"] for row in self.rejects(name)}
        stage, salt = self.stage(name, inputs, seen_at), seen_at.isoformat()
        again = (ModelReplay if name == ANSWER else Replay)(cast(Any, stage), refused, self.identity, salt)
        behind = [self.stage(after) for after in self.stage_names[self.stage_names.index(name) + 1 :]]
        return self.run("replay", [again, *behind, *self.loads()], progress, seen_at)

    def rebuild(self, progress: Progress) -> RunReport:
        """Vectors and graph again from the lake, beside the published ones."""
        return self.run("rebuild", self.loads(is_fresh=True), progress, datetime.now(UTC))

    def load_graph(self, progress: Progress) -> RunReport:
        """The graph as it follows from the lake: what is missing in the store is written, then counts are compared."""
        return self.run("load_graph", self.loads()[-1:], progress, datetime.now(UTC))

    def write_graph(self, folder: Path) -> GraphCounts:
        """Every user's graph as files that fill empty Neo4j servers, a folder a server, a part a bucket, by workers.

        Raises `ValueError` where the folder is not empty.
        """
        return write_parts(self.settings, self.lake, self.identity, self.active, folder)

    def nightly(self, progress: Progress, rounds: str = NIGHTLY) -> RunReport:
        """One night over what came since the last: names merged, probed, and published where it is no worse."""
        with lease(self.home / "leases" / "nightly.lock", wait_s=self.settings.lease_wait_s, on_wait=progress.say):
            run_id, seen_at = new_run_id(), datetime.now(UTC)
            steps = [*self.names.stages(run_id, rounds), *self.skills.stages, *self.loads()]
            return self.run("nightly", steps, progress, seen_at, run_id=run_id)

    def activate(self, version: str, memory_types: Sequence[str], progress: Progress) -> RunReport:
        """Puts an extractor version in force, for some memory types or all that it covers; then vectors and graph.

        Raises `LookupError` for a version that has read nothing here, or does not cover a type.
        """
        at = datetime.now(UTC)
        rows = self.lake.read("extractions", columns=["memory_types"], equals={"extractor_version": version})
        covered = {t for types in rows["memory_types"].to_pylist() for t in types}
        if missing := set(memory_types) - covered or (set() if covered else {"anything"}):
            raise LookupError(f"{version} has not read {', '.join(sorted(missing))} here: run `backfill` with it first")
        activate(self.lake, self.identity, version, sorted(memory_types or covered), at)
        steps = [self.stage(name) for name in ("embed", "resolve")]
        return self.run("activate", [*steps, *self.loads()], progress, at)

    def diff(self, old: str, new: str) -> dict[str, Any]:
        """What two extractor versions make of the same passages."""
        return diff(self.lake, self.identity, old, new)

    def decide(self, command: str, decide: Callable[[Decisions, str, datetime], Any], progress: Progress) -> Any:
        """A person's decision about names, then the graph as it follows. Gives what `decide` gives."""
        run_id, at = new_run_id(), datetime.now(UTC)
        with lease(
            self.home / "leases" / "merge_entities.lock", wait_s=self.settings.lease_wait_s, on_wait=progress.say
        ):
            decided = decide(Decisions(self.lake, self.identity), run_id, at)
        self.run(command, self.loads()[-1:], progress, at, run_id=run_id)
        return decided

    @property
    def skills(self) -> HomeSkills:
        """What agents have learned to do."""
        return HomeSkills(self.lake, self.identity, self.settings, self.home / "leases", self.model_path.skills)

    @property
    def names(self) -> HomeNames:
        """Which names are one entity."""
        return HomeNames(self)

    def digest(self) -> dict[str, Any]:
        """What lake, view and index hold, order-free."""
        return digest(self.lake, self.index, self.graph, self.identity, self.active)

    def status(self) -> dict[str, Any]:
        """What was done."""
        return status(self.lake, self.index, [*self.stage_names], self.active)

    def rejects(self, stage: str | None) -> list[dict[str, Any]]:
        """What was refused."""
        return list(rejects(self.lake, stage))

    def inspector(self) -> Inspector:
        """Looks things up by id."""
        return Inspector(self.lake, self.index, self.graph, self.identity, self.active)

    def loads(self, *, is_fresh: bool = False) -> list[Load]:
        """The steps that bring vectors and graph to what the lake holds, or make them anew."""
        lake, identity, active = self.lake, self.identity, self.active
        return [
            LoadVectors(lake, identity, self.index, self.embedder.model, active, is_fresh=is_fresh),
            LoadGraph(lake, identity, self.graph, active, is_fresh=is_fresh),
        ]

    def run(
        self,
        command: str,
        steps: Sequence[Any],
        progress: Progress,
        seen_at: datetime,
        crash: Callable[[str], None] = never_crash,
        run_id: str | None = None,
    ) -> RunReport:
        """Runs steps over this home, tracked, with workers of its own; `seen_at` is when the run began."""
        executor = self._executor(seen_at)
        is_tracked = self.settings.tracking == "mlflow"
        flow = Flow(
            self.lake,
            executor,
            SafeTracker(MlflowTracker(self.home / "tracking") if is_tracked else None, progress.say),
            progress,
            leases=self.home / "leases",
            lease_wait_s=self.settings.lease_wait_s,
            reject_budget=self.settings.reject_budget,
            limits=self.settings.limits,
            crash=crash,
        )
        try:
            return flow.run(command, steps, self._params(steps), self.digest, run_id)
        finally:
            executor.close()

    def _executor(self, seen_at: datetime) -> Executor:
        make_stage = _StageFactory(self.settings, seen_at)
        plain: Executor = InlineExecutor()
        if self.settings.executor == "ray":
            plain = RayExecutor(make_stage, self.settings.workers, self.settings.stall_s)
        return self.model_path.executor(plain, make_stage) if self.settings.generator != "none" else plain

    def _params(self, steps: Sequence[Any]) -> dict[str, str]:
        chosen = self.settings.model_dump_json(exclude={"lake_key", "vault_key", "vault_read", "home"})
        versions = {step.name: step.version for step in steps if hasattr(step, "version")}
        return {
            "hypermnesia": __version__,
            "versions": json.dumps(versions, sort_keys=True),
            "settings": chosen,
            "config_hash": hashlib.sha256(chosen.encode()).hexdigest()[:16],
        }


class _StageFactory:
    """Builds a stage in a worker, from the settings alone."""

    def __init__(self, settings: Settings, seen_at: datetime) -> None:
        self._settings = settings
        self._seen_at = seen_at

    def __call__(self, name: str) -> Any:
        return App(self._settings).stage(name, seen_at=self._seen_at)
