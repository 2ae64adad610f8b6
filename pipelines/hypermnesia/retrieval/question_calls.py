"""Calls of a generator about a question: named by all that decides them, so that equal calls are one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from hypermnesia.ports import Request, Sampling
from hypermnesia.rules.prompting import Prompt


def question_request(prompt: Prompt, model: str, messages: Sequence[tuple[str, str]], sampling: Sampling) -> Request:
    """The call of a prompt; its answer's form is the prompt's."""
    parts = [prompt.name, prompt.version, model, *messages, sampling.max_tokens, sampling.temperature, sampling.seed]
    return Request(
        id=f"asw_{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}",
        messages=tuple(messages),
        sampling=sampling,
        schema=prompt.model.json_schema(),
        prefix_key=prompt.name,
    )
