"""Answers to labelled questions, judged against reference answers: by a rule where one can tell, else by a generator.

Only the judge sees a reference. A question without an answer needs no judge: to say so is right. What a failed call
left open counts as not right, and is counted. Every answer is kept with its verdict, so that a person can look.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from hypermnesia.contracts.asking import Judgement, QuestionAnswer, QuestionParts
from hypermnesia.ports import EngineDeadError, EngineUnavailableError, Generator
from hypermnesia.retrieval.answering import ANSWERED, UNANSWERED, UNCITED, Answerer, Ask
from hypermnesia.retrieval.comparison import Measures, both_ways, gain, means
from hypermnesia.retrieval.datasets import Labelled, Labels
from hypermnesia.retrieval.splitting import Splitter
from hypermnesia.retrieval.voting import votes
from hypermnesia.rules.answer_prompt import judge_messages
from hypermnesia.rules.answer_verdicts import verdict_by_code
from hypermnesia.rules.prompting import Prompt

SYSTEMS = ("direct", "default")
BY_CODE, BY_MODEL, BY_STATUS = "code", "model", "status"
GIVEN = (ANSWERED, UNANSWERED, UNCITED)  # the statuses of what no failed call and no loop left open


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer is right, and who said so; `is_right` is None where a model was asked and said nothing."""

    is_right: bool | None
    by: str


class Judge:
    """Whether an answer is right: by a rule where it can tell, else by most of `n_votes` votes of a model."""

    def __init__(self, generator: Generator, prompt: Prompt, n_votes: int) -> None:
        self._generator = generator
        self._prompt = prompt
        self._n_votes = n_votes

    async def verdict(self, question: str, reference: str, answer: str) -> Verdict:
        """A tie is not right."""
        known = verdict_by_code(reference, answer)
        if known is not None:
            return Verdict(known, BY_CODE)
        messages = judge_messages(self._prompt, question, reference, answer)
        given = await votes(self._generator, self._prompt, Judgement, messages, self._n_votes)
        said = [judgement.right for _, judgement in given if judgement is not None]
        return Verdict(sum(said) > len(said) / 2 if said else None, BY_MODEL)


def sampled(labels: Labels, n: int) -> Labels:
    """About `n` of the questions, of each category its share and at least one; the same at every call.

    They keep their order. Which ones depends on the questions' own texts, never on the order of the file.
    """
    pool = [*labels.questions, *labels.unanswerable]
    by_category: dict[str, list[Labelled]] = {}
    for q in sorted(pool, key=lambda q: hashlib.sha256(f"{q.user}\0{q.question}".encode()).digest()):
        by_category.setdefault(q.category, []).append(q)
    chosen: set[Labelled] = set()
    for found in by_category.values():
        chosen |= set(found[: max(1, round(len(found) * n / len(pool)))])
    kept = [tuple(q for q in group if q in chosen) for group in (labels.questions, labels.unanswerable)]
    return replace(labels, questions=kept[0], unanswerable=kept[1])


