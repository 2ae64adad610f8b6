"""Answers to labelled questions, judged against reference answers by a generator, in votes.

Only the judge sees a reference. A question without an answer needs no judge: to say so is right. What a failed call
left open counts as not right, and is counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from hypermnesia.contracts.asking import Judgement, QuestionAnswer
from hypermnesia.ports import Generator
from hypermnesia.retrieval.answering import ANSWERED, UNANSWERED, Answerer, Ask
from hypermnesia.retrieval.comparison import Measures, both_ways, gain, means
from hypermnesia.retrieval.datasets import Labelled, Labels
from hypermnesia.retrieval.voting import votes
from hypermnesia.rules.answer_prompt import judge_messages
from hypermnesia.rules.prompting import Prompt

SYSTEMS = ("direct", "default")


class Judge:
    """Whether an answer is right, by most of `n_votes` votes."""

    def __init__(self, generator: Generator, prompt: Prompt, n_votes: int) -> None:
        self._generator = generator
        self._prompt = prompt
        self._n_votes = n_votes

    async def is_right(self, question: str, reference: str, answer: str) -> bool | None:
        """None where no vote could be read; a tie is not right."""
        messages = judge_messages(self._prompt, question, reference, answer)
        given = await votes(self._generator, self._prompt, Judgement, messages, self._n_votes)
        said = [judgement.right for _, judgement in given if judgement is not None]
        return sum(said) > len(said) / 2 if said else None


def judge_answers(
    labels: Labels, ask: Ask, generator: Generator, prompts: Mapping[str, Prompt], n_votes: int
) -> dict[str, Any]:
    """Shares of right answers by system and category, what the graph gains, and what has no answer left unanswered.

    Opens the generator and closes it. Raises `EngineUnavailableError` where it can't be used.
    """
    asked = [q for q in labels.questions if q.answer is not None]
    answerer = Answerer(ask, generator, prompts["answer"], n_votes=n_votes)
    judge = Judge(generator, prompts["judge"], n_votes)
    measured: dict[str, list[Measures]] = {}
    kept: dict[str, list[Measures]] = {}
    with asyncio.Runner() as runner:
        runner.run(generator.open([QuestionAnswer.json_schema(), Judgement.json_schema()]))
        try:
            for system in SYSTEMS:
                measured[system] = runner.run(_all(asked, answerer, judge, system, generator.slots))
                kept[system] = runner.run(_all(labels.unanswerable, answerer, judge, system, generator.slots))
        finally:
            runner.run(generator.close())
    first, second = ([m["right"] for m in measured[system]] for system in reversed(SYSTEMS))
    users = [q.user for q in asked]
    return {
        "model": generator.model,
        "prompts": {name: prompts[name].version for name in ("answer", "judge")},
        "n_votes": n_votes,
        "n_questions": len(asked),
        "n_without_reference": len(labels.questions) - len(asked),
        "systems": {s: means([(q.category, m) for q, m in zip(asked, measured[s], strict=True)]) for s in SYSTEMS},
        "gain": {"first": SYSTEMS[1], "second": SYSTEMS[0]}
        | {"right": gain(first, second, users), "both_ways": both_ways(first, second)},
        "unanswerable": {s: means([("", m) for m in found]).get("all", {}) for s, found in kept.items()},
    }


async def _all(
    asked: Sequence[Labelled], answerer: Answerer, judge: Judge, system: str, n_at_once: int
) -> list[Measures]:
    found: list[Measures] = []
    rest = iter(asked)
    while batch := list(islice(rest, n_at_once)):
        found += await asyncio.gather(*(_one(q, answerer, judge, system) for q in batch))
    return found


async def _one(q: Labelled, answerer: Answerer, judge: Judge, system: str) -> Measures:
    answer = (await answerer.answer(q.user, q.question, as_of=q.as_of, profile=system))["answer"]
    status, is_judged = answer["status"], True
    is_right = status == UNANSWERED and not q.evidence
    if status == ANSWERED and q.evidence and q.answer is not None:
        judged = await judge.is_right(q.question, q.answer, answer["text"])
        is_right, is_judged = bool(judged), judged is not None
    return {
        "right": float(is_right),
        "answered": float(status == ANSWERED),
        "failed": float(status not in (ANSWERED, UNANSWERED) or not is_judged),
        "retrievals": float(answer["retrievals"]),
        "n_tokens": float(answer["n_tokens_in"] + answer["n_tokens_out"]),
    }
