"""vLLM's own async engine as a generator, in the process that holds it (a Ray actor): no HTTP between.

Compact JSON is the grammar's rule here, so that a model can't fill its tokens with spaces; the engine ends a call
that repeats itself. Requests of one chunk find its prefix in this engine's cache, since all come to this worker.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from hypermnesia.ports import Completion, EngineDeadError, EngineUnavailableError, Request
from hypermnesia.rules.answer_schemas import schema_problems
from hypermnesia.rules.answer_status import LOOP_CHARACTERS, answer_status

#: More calls than the engine runs at once: the next one is there when a sequence ends.
OVER_COMMIT = 1.25
#: A run of up to so many tokens, repeated as often as a loop of white space has characters, ends the call.
LOOP_TOKENS = 4

_FAILED = {"abort", "error"}


@dataclass(frozen=True, slots=True)
class VllmEngine:
    """One engine. For throughput take `tensor_parallel_size` just large enough for the model, and more workers.

    `model` is a folder or a hub's name, `name` how answers call it. `extra` are further engine arguments of
    vLLM (`block_size`, `quantization`, `enforce_eager` ...). `template_values` go to the chat template, e.g.
    `{"enable_thinking": False}`.
    """

    model: str
    name: str = ""
    dtype: str = "auto"
    max_model_len: int | None = 8_192
    tensor_parallel_size: int = 1
    max_num_seqs: int = 512
    max_num_batched_tokens: int | None = 16_384
    gpu_memory_utilization: float = 0.92
    extra: Mapping[str, Any] = field(default_factory=dict)
    template_values: Mapping[str, Any] = field(default_factory=dict)


class VllmGenerator:
    """An engine of vLLM 0.11 or newer; it starts with `open`."""

    def __init__(self, engine: VllmEngine) -> None:
        self.model = engine.name or PurePath(engine.model).name
        self.slots = max(1, round(engine.max_num_seqs * OVER_COMMIT))
        self._config = engine
        self._slots = asyncio.Semaphore(self.slots)
        self._tokenizing = ThreadPoolExecutor(1)  # a tokenizer can't be shared by threads
        self._engine: Any = None
        self._n_asked = 0

    async def open(self, schemas: Sequence[Mapping[str, Any]]) -> None:
        """Compiles the schemas, then starts the engine, which takes from seconds to minutes and holds the loop."""
        _check(schemas)
        if self._engine is None:
            self._engine = self._start()

    async def generate(self, request: Request) -> Completion:
        """One completion. A prompt without room for its answer is a `context_overflow`, found before the call."""
        from vllm.exceptions import VLLMClientError
        from vllm.v1.engine.exceptions import EngineDeadError as DeadError
        from vllm.v1.engine.exceptions import EngineGenerateError

        async with self._slots:
            if self._engine is None or self._engine.errored:
                raise EngineDeadError(f"the engine of {self.model} is gone")
            clock = time.perf_counter()
            try:
                prompt = await asyncio.get_running_loop().run_in_executor(self._tokenizing, self._tokens, request)
                if overflow := self._overflow(request, len(prompt)):
                    return Completion(request.id, "context_overflow", "", self.model, len(prompt), detail=overflow)
                output = await self._run(request, prompt)
            except DeadError as error:
                raise EngineDeadError(f"the engine of {self.model} died: {error}") from error
            except (EngineGenerateError, VLLMClientError, ValueError, TypeError) as error:
                if self._engine is None or self._engine.errored:
                    raise EngineDeadError(f"the engine of {self.model} died: {error}") from error
                detail = f"{type(error).__name__}: {error.__cause__ or error}"
                return Completion(request.id, "engine_error", "", self.model, detail=detail[:300])
            return self._completion(request, output, time.perf_counter() - clock)

    async def close(self) -> None:
        """Ends the engine's processes."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.shutdown()
        self._tokenizing.shutdown(wait=False)

    def _start(self) -> Any:
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.v1.engine.async_llm import AsyncLLM

        config = self._config
        chosen = {
            "model": config.model,
            "served_model_name": self.model,
            "dtype": config.dtype,
            "max_model_len": config.max_model_len,
            "tensor_parallel_size": config.tensor_parallel_size,
            "distributed_executor_backend": "mp" if config.tensor_parallel_size > 1 else None,
            "max_num_seqs": config.max_num_seqs,
            "max_num_batched_tokens": config.max_num_batched_tokens,
            "gpu_memory_utilization": config.gpu_memory_utilization,
            "structured_outputs_config": {"backend": "xgrammar", "disable_any_whitespace": True},
            "disable_log_stats": True,
            "seed": 0,
        }
        try:
            return AsyncLLM.from_engine_args(AsyncEngineArgs(**(chosen | dict(config.extra))))
        except Exception as error:
            raise EngineUnavailableError(f"vLLM can't start {config.model}: {type(error).__name__}: {error}") from error

    def _tokens(self, request: Request) -> list[int]:
        """The prompt's tokens: the model's chat template over the messages, open for the answer."""
        tokenizer = self._engine.get_tokenizer()
        clean = [
            {"role": role, "content": content.encode("utf-8", "replace").decode()} for role, content in request.messages
        ]
        text = tokenizer.apply_chat_template(
            clean, tokenize=False, add_generation_prompt=True, **self._config.template_values
        )
        return list(tokenizer.encode(text, add_special_tokens=False))

    def _overflow(self, request: Request, n_tokens: int) -> str:
        most, room = self._engine.model_config.max_model_len, request.sampling.max_tokens
        return f"{n_tokens} tokens and {room} for the answer, of {most}" if n_tokens + room > most else ""

    async def _run(self, request: Request, prompt: list[int]) -> Any:
        from vllm.inputs import TokensPrompt
        from vllm.sampling_params import (
            RepetitionDetectionParams,
            RequestOutputKind,
            SamplingParams,
            StructuredOutputsParams,
        )

        sampling, schema = request.sampling, request.schema
        params = SamplingParams(
            max_tokens=sampling.max_tokens,
            temperature=sampling.temperature,
            seed=sampling.seed if sampling.temperature else None,
            structured_outputs=StructuredOutputsParams(json=dict(schema)) if schema is not None else None,
            repetition_detection=RepetitionDetectionParams(max_pattern_size=LOOP_TOKENS, min_count=LOOP_CHARACTERS),
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        self._n_asked += 1  # the engine wants its own name for a call: one that is asked again is another
        name = f"{request.id}-{self._n_asked}"
        outputs = self._engine.generate(TokensPrompt(prompt_token_ids=prompt), params, name)
        return [output async for output in outputs][-1]  # FINAL_ONLY: there is one

    def _completion(self, request: Request, output: Any, seconds: float) -> Completion:
        said = output.outputs[0]
        tokens = (len(output.prompt_token_ids), output.num_cached_tokens or 0, len(said.token_ids))
        if said.finish_reason in _FAILED:
            detail = f"the engine ended the call: {said.finish_reason}"
            return Completion(request.id, "engine_error", said.text, self.model, *tokens, seconds, detail)
        status, detail = answer_status(said.text, said.finish_reason, request.schema)
        return Completion(request.id, status, said.text, self.model, *tokens, seconds, detail)


def _check(schemas: Sequence[Mapping[str, Any]]) -> None:
    """Compiles each schema as the engine will. Raises `EngineUnavailableError`: in the engine's loop it would crash."""
    import xgrammar

    for schema in schemas:
        problems = schema_problems(schema)
        if not problems:
            try:
                xgrammar.Grammar.from_json_schema(json.dumps(schema), any_whitespace=False)
            except Exception as error:
                problems = [f"{type(error).__name__}: {error}"]
        if problems:
            raise EngineUnavailableError(f"an answer's schema can't be asked for: {'; '.join(problems)}")