def judge_answers(
    labels: Labels,
    ask: Ask,
    generator: Generator,
    prompts: Mapping[str, Prompt],
    n_votes: int,
    n_most: int | None = None,
) -> dict[str, Any]:
    """Shares of right answers by system and category, what the graph gains, and what has no answer left unanswered.

    With `n_most`, of about so many of the questions (see `sampled`). Opens the generator and closes it. Raises
    `ValueError` for no votes. Where the generator can't be used, or not any more, "stopped" says why.
    """
    with_reference = tuple(q for q in labels.questions if q.answer is not None)
    all_asked = replace(labels, questions=with_reference)
    asked = all_asked if n_most is None else sampled(all_asked, n_most)
    splitter = Splitter(generator, prompts["parts"])
    answerer = Answerer(ask, generator, prompts["answer"], n_votes=n_votes, splitter=splitter)
    judge = Judge(generator, prompts["judge"], n_votes)
    found = {
        "model": generator.model,
        "prompts": {name: prompts[name].version for name in ("answer", "judge", "parts")},
        "n_votes": n_votes,
        "n_questions": len(asked.questions),
        "n_unanswerable": len(asked.unanswerable),
        "n_left_out": len(with_reference) + len(labels.unanswerable) - len(asked.questions) - len(asked.unanswerable),
        "n_without_reference": len(labels.questions) - len(with_reference),
    }
    try:
        outcomes = asyncio.run(_all(asked, answerer, judge, generator))
    except (EngineUnavailableError, EngineDeadError) as error:
        return found | {"stopped": str(error)}
    return found | _compared(asked, outcomes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, its answer as `Answerer` gives it, and the verdicts on it and on the first round's."""

    asked: Labelled
    answer: Mapping[str, Any]
    verdict: Verdict
    first: Verdict

    @property
    def measures(self) -> Measures:
        """Numbers of this question, most of them 1 or 0."""
        status = self.answer["status"]
        return {
            "right": float(bool(self.verdict.is_right)),
            "right_at_first": float(bool(self.first.is_right)),
            "answered": float(status == ANSWERED),
            "failed": float(status not in GIVEN or self.verdict.is_right is None),
            "agreed": self.answer["agreed"] / self.answer["votes"],
            "retrievals": float(self.answer["retrievals"]),
            "n_tokens": float(self.answer["n_tokens_in"] + self.answer["n_tokens_out"]),
        }

    def shown(self) -> dict[str, Any]:
        """For a person."""
        names = ("text", "first", "status", "items", "checks", "splitting", "searches", "agreed", "failed_calls")
        known = {"user": self.asked.user, "question": self.asked.question, "category": self.asked.category}
        verdict = {"reference": self.asked.answer, "right": self.verdict.is_right, "judged_by": self.verdict.by}
        return known | {name: self.answer[name] for name in names} | verdict


async def _all(labels: Labels, answerer: Answerer, judge: Judge, generator: Generator) -> dict[str, list[Outcome]]:
    """The outcomes of every system, in the questions' order, as many at once as the generator takes."""
    outcomes: dict[str, list[Outcome]] = {}
    try:
        await generator.open([form.json_schema() for form in (QuestionAnswer, Judgement, QuestionParts)])
        for system in SYSTEMS:
            found = outcomes[system] = []
            for batch in _batches((*labels.questions, *labels.unanswerable), generator.slots):
                found += await asyncio.gather(*(_one(q, answerer, judge, system) for q in batch))
    finally:
        await generator.close()
    return outcomes


def _batches(questions: Sequence[Labelled], size: int) -> Iterator[list[Labelled]]:
    rest = iter(questions)
    while batch := list(islice(rest, size)):
        yield batch


async def _one(q: Labelled, answerer: Answerer, judge: Judge, system: str) -> Outcome:
    answer = (await answerer.answer(q.user, q.question, as_of=q.as_of, profile=system))["answer"]
    verdict = await _verdict(q, answer["text"], answer["status"] in GIVEN, judge)
    is_first = answer["first"] == answer["text"]
    return Outcome(q, answer, verdict, verdict if is_first else await _verdict(q, answer["first"], True, judge))


async def _verdict(q: Labelled, text: str | None, is_given: bool, judge: Judge) -> Verdict:
    if text is None or not q.evidence or q.answer is None:
        return Verdict(text is None and is_given and not q.evidence, BY_STATUS)
    return await judge.verdict(q.question, q.answer, text)


def _compared(labels: Labels, outcomes: Mapping[str, Sequence[Outcome]]) -> dict[str, Any]:
    n = len(labels.questions)
    answered = {system: found[:n] for system, found in outcomes.items()}
    first, second = ([o.measures["right"] for o in answered[system]] for system in reversed(SYSTEMS))
    right = gain(first, second, [q.user for q in labels.questions])
    return {
        "systems": {s: means([(o.asked.category, o.measures) for o in found]) for s, found in answered.items()},
        "counts": {s: _counts(found) for s, found in outcomes.items()},
        "gain": {"first": SYSTEMS[1], "second": SYSTEMS[0], "right": right, "both_ways": both_ways(first, second)},
        "unanswerable": {s: means([("", o.measures) for o in f[n:]]).get("all", {}) for s, f in outcomes.items()},
        "outcomes": {system: [o.shown() for o in found] for system, found in outcomes.items()},
    }


def _counts(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    """How many questions ended with each status, fired each check, were split, and were judged by whom."""
    return {
        "status": dict(Counter(o.answer["status"] for o in outcomes)),
        "checks": dict(Counter(check for o in outcomes for check in o.answer["checks"])),
        "splitting": dict(Counter(o.answer["splitting"] for o in outcomes if o.answer["splitting"])),
        "judged_by": dict(Counter(o.verdict.by for o in outcomes)),
    }
