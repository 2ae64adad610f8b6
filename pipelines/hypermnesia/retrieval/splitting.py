"""Questions that a generator splits into parts, where rules see one: each part is a search by itself (DESIGN 7).

A small model names one part, which is the question in other words, or parts about people whom nobody asked about:
these are no parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypermnesia.contracts.asking import QuestionParts
from hypermnesia.ports import Completion, Generator, Sampling
from hypermnesia.retrieval.question_calls import question_request
from hypermnesia.rules.anchor_keys import fold
from hypermnesia.rules.answer_status import OK, read_answer
from hypermnesia.rules.grounding_words import invented_names, words_of
from hypermnesia.rules.planning import plan
from hypermnesia.rules.prompting import Prompt


class Splitter:
    """Asks an open generator for the parts of questions that several rows answer."""

    def __init__(self, generator: Generator, prompt: Prompt) -> None:
        self._generator = generator
        self._prompt = prompt

    def is_asked(self, question: str) -> bool:
        """Whether a generator is asked: a list or what several share, of which rules see no parts.

        Of counts and single values a small model made no part that was worth its search.
        """
        planned = plan(question)
        return planned.operation in ("union list", "intersection") and not planned.parts

    async def split(self, question: str) -> tuple[Completion, tuple[str, ...]]:
        """The call, and the parts that it is worth to search for; none where the call failed, as it says."""
        prompt = self._prompt
        messages = (("system", prompt.text), ("user", f"Question: {' '.join(question.split())}"))
        sampling = Sampling(prompt.max_tokens, prompt.temperature, 0)
        completion = await self._generator.generate(question_request(prompt, self._generator.model, messages, sampling))
        if completion.status != OK:
            return completion, ()
        return completion, useful_parts(question, QuestionParts.model_validate(read_answer(completion.text)).parts)


def useful_parts(question: str, parts: Sequence[str]) -> tuple[str, ...]:
    """The parts that differ from the question and bring no name that it has not; none where fewer than two do."""
    named = words_of([question])
    kept = {fold(part): part for part in parts if part.strip() and not invented_names(_as_clause(part), named)}
    kept.pop(fold(question), None)
    return tuple(kept.values()) if len(kept) > 1 else ()


def _as_clause(question: str) -> str:
    """Without the capital that is the sentence's and no name's."""
    return question[:1].lower() + question[1:]
