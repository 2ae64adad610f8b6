"""Answers from evidence by a generator: at most five retrievals, five checks, citations of rows (DESIGN 7).

The loop sees the question, rows and its own answers; nobody gives it a reference answer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from hypermnesia.contracts.asking import MOST_EVIDENCE, QuestionAnswer, QuestionParts
from hypermnesia.ports import Completion, Generator
from hypermnesia.retrieval.splitting import Splitter
from hypermnesia.retrieval.voting import votes
from hypermnesia.rules.anchor_keys import fold
from hypermnesia.rules.answer_checks import UNCERTAIN, Draft, fired_checks, is_loop, is_uncertain, next_searches
from hypermnesia.rules.answer_prompt import answer_messages, shown_row
from hypermnesia.rules.answer_status import OK
from hypermnesia.rules.grounding_reasons import CONTEXT_OVERFLOW
from hypermnesia.rules.prompting import Prompt

MOST_RETRIEVALS = 5
WIDE_ROWS = 30  # of the same question, where nothing new is known to search for
ANSWERED, UNANSWERED, UNCITED, LOOP = "answered", "unanswered", "uncited", "loop"

Evidence = dict[str, Any]
Ask = Callable[..., Evidence]


@dataclass(slots=True)
class _Search:
    """What one question has found so far."""

    user: str
    question: str
    options: Mapping[str, Any]
    evidence: Evidence
    rows: dict[str, dict[str, Any]]
    asked: list[str]
    n_retrievals: int = 1
    is_widened: bool = False
    n_shown: int = 0  # of the rows, the first ones: as many as the model's context takes
    n_agreed: int = 0  # votes for the last answer
    first: QuestionAnswer | None = None
    fired: list[str] = field(default_factory=list)
    splitting: str | None = None  # what became of the call that looks for parts, where there was one
    completions: list[Completion] = field(default_factory=list)

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The rows in the order found: the model sees a row under one number in every round."""
        return list(self.rows.values())


class Answerer:
    """Answers questions with the read path and an open generator; many questions may run at once.

    With a `splitter`, questions that several rows answer are also searched by their parts.
    """

    def __init__(
        self, ask: Ask, generator: Generator, prompt: Prompt, *, n_votes: int = 1, splitter: Splitter | None = None
    ) -> None:
        if n_votes < 1:
            raise ValueError(f"n_votes is {n_votes}; an answer needs at least 1")
        self._ask = ask
        self._generator = generator
        self._prompt = prompt
        self._n_votes = n_votes
        self._splitter = splitter

    async def answer(self, user: str, question: str, **options: Any) -> Evidence:
        """The object of `ask` with all rows that were found, and "answer": {"text", "status", "citations", ...}.

        `status` is answered, unanswered (the rows don't say it), uncited (a guess, which is not given), loop (the model
        repeated itself) or what became of its call. `citations` are row ids; `first` is the answer of the first
        round; the model saw `shown` of the rows, and `agreed` of the votes gave the answer; `splitting` is what
        became of the call for parts, None where none was made. `options` are those of `ask`. Raises what `ask` raises.
        """
        search = await self._begin(user, question, options)
        answer = search.first = await self._draft(search)
        is_first = True
        while answer is not None:
            fired = self._fired(search, answer, is_first=is_first)
            search.fired += [name for name in fired if name not in search.fired]
            if not fired or not await self._search_again(search, fired, answer.search):
                break
            later, is_first = await self._draft(search), False
            if later is None or (UNCERTAIN not in fired and is_uncertain(_draft_of(later, search.n_shown))):
                break  # more rows took away what fewer gave
            answer = later
        return self._shown(search, answer)

    def _fired(self, search: _Search, answer: QuestionAnswer, *, is_first: bool) -> tuple[str, ...]:
        shown = [shown_row(number, row) for number, row in enumerate(search.shown[: search.n_shown], start=1)]
        draft = _draft_of(answer, search.n_shown)
        return fired_checks(search.question, search.evidence["operation"], draft, shown, is_first=is_first)

    async def _begin(self, user: str, question: str, options: Mapping[str, Any]) -> _Search:
        evidence = await asyncio.to_thread(self._ask, user, question, **options)
        search = _Search(user, question, options, evidence, {}, [question])
        _add_rows(search, evidence["rows"])
        if self._splitter is not None and self._splitter.is_asked(question):
            completion, parts = await self._splitter.split(question)
            search.splitting = completion.status
            search.completions.append(completion)
            for part in parts:
                search.asked.append(part)
                await self._retrieve(search, part, {})
        return search

    async def _search_again(self, search: _Search, fired: Sequence[str], suggested: str) -> bool:
        """Searches for what is missing, within the budget; whether any new row came."""
        n_before = len(search.rows)
        for query in next_searches(search.question, fired, suggested, search.asked):
            if search.n_retrievals < MOST_RETRIEVALS:
                search.asked.append(query)
                await self._retrieve(search, query, {})
        if len(search.rows) == n_before and not search.is_widened and search.n_retrievals < MOST_RETRIEVALS:
            search.is_widened = True
            await self._retrieve(search, search.question, {"limit": WIDE_ROWS})
        return len(search.rows) > n_before

    async def _retrieve(self, search: _Search, query: str, more: Mapping[str, Any]) -> None:
        found = await asyncio.to_thread(self._ask, search.user, query, **{**search.options, **more})
        search.n_retrievals += 1
        _add_rows(search, found["rows"])

    async def _draft(self, search: _Search) -> QuestionAnswer | None:
        """The answer that most votes agree on (the first of equals), or None where no call gave one.

        Rows that the model's context does not take are left out from behind, half of them at a time.
        """
        search.n_shown = len(search.rows)
        given = await self._votes(search)
        while search.n_shown > 1 and all(completion.status == CONTEXT_OVERFLOW for completion, _ in given):
            search.n_shown //= 2
            given = await self._votes(search)
        answers = [answer for _, answer in given if answer is not None]
        if not answers:
            return None
        counts = Counter(_meaning(answer) for answer in answers)
        chosen = max(answers, key=lambda answer: counts[_meaning(answer)])
        search.n_agreed = counts[_meaning(chosen)]
        return chosen

    async def _votes(self, search: _Search) -> list[tuple[Completion, QuestionAnswer | None]]:
        rows = search.shown[: search.n_shown]
        messages = answer_messages(self._prompt, search.question, search.evidence["facts"], rows)
        given = await votes(self._generator, self._prompt, QuestionAnswer, messages, self._n_votes)
        search.completions += [completion for completion, _ in given]
        return given

    def _shown(self, search: _Search, answer: QuestionAnswer | None) -> Evidence:
        rows = search.shown
        return {
            **search.evidence,
            "rows": rows,
            "answer": {
                "text": _text(answer, search.n_shown),
                "status": _status(answer, search.n_shown) if answer else search.completions[-1].status,
                "citations": [rows[n - 1]["row_id"] for n in _cited(answer, search.n_shown)] if answer else [],
                "items": list({fold(item): item for item in answer.items}.values()) if answer else [],
                "first": _text(search.first, len(rows)),
                "shown": search.n_shown,
                "retrievals": search.n_retrievals,
                "searches": search.asked,
                "splitting": search.splitting,
                "checks": search.fired,
                "votes": self._n_votes,
                "agreed": search.n_agreed,
                "failed_calls": sum(completion.status != OK for completion in search.completions),
                "model": self._generator.model,
                "prompt_version": self._prompt.version,
                "n_tokens_in": sum(completion.n_tokens_in for completion in search.completions),
                "n_tokens_out": sum(completion.n_tokens_out for completion in search.completions),
            },
        }


