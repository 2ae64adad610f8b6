"""A model's look at what the toxic memory filter doubts: a text with cues, but too few to refuse it (DESIGN 5.3).

Asked where the check is configured. It can only add to what the cues refuse; where it gives no answer, they decide.
A user's own orders to his memory are his to give, so of a user's message only what he pasted is looked at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from hypermnesia.contracts.answers import InjectionAnswer
from hypermnesia.rules.extraction import Made, Passage, Turn
from hypermnesia.rules.grounding_blocks import pasted_spans
from hypermnesia.rules.injection import judge_injection
from hypermnesia.rules.model_calls import Ask, Asked, Failure, once
from hypermnesia.rules.prompting import Prompt, injection_call
from hypermnesia.rules.trust import PASTED, USER, trust_of

PROMPT = "injection"


def is_doubtful(turn: Turn) -> bool:
    """Whether a message, by others than the user, has cues of an order to its reader, and would still pass."""
    trust = PASTED if pasted_spans(turn.text) else trust_of(turn)
    verdict = judge_injection(turn.record_text, trust)
    return trust != USER and verdict.score > 0 and not verdict.is_refused


def is_guilty(made: Made, kinds: Mapping[int, str]) -> bool:
    """Whether a record stands on others' words of a message that instructs its reader."""
    return made.trust != USER and any(turn in kinds for turn in made.turns)


async def check(passage: Passage, prompt: Prompt, ask: Ask) -> tuple[Mapping[int, str], list[tuple[Failure, int]]]:
    """Place -> kind of the turns that instruct their reader, and the calls that failed, each with its place."""
    doubtful = [place for place, turn in enumerate(passage.turns) if is_doubtful(turn)]
    calls = [Asked(prompt, injection_call(prompt, passage.turns[p].record_text), p, 1) for p in doubtful]
    found: dict[int, str] = {}
    failures: list[tuple[Failure, int]] = []
    for place, result in zip(doubtful, await asyncio.gather(*(once(ask, call) for call in calls)), strict=True):
        if isinstance(result, Failure):
            failures.append((result, place))
        elif isinstance(result, InjectionAnswer) and result.instructs_reader:
            found[place] = result.kind
    return found, failures
