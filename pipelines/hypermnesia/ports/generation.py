"""Generators: requests to a language model, completions with a status (DESIGN 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hypermnesia.rules.answer_status import STATUSES as ANSWER_STATUSES

#: What may become of a request; everything but `ok` is counted, retried with a change, or rejected.
STATUSES = (*ANSWER_STATUSES, "context_overflow", "engine_error")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to decode; greedy by default, so that the same request gives the same text where the engine can."""

    max_tokens: int
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One call. `messages` are (role, content); `schema` is the JSON schema that the answer must have.

    `id` names the call for ever: a hash of the chunk's content, the prompt's version, the model, and of what
    a retry changed. An answer that is kept under it is not asked for again.
    Requests of one `prefix_key` share the beginning of their prompt and go to one replica, whose cache has it.
    """

    id: str
    messages: tuple[tuple[str, str], ...]
    sampling: Sampling
    schema: Mapping[str, Any] | None = None
    prefix_key: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a request gave; `text` is kept whatever the status. Tokens are the engine's own counts.

    `seconds` are those of the attempt that answered, without waits for a slot or between attempts.
    """

    id: str
    status: str
    text: str
    model: str
    n_tokens_in: int = 0
    n_tokens_cached: int = 0
    n_tokens_out: int = 0
    seconds: float = 0.0
    detail: str = ""


class Generator(Protocol):
    """A language model behind an engine or an endpoint. A failed call is a status, never an exception.

    Two things do raise: an engine that is dead (`EngineDeadError`: its worker must exit, so that the work
    moves), and one that nobody can use (`EngineUnavailableError`: the run must stop).
    """

    model: str
    #: Calls that it takes at once; more wait inside, and a call that waits to be tried again holds no slot.
    slots: int

    async def open(self, schemas: Sequence[Mapping[str, Any]]) -> None:
        """Starts the engine or looks whether the endpoint answers. Raises `EngineUnavailableError`.

        `schemas` are all the answers that will be asked for: one that the engine can't hold to is an error
        now, naming the keyword, and not a crash later. May be called again, for other schemas.
        """
        ...

    async def generate(self, request: Request) -> Completion:
        """One completion. Many calls run at once; the generator holds its own limits."""
        ...

    async def close(self) -> None:
        """Gives back the engine or the connections."""
        ...


class EngineDeadError(RuntimeError):
    """The engine behind a generator will answer no more; another one can take over its work."""


class EngineUnavailableError(RuntimeError):
    """The engine can't start, or the endpoint refuses us or answers nobody: another worker would fare no better."""
