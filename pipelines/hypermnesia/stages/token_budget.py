"""A budget of tokens inside a stage: one item may make more calls than a run has tokens for."""

from __future__ import annotations

import asyncio

from hypermnesia.ports import Call, Completion, Request

#: Why a call was not made.
SPENT = "token_budget"
_CHARACTERS = 4  # of a token, as `plan` counts where there is no tokenizer


class TokenBudget:
    """The tokens of a worker's calls, of all items that it runs at once; without a budget there is no end."""

    def __init__(self, n_tokens: int | None) -> None:
        self._n_tokens = n_tokens
        self._used = 0
        self._expected = 0  # of calls in flight
        self._changed = asyncio.Condition()

    async def call(self, request: Request, call: Call) -> Completion | None:
        """The call's completion; None, without a call, once the budget is spent.

        While the calls in flight may use up the rest it waits for them: so no more than one call goes beyond.
        """
        if self._n_tokens is None:
            return await call(request)
        expected = request.sampling.max_tokens + sum(len(text) for _, text in request.messages) // _CHARACTERS
        async with self._changed:
            await self._changed.wait_for(lambda: self._is_spent() or not self._is_spent(self._expected))
            if self._is_spent():
                return None
            self._expected += expected
        n_used = 0
        try:
            completion = await call(request)
            n_used = completion.n_tokens_in + completion.n_tokens_out
            return completion
        finally:
            async with self._changed:
                self._expected -= expected
                self._used += n_used
                self._changed.notify_all()

    def _is_spent(self, n_more: int = 0) -> bool:
        return self._n_tokens is not None and self._used + n_more >= self._n_tokens
