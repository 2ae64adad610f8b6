"""Any OpenAI-compatible endpoint (`vllm serve`, Ray Serve LLM, a hosted one) as a generator.

aiohttp, not the vendor's client: one POST is all there is, retries are ours, and it costs a third of the
processor time a call, which counts with hundreds of calls in flight.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypermnesia.adapters.rate_limit import RateLimit
from hypermnesia.ports import Completion, EngineUnavailableError, Request
from hypermnesia.rules.answer_schemas import schema_problems
from hypermnesia.rules.answer_status import answer_status

_REFUSED = {401, 403}
_WAITS = {429}
_TRANSIENT = {408, 409, 425, 500, 502, 503, 504, 529}
_OVERFLOW_WORDS = ("context_length_exceeded", "maximum context length", "context length", "max_model_len")
_LONGEST_WAIT_S = 120.0
_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is and how much it may be asked; limits are those of one worker (see `shared_by`).

    `urls` are base addresses that end in /v1; requests of one prefix go to one of them. `timeout_s` is for one
    attempt and should lie above the slowest answers. `patience_s` is how long a call waits while it is told to.
    `extra` is merged into every request body, for what one server has beside the standard.
    """

    urls: tuple[str, ...]
    model: str
    api_key: str = field(default="", repr=False)
    slots: int = 64
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout_s: float = 600.0
    attempts: int = 5
    patience_s: float = 900.0
    open_s: float = 10.0
    #: Failed calls in a row after which the endpoint counts as down, and the run stops.
    most_failures: int = 50
    extra: Mapping[str, Any] = field(default_factory=dict)

    def shared_by(self, n_workers: int) -> Endpoint:
        """One worker's share of the limits."""
        return replace(
            self,
            slots=max(1, self.slots // n_workers),
            requests_per_minute=self.requests_per_minute and self.requests_per_minute / n_workers,
            tokens_per_minute=self.tokens_per_minute and self.tokens_per_minute / n_workers,
        )


class _TryAgainError(Exception):
    """An attempt failed in a way that may pass; `wait_s` is what the endpoint asked for."""

    def __init__(self, detail: str, wait_s: float | None = None, *, is_told_to_wait: bool = False) -> None:
        super().__init__(detail)
        self.wait_s = wait_s
        self.is_told_to_wait = is_told_to_wait


class OpenAIGenerator:
    """Chat completions with a JSON schema as `response_format`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.model = endpoint.model
        self.slots = endpoint.slots
        self._endpoint = endpoint
        self._slots = asyncio.Semaphore(endpoint.slots)
        self._limit = RateLimit(endpoint.requests_per_minute, endpoint.tokens_per_minute)
        self._n_failed = 0
        self._session: Any = None

    async def open(self, schemas: Sequence[Mapping[str, Any]]) -> None:
        """Asks every address for its models. Raises `EngineUnavailableError`."""
        import aiohttp

        if problems := [problem for schema in schemas for problem in schema_problems(schema)]:
            raise EngineUnavailableError(f"an answer's schema can't be asked for: {'; '.join(problems)}")
        if self._session is None:
            key = self._endpoint.api_key
            self._session = aiohttp.ClientSession(
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=aiohttp.ClientTimeout(total=self._endpoint.timeout_s),
                connector=aiohttp.TCPConnector(limit=0),
            )
        for url in self._endpoint.urls:
            await self._check(url)

    async def generate(self, request: Request) -> Completion:
        """One completion; after `attempts` failures it is an `engine_error`. The slot is free between attempts."""
        try:
            return await self._attempt(request)
        except _TryAgainError as error:
            return await self._try_again(request, [error])

    async def close(self) -> None:
        """Closes the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _try_again(self, request: Request, failed: list[_TryAgainError]) -> Completion:
        """More attempts after one that `failed`, which counts as the first."""
        import stamina

        try:
            async for attempt in stamina.retry_context(on=_may_pass, attempts=self._endpoint.attempts, timeout=None):
                with attempt:
                    answer = await self._when_not_told_to_wait(request, failed)
        except _TryAgainError as error:
            return self._failed(request, str(error))
        return answer

    async def _when_not_told_to_wait(self, request: Request, failed: list[_TryAgainError]) -> Completion:
        """An attempt; being told to wait is no failure, and may go on for `patience_s`."""
        import stamina

        patience_s = self._endpoint.patience_s
        async for attempt in stamina.retry_context(on=_told_to_wait, attempts=None, timeout=patience_s, wait_max=30.0):
            with attempt:
                if failed:
                    raise failed.pop()
                return await self._attempt(request)
        raise AssertionError("stamina gives at least one attempt")

    async def _attempt(self, request: Request) -> Completion:
        import aiohttp

        n_characters = sum(len(content) for _, content in request.messages)
        await self._limit.wait(n_characters // _CHARACTERS_A_TOKEN + request.sampling.max_tokens)
        url = f"{self._url(request)}/chat/completions"
        async with self._slots:
            clock = time.perf_counter()
            try:
                async with self._session.post(url, data=self._body(request), headers=_JSON) as response:
                    status, headers, text = response.status, response.headers, await response.text()
            except (aiohttp.ClientError, TimeoutError, UnicodeDecodeError) as error:
                raise _TryAgainError(f"{type(error).__name__}: {error}"[:300]) from error
            seconds = time.perf_counter() - clock
        if status == 200:
            answer = _completion(request, self.model, text, seconds)
            self._n_failed = 0
            return answer
        return self._not_ok(request, status, headers, text)

    def _not_ok(self, request: Request, status: int, headers: Mapping[str, str], text: str) -> Completion:
        detail = f"HTTP {status}: {_error_message(text)}"
        if status in _REFUSED:
            raise EngineUnavailableError(f"{self._url(request)} refuses us ({detail}): look at the API key")
        if status in _WAITS or (status == 503 and "Retry-After" in headers):
            raise _TryAgainError(detail, _seconds(headers.get("Retry-After")), is_told_to_wait=True)
        if status in _TRANSIENT:
            raise _TryAgainError(detail)
        if status in (400, 413, 422) and any(word in text for word in _OVERFLOW_WORDS):
            return Completion(request.id, "context_overflow", "", self.model, detail=detail)
        return self._failed(request, detail)

    def _failed(self, request: Request, detail: str) -> Completion:
        self._n_failed += 1
        if self._n_failed >= self._endpoint.most_failures:
            raise EngineUnavailableError(
                f"{self._url(request)}: {self._n_failed} calls in a row failed, the last one with {detail}"
            )
        return Completion(request.id, "engine_error", "", self.model, detail=detail)

    def _body(self, request: Request) -> bytes:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": content} for role, content in request.messages],
            "max_tokens": request.sampling.max_tokens,
            "temperature": request.sampling.temperature,
            "seed": request.sampling.seed,
            "stream": False,
        }
        if request.schema is not None:
            schema = {"name": "answer", "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        # not as \uXXXX: half a surrogate pair would get through, and servers fail on it
        return json.dumps(body | dict(self._endpoint.extra), ensure_ascii=False).encode("utf-8", "replace")

    def _url(self, request: Request) -> str:
        urls = self._endpoint.urls
        return urls[zlib.crc32((request.prefix_key or request.id).encode("utf-8", "replace")) % len(urls)]

    async def _check(self, url: str) -> None:
        """Whether the address answers within `open_s`, lets us in and has the model; one without a list is trusted."""
        import aiohttp

        last = asyncio.get_running_loop().time() + self._endpoint.open_s
        while True:
            try:
                timeout = aiohttp.ClientTimeout(total=self._endpoint.open_s)
                async with self._session.get(f"{url}/models", timeout=timeout) as response:
                    status, text = response.status, await response.text()
                break
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                if asyncio.get_running_loop().time() >= last:
                    raise EngineUnavailableError(f"{url} does not answer: {type(error).__name__}: {error}") from error
                await asyncio.sleep(0.5)
        if status in _REFUSED:
            raise EngineUnavailableError(
                f"{url} refuses us (HTTP {status}: {_error_message(text)}): look at the API key"
            )
        if status == 200 and (names := _model_names(text)) and self.model not in names:
            raise EngineUnavailableError(f"{url} has no model {self.model!r}, but {', '.join(sorted(names)[:10])}")


_JSON = {"Content-Type": "application/json"}


def _may_pass(error: Exception) -> bool:
    return isinstance(error, _TryAgainError) and not error.is_told_to_wait


def _told_to_wait(error: Exception) -> bool | float:
    if not isinstance(error, _TryAgainError) or not error.is_told_to_wait:
        return False
    return True if error.wait_s is None else max(error.wait_s, 0.01)


def _completion(request: Request, model: str, text: str, seconds: float) -> Completion:
    """The body of a good response. Raises `_TryAgainError` for one that is not what an endpoint answers."""
    try:
        body = json.loads(text)
        choice = body["choices"][0]
        message, usage = choice["message"], body.get("usage") or {}
        said, refusal = message.get("content") or "", message.get("refusal")
        stopped_by = choice.get("finish_reason") or "stop"
        n_cached = int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
        tokens = (int(usage.get("prompt_tokens") or 0), n_cached, int(usage.get("completion_tokens") or 0))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise _TryAgainError(f"not an answer of an endpoint: {type(error).__name__}") from error
    if refusal and not said:
        return Completion(request.id, "refusal", refusal, model, *tokens, seconds)
    status, detail = answer_status(said, stopped_by, request.schema)
    return Completion(request.id, status, said, model, *tokens, seconds, detail)


def _error_message(text: str) -> str:
    try:
        error = json.loads(text)
        error = error.get("error", error)
        message = error.get("message", error) if isinstance(error, dict) else error
    except (ValueError, AttributeError, RecursionError):
        message = text
    return " ".join(str(message).split())[:300]


def _model_names(text: str) -> set[str]:
    try:
        return {model["id"] for model in json.loads(text)["data"]}
    except (ValueError, KeyError, TypeError):
        return set()


def _seconds(retry_after: str | None) -> float | None:
    """Seconds to wait, as the header says, in seconds or as a date; at most `_LONGEST_WAIT_S`."""
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        from email.utils import parsedate_to_datetime

        try:
            seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
        except ValueError:
            return None
    return min(max(seconds, 0.0), _LONGEST_WAIT_S)