def answer_all(
    answerer: Answerer, generator: Generator, lines: Iterable[Mapping[str, Any]], **options: Any
) -> Iterator[Evidence]:
    """The answers to lines {"user", "question", "id", "as_of"}, in their order, as many at once as the generator takes.

    Opens the generator and closes it. Raises `EngineUnavailableError` where it can't be used.
    """
    with asyncio.Runner() as runner:
        try:
            runner.run(generator.open([QuestionAnswer.json_schema(), QuestionParts.json_schema()]))
            for batch in _batches(lines, generator.slots):
                yield from runner.run(_together(answerer, batch, options))
        finally:
            runner.run(generator.close())


async def _together(
    answerer: Answerer, lines: Sequence[Mapping[str, Any]], options: Mapping[str, Any]
) -> list[Evidence]:
    def own(line: Mapping[str, Any]) -> dict[str, Any]:
        return {**options, "id": line.get("id"), "as_of": line.get("as_of") or options.get("as_of")}

    return await asyncio.gather(*(answerer.answer(line["user"], line["question"], **own(line)) for line in lines))


def _batches(lines: Iterable[Mapping[str, Any]], size: int) -> Iterator[list[Mapping[str, Any]]]:
    rest = iter(lines)
    while batch := list(islice(rest, size)):
        yield batch


def _add_rows(search: _Search, rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        if len(search.rows) < MOST_EVIDENCE:
            search.rows.setdefault(row["row_id"], row)


def _text(answer: QuestionAnswer | None, n_rows: int) -> str | None:
    """What an answer says, where it is one."""
    return answer.answer if answer is not None and _status(answer, n_rows) == ANSWERED else None


def _status(answer: QuestionAnswer, n_rows: int) -> str:
    """What an answer is, of which the model saw `n_rows`."""
    if answer.unsure or not answer.answer.strip():
        return UNANSWERED
    if is_loop(answer.items):
        return LOOP
    return ANSWERED if _cited(answer, n_rows) else UNCITED


def _draft_of(answer: QuestionAnswer, n_rows: int) -> Draft:
    n_cites = len(_cited(answer, n_rows))
    return Draft(answer.answer, tuple(answer.items), answer.count, answer.unsure, n_cites)


def _cited(answer: QuestionAnswer, n_rows: int) -> list[int]:
    """The numbers of rows that there are; a model may cite one that nobody showed it."""
    return [number for number in dict.fromkeys(answer.cites) if number <= n_rows]


def _meaning(answer: QuestionAnswer) -> tuple[str, bool]:
    """What makes two votes one."""
    return fold(answer.answer).strip(" .!"), answer.unsure
