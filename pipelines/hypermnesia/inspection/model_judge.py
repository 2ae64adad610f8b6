"""The model's judge on labelled pairs of names: as by night, but with names alone, and nothing kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from hypermnesia.contracts.labelled import LabelledPair
from hypermnesia.ports import Completion, Generator, Request, Sampling
from hypermnesia.rules.name_verdicts import Named, Verdict
from hypermnesia.rules.prompting import Prompt, same_entity_call
from hypermnesia.stages.judge_entities import verdict_in

#: A judge of two names.
Judge = Callable[[Named, Named], Verdict]


def ask_about_pairs(rows: Iterable[LabelledPair], generator: Generator, prompt: Prompt) -> Judge:
    """A judge that knows the model's answer about each row's `a` and `b`; an answer that failed is "unsure".

    Raises `EngineUnavailableError` where the model can't be asked.
    """
    pairs = list(dict.fromkeys((row.a, row.b, str(row.type)) for row in rows))
    with asyncio.Runner() as runner:
        runner.run(generator.open([prompt.model.json_schema()]))
        try:
            completions = runner.run(_ask_all(pairs, generator, prompt))
        finally:
            runner.run(generator.close())
    found = {pair: verdict_in(completion) for pair, completion in zip(pairs, completions, strict=True)}

    def judge(left: Named, right: Named) -> Verdict:
        said = found[(left.name, right.name, left.type)]
        if said == "same":
            return Verdict("same", "model")
        if said == "different":
            return Verdict("different", "model")
        return Verdict("unsure", "model" if said == "unsure" else f"failed: {said}")

    return judge


async def _ask_all(pairs: list[tuple[str, str, str]], generator: Generator, prompt: Prompt) -> list[Completion]:
    async def ask(number: int, name: str, other: str, kind: str) -> Completion:
        call = same_entity_call(prompt, name, kind, "", [(other, "")])
        sampling = Sampling(call.max_tokens, call.temperature)
        request = Request(f"pair {number}", call.messages, sampling, call.schema, call.prefix_key)
        return await generator.generate(request)

    return await asyncio.gather(*(ask(n, *pair) for n, pair in enumerate(pairs)))
