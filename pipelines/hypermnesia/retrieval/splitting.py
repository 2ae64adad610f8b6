"""Questions that a generator splits into parts, where rules see one: each part is a search by itself (DESIGN 7)."""

from __future__ import annotations

from hypermnesia.contracts.asking import QuestionParts
from hypermnesia.ports import Completion, Generator, Sampling
from hypermnesia.retrieval.question_calls import question_request
from hypermnesia.rules.anchor_keys import fold
from hypermnesia.rules.answer_status import OK, read_answer
from hypermnesia.rules.planning import plan
from hypermnesia.rules.prompting import Prompt


class Splitter:
    """Asks an open generator for the parts of questions that several rows answer."""

    def __init__(self, generator: Generator, prompt: Prompt) -> None:
        self._generator = generator
        self._prompt = prompt

    def is_asked(self, question: str) -> bool:
        """Whether a generator is asked: several rows answer, and rules see no parts."""
        planned = plan(question)
        return planned.breadth > 1 and not planned.parts

    async def split(self, question: str) -> tuple[Completion, tuple[str, ...]]:
        """The call, and the parts that are not the question itself; none where the call failed, as it says."""
        prompt = self._prompt
        messages = (("system", prompt.text), ("user", f"Question: {' '.join(question.split())}"))
        sampling = Sampling(prompt.max_tokens, prompt.temperature, 0)
        completion = await self._generator.generate(question_request(prompt, self._generator.model, messages, sampling))
        if completion.status != OK:
            return completion, ()
        parts = QuestionParts.model_validate(read_answer(completion.text)).parts
        return completion, tuple(part for part in dict.fromkeys(parts) if part.strip() and fold(part) != fold(question))
