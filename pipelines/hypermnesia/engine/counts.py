"""Nothing disappears silently: rows in = rows out + rejected + merged + deferred (DESIGN 1, promise 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hypermnesia.ports import Part

N_ROWS = ("n_in", "n_out", "n_rejected", "n_merged", "n_deferred")
SUMS = (*N_ROWS, "seconds", "cpu_seconds")

#: Calls below which a share of a status says nothing, unless all have it.
LEAST_CALLS = 20

#: A stage may refuse this many rows whatever the share, unless it refused all.
GRACE = 20


class CountsError(RuntimeError):
    """Rows disappeared: a stage's counts do not add up."""


class RejectBudgetError(RuntimeError):
    """A stage refused more rows than the budget allows."""


class StatusLimitError(RejectBudgetError):
    """More calls of a model ended with a status than its limit allows."""


class BudgetSpentError(RuntimeError):
    """The tokens or the time of a run are used up: it stops, and the next one goes on."""


@dataclass(slots=True)
class Counts:
    """What became of the rows of a shard, or of a stage."""

    n_in: int = 0
    n_out: int = 0
    n_rejected: int = 0
    n_merged: int = 0
    n_deferred: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)
    measures: Counter[str] = field(default_factory=Counter)
    n_new: int = 0

    @classmethod
    def of_commit(cls, row: Mapping[str, Any]) -> Counts:
        """Counts as a row of `commits` has them."""
        reasons = Counter({r["reason"]: r["n"] for r in row["reasons"] or ()})
        measures = Counter({m["reason"]: m["n"] for m in row["measures"] or ()})
        return cls(**{name: row[name] for name in SUMS}, reasons=reasons, measures=measures)

    def add(self, other: Part | Counts) -> None:
        """Adds another's rows."""
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.reasons.update(other.reasons)
        self.measures.update(other.measures)

    def row(self) -> dict[str, Any]:
        """The columns of `commits`."""
        return {name: getattr(self, name) for name in SUMS} | {
            column: [{"reason": name, "n": n} for name, n in sorted(getattr(self, column).items())]
            for column in ("reasons", "measures")
        }

    def shares(self) -> dict[str, float]:
        """Of each measure "x.kept" its share of "x.all"."""
        names = [name.removesuffix(".all") for name, n in self.measures.items() if name.endswith(".all") and n]
        return {name: self.measures[f"{name}.kept"] / self.measures[f"{name}.all"] for name in sorted(names)}

    def check(self, where: str) -> None:
        """Raises `CountsError` where they do not add up."""
        explained = self.n_out + self.n_rejected + self.n_merged + self.n_deferred
        if self.n_in != explained:
            raise CountsError(f"{where}: {self.n_in} rows in, but {explained} explained ({self.sentence()})")

    def check_budget(self, stage: str, share: float) -> None:
        """Raises `RejectBudgetError` where all rows were refused, or more than `share` of them and than `GRACE`."""
        is_all = self.n_rejected == self.n_in > 0
        if is_all or self.n_rejected > max(GRACE, share * self.n_in):
            raise RejectBudgetError(
                f"{stage}: {self.n_rejected} of {self.n_in} rows were rejected, over the budget of {share:.0%}; "
                "`hypermnesia rejects` lists them; mend the input, or raise `reject_budget`"
            )

    def check_limits(self, stage: str, limits: Mapping[str, float], least: int = LEAST_CALLS) -> None:
        """Raises `StatusLimitError` where more than a limit's share of the calls ended with its status."""
        n_calls = self.measures["calls"]
        for status, share in limits.items():
            n = self.measures[f"status.{status}"]
            if n > share * n_calls and (n_calls >= least or n == n_calls):
                raise StatusLimitError(
                    f"{stage}: {n} of {n_calls} calls ended with {status}, over the limit of {share:.0%}; what was "
                    f"answered is committed: look at `answers`, mend the endpoint or the prompt, or raise "
                    f"`limits.{status}`"
                )

    def sentence(self) -> str:
        """The equation in words, reasons included."""
        line = f"{self.n_in} in = {self.n_out} out"
        for name in ("rejected", "merged", "deferred"):
            if n := getattr(self, f"n_{name}"):
                line += f" + {n} {name}"
        if self.reasons:
            line += " (" + ", ".join(f"{reason} {n}" for reason, n in sorted(self.reasons.items())) + ")"
        return line
