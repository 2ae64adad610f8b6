"""What ends a model stage before its plan does: a budget that is spent, and answers that fail too often."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hypermnesia.engine.commits import Finished
from hypermnesia.engine.counts import BudgetSpentError, Counts
from hypermnesia.engine.run import Executor
from hypermnesia.ports import PlannedStage, Shard

#: While a stage runs, a share of a status is judged over so many calls, so that a bad start is no verdict.
LEAST_RUNNING_CALLS = 200


@dataclass(frozen=True, slots=True)
class Gates:
    """Tokens (prompt and answer) and seconds that a run may use, and the share of calls that each status may have."""

    token_budget: int | None = None
    time_budget_s: float | None = None
    limits: Mapping[str, float] = field(default_factory=dict)


class GatedExecutor:
    """An executor that hands out no more shards when a budget is spent; what was begun is finished."""

    def __init__(self, executor: Executor, gates: Gates, clock: Callable[[], float] = time.monotonic) -> None:
        self._executor = executor
        self._gates = gates
        self._clock = clock
        self._began_at = clock()
        self._n_tokens = 0

    def run(self, stage: PlannedStage, shards: Iterable[Shard]) -> Iterator[Finished]:
        """As the executor's. Raises `BudgetSpentError` after the last shard that was begun, or `StatusLimitError`."""
        used, left = Counts(), list[str]()

        def handed_out() -> Iterator[Shard]:
            for shard in shards:
                if why := self._spent():
                    left.append(why)
                    return
                yield shard

        for finished in self._executor.run(stage, handed_out()):
            used.add(finished.part)
            self._n_tokens += sum(finished.part.measures.get(name, 0) for name in ("tokens.in", "tokens.out"))
            yield finished
            used.check_limits(stage.name, self._gates.limits, LEAST_RUNNING_CALLS)
        if left:
            raise BudgetSpentError(left[0])

    def committed(self, stage: str, shard_ids: Collection[str]) -> None:
        """As the executor's."""
        self._executor.committed(stage, shard_ids)

    def close(self) -> None:
        """Closes the executor."""
        self._executor.close()

    def _spent(self) -> str:
        """Why the run asks no more; tokens and time are those of all its stages."""
        tokens, seconds = self._gates.token_budget, self._gates.time_budget_s
        if tokens is not None and self._n_tokens >= tokens:
            return f"the budget of {tokens} tokens is spent ({self._n_tokens}); the same command goes on"
        if seconds is not None and self._clock() - self._began_at >= seconds:
            return f"the budget of {seconds:.0f} s is spent; the same command goes on"
        return ""
