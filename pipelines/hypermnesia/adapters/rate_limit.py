"""A limit of requests and tokens a minute, spread evenly: no burst at a minute's start."""

from __future__ import annotations

import asyncio

MINUTE_S = 60.0


class RateLimit:
    """Lets calls go so that neither limit is passed; None is no limit. One event loop."""

    def __init__(self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None) -> None:
        self._limits = (requests_per_minute, tokens_per_minute)
        self._next_at = 0.0

    async def wait(self, n_tokens: int) -> None:
        """Returns when a call of about `n_tokens` (prompt and longest answer) may go."""
        costs = [MINUTE_S * amount / limit for amount, limit in zip((1, n_tokens), self._limits, strict=True) if limit]
        if not costs:
            return
        now = asyncio.get_running_loop().time()
        at = max(now, self._next_at)
        self._next_at = at + max(costs)
        await asyncio.sleep(at - now)
