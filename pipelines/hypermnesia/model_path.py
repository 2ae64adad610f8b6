"""The model path of a home: which model is asked, by which generator, in which workers, and within which limits."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hypermnesia.adapters.openai import Endpoint, OpenAIGenerator
from hypermnesia.adapters.vllm import VllmEngine, VllmGenerator
from hypermnesia.engine.gates import GatedExecutor, Gates
from hypermnesia.engine.inline import InlineExecutor
from hypermnesia.engine.model_pool import MakeStage, ModelWorkers
from hypermnesia.engine.model_runs import InlineModelExecutor
from hypermnesia.engine.model_workers import ModelExecutor, StageExecutors
from hypermnesia.engine.run import Executor
from hypermnesia.engine.spool import FileSpool
from hypermnesia.inspection.model_cost import model_cost
from hypermnesia.ports import Generator, Lake
from hypermnesia.prompts import load_prompts
from hypermnesia.rules.activation import Active
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.prompting import Prompt
from hypermnesia.rules.skills.asking import SkillPrompts
from hypermnesia.settings import Settings
from hypermnesia.stages.answer import Answer
from hypermnesia.stages.judge_entities import PROMPT, JudgeEntities
from hypermnesia.stages.merge_entities import MergeEntities
from hypermnesia.stages.propose_skills import ProposeSkills, SkillModel
from hypermnesia.stages.stored_answers import ModelExtractor, ModelPrompts

ANSWER = Answer.name


class ModelPath:
    """What `extractor: model` is made of. `make_generator` is called in each worker."""

    def __init__(self, settings: Settings, lake: Lake, identity: Callable[[], Identity]) -> None:
        self._settings = settings
        self._lake = lake
        self._identity = identity

    @cached_property
    def model(self) -> ModelPrompts:
        """The model, how it is asked, and its prompts."""
        most, prompts = self._settings.answer_tokens, load_prompts()
        if most is not None:
            prompts = {name: _capped(prompt, most) for name, prompt in prompts.items()}
        chosen = self._settings
        return ModelPrompts(chosen.model, chosen.mode, prompts, chosen.injection_check)

    @cached_property
    def extractor(self) -> ModelExtractor:
        """Reads what is stored of the model's answers."""
        return ModelExtractor(self._lake, self._identity(), self.model)

    @cached_property
    def stage(self) -> Answer:
        """Asks what is not stored."""
        return Answer(self._lake, self._identity(), self.model, self._settings.shard_messages)

    def judge(self, active: Active, merging: MergeEntities) -> JudgeEntities:
        """Looks by night at pairs of names that strings leave unsure."""
        prompt, model = self.model.prompts[PROMPT], self._settings.model
        return JudgeEntities(self._lake, self._identity(), active, merging, model, prompt)

    @property
    def skills(self) -> SkillModel | None:
        """Proposes what task sessions teach, where `distiller` is model."""
        if self._settings.distiller != "model":
            return None
        most = self._settings.token_budget
        share = None if most is None else max(1, most // _n_workers(self._settings))
        return SkillModel(self._settings.model, SkillPrompts.of(self.model.prompts), share)

    @cached_property
    def make_generator(self) -> Callable[[], Generator]:
        """Makes a worker's generator. Raises `ValueError` where none is configured."""
        if self._settings.generator == "openai":
            return MakeOpenAI(_endpoint(self._settings))
        if self._settings.generator == "vllm":
            return MakeVllm(_engine(self._settings))
        raise ValueError("no model can be asked: set `generator` to openai or vllm")

    def cost(self, total: Mapping[str, int]) -> dict[str, Any]:
        """What the model would cost to read what `plan` counted."""
        chosen = self._settings
        return model_cost(self._lake, self.model, total, chosen.tokens_per_gpu_second, self.n_gpus)

    @property
    def n_gpus(self) -> float:
        """GPUs of all replicas; of an endpoint it is not known, and counted as one."""
        vllm = self._settings.vllm
        return float(vllm.replicas * vllm.tensor_parallel) if self._settings.generator == "vllm" else 1.0

    def executor(self, plain: Executor, make_stage: MakeStage) -> Executor:
        """Sends the model stage to the model's workers, within the run's budgets, and the others to `plain`."""
        chosen = self._settings
        spools = FolderSpools(chosen.home / "spool")
        models: Executor
        if isinstance(plain, InlineExecutor):
            models = InlineModelExecutor(self.make_generator, spools)
        else:
            models = ModelExecutor(make_stage, self.make_generator, spools, _workers(chosen))
        gates = Gates(chosen.token_budget, chosen.time_budget_s, chosen.limits)
        return StageExecutors(plain, GatedExecutor(models, gates), [ANSWER, JudgeEntities.name, ProposeSkills.name])


class FolderSpools:
    """A spool a stage, in a folder that every worker sees."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, stage: str) -> FileSpool:
        """The stage's."""
        return FileSpool(self._folder / stage)


class MakeOpenAI:
    """Makes a client of an endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def __call__(self) -> Generator:
        """Not yet open."""
        return OpenAIGenerator(self._endpoint)


class MakeVllm:
    """Makes an engine."""

    def __init__(self, engine: VllmEngine) -> None:
        self._engine = engine

    def __call__(self) -> Generator:
        """Not yet started."""
        return VllmGenerator(self._engine)


def _capped(prompt: Prompt, most: int) -> Prompt:
    """A prompt whose answers are cut earlier: it is another version, as its answers may be others."""
    if prompt.max_tokens <= most:
        return prompt
    return replace(prompt, version=f"{prompt.version}-most{most}", max_tokens=most)


def _endpoint(settings: Settings) -> Endpoint:
    """One worker's share of the endpoint."""
    chosen = settings.openai.model_dump(exclude={"api_key_variable", "workers"})
    key = os.environ.get(settings.openai.api_key_variable, "")
    return Endpoint(model=settings.model, api_key=key, **chosen).shared_by(_n_workers(settings))


def _n_workers(settings: Settings) -> int:
    """How many workers ask the model; a run in this process is one."""
    if settings.executor != "ray":
        return 1
    return settings.openai.workers if settings.generator == "openai" else settings.vllm.replicas


def _engine(settings: Settings) -> VllmEngine:
    chosen = settings.vllm
    return VllmEngine(
        model=chosen.path or settings.model,
        name=settings.model,
        dtype=chosen.dtype,
        max_model_len=chosen.max_model_len,
        tensor_parallel_size=chosen.tensor_parallel,
        max_num_seqs=chosen.max_num_seqs,
        max_num_batched_tokens=chosen.max_num_batched_tokens,
        gpu_memory_utilization=chosen.gpu_memory_utilization,
        extra=chosen.extra,
        template_values=chosen.template_values,
    )


def _workers(settings: Settings) -> ModelWorkers:
    if settings.generator == "openai":
        return ModelWorkers(settings.openai.workers, local_cpus=settings.workers, stall_s=settings.stall_s)
    vllm = settings.vllm
    return ModelWorkers(
        vllm.replicas,
        num_cpus=vllm.cpus,
        num_gpus=vllm.tensor_parallel if vllm.gpus is None else vllm.gpus,
        local_cpus=settings.workers,
        stall_s=settings.stall_s,
    )
