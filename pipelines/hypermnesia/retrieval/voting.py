"""One question to a generator as several votes, each an answer of one closed form."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from hypermnesia.contracts.answers import Answer
from hypermnesia.ports import Completion, Generator, Sampling
from hypermnesia.retrieval.question_calls import question_request
from hypermnesia.rules.answer_status import OK, read_answer
from hypermnesia.rules.grounding_reasons import CONTEXT_OVERFLOW
from hypermnesia.rules.prompting import Prompt

#: The temperature of votes: at 0 all votes would be one.
VOTE_TEMPERATURE = 0.7

Form = TypeVar("Form", bound=Answer)
Messages = Sequence[tuple[str, str]]


async def votes(
    generator: Generator, prompt: Prompt, form: type[Form], messages: Messages, n: int
) -> list[tuple[Completion, Form | None]]:
    """`n` calls at once, each with its answer, or None where it gave none. Raises `ValueError` for no votes."""
    if n < 1:
        raise ValueError(f"n_votes is {n}; an answer needs at least 1")
    return await asyncio.gather(*(_vote(generator, prompt, form, messages, seed, n) for seed in range(n)))


async def _vote(
    generator: Generator, prompt: Prompt, form: type[Form], messages: Messages, seed: int, n: int
) -> tuple[Completion, Form | None]:
    """One call; a failed one is repeated once with twice the tokens and another seed, a prompt too long is not."""
    temperature = prompt.temperature if n == 1 else VOTE_TEMPERATURE
    for attempt in range(2):
        sampling = Sampling(prompt.max_tokens * (1 + attempt), temperature, seed + attempt * n)
        request = question_request(prompt, generator.model, messages, sampling)
        completion = await generator.generate(request)
        if completion.status == OK:
            return completion, form.model_validate(read_answer(completion.text))
        if completion.status == CONTEXT_OVERFLOW:
            break
    return completion, None
