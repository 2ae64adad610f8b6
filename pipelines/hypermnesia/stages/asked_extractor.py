"""A model asked at once, with nothing kept: for measuring it on labelled turns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hypermnesia.ports import Completion, Generator
from hypermnesia.rules.extraction import MEMORY_TYPES, Passage, Reading
from hypermnesia.rules.identity import Identity
from hypermnesia.rules.model_calls import Asked
from hypermnesia.rules.model_reading import read_with_model
from hypermnesia.stages.stored_answers import ModelPrompts


class AskedExtractor:
    """Reads passages by asking a generator, as many at once as it takes."""

    name = "model"
    memory_types = MEMORY_TYPES

    def __init__(self, generator: Generator, identity: Identity, model: ModelPrompts) -> None:
        self.version = model.version(identity)
        self._generator = generator
        self._identity = identity
        self._model = model

    def read(self, passages: Sequence[Passage]) -> list[Reading]:
        """One reading a passage. Raises `EngineUnavailableError` or `EngineDeadError`."""
        with asyncio.Runner() as runner:
            runner.run(self._generator.open([prompt.model.json_schema() for prompt in self._model.used.values()]))
            try:
                return runner.run(self._read_all(passages))
            finally:
                runner.run(self._generator.close())

    async def _read_all(self, passages: Sequence[Passage]) -> list[Reading]:
        places = asyncio.Semaphore(self._generator.slots)  # passages begun; each keeps at least one call waiting

        async def read(passage: Passage) -> Reading:
            async def ask(asked: Asked) -> Completion:
                return await self._generator.generate(self._model.request(self._identity, passage, asked))

            async with places:
                return await read_with_model(passage, self._model.used, ask, self._model.mode)

        return list(await asyncio.gather(*map(read, passages)))
