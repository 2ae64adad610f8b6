"""How good a judge is on labelled pairs, by kind of pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hypermnesia.contracts.labelled import LabelledPair
from hypermnesia.rules.name_verdicts import Named, Verdict
from hypermnesia.rules.names import judge

COUNTS = ("n", "n_same", "same_right", "same_wrong", "different_right", "different_wrong", "unsure")


def evaluate_pairs(
    pairs: Iterable[LabelledPair], judged: Callable[[Named, Named], Verdict] = judge
) -> dict[str, dict[str, int]]:
    """Counts of right and wrong answers by `kind` (else the type), sorted, without a total (`total_of` makes it)."""
    counts: dict[str, dict[str, int]] = {}
    for pair in pairs:
        verdict = judged(Named(pair.a, pair.type, pair.facts_a), Named(pair.b, pair.type, pair.facts_b))
        kind = counts.setdefault(pair.kind or pair.type, dict.fromkeys(COUNTS, 0))
        kind["n"] += 1
        kind["n_same"] += pair.label
        kind[_outcome(verdict, bool(pair.label))] += 1
    return dict(sorted(counts.items()))


def _outcome(verdict: Verdict, is_same: bool) -> str:
    if verdict.answer == "unsure":
        return "unsure"
    return f"{verdict.answer}_{'right' if (verdict.answer == 'same') == is_same else 'wrong'}"


def total_of(by_kind: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """The sum over all kinds."""
    return {count: sum(kind[count] for kind in by_kind.values()) for count in COUNTS}


def rates(counts: Mapping[str, int]) -> dict[str, float | None]:
    """Precision and recall of "same" with the lower 95% bound of the precision (Wilson); None where nothing counts."""
    right, wrong = counts["same_right"], counts["same_wrong"]
    accepted = right + wrong
    n_same = counts["n_same"]
    return {
        "precision": right / accepted if accepted else None,
        "precision_low": _wilson_low(right, accepted) if accepted else None,
        "recall": right / n_same if n_same else None,
    }


#: Cosines at which a model's proposals are measured.
COSINES = (0.5, 0.6, 0.66, 0.72, 0.78, 0.82, 0.86, 0.9, 0.94, 0.97, 0.99)


def proposal_rates(
    cosines: Sequence[float], are_same: Sequence[bool], thresholds: Sequence[float] = COSINES
) -> list[dict[str, float | int | None]]:
    """At each threshold: the pairs at or above it (`n`), the share of them that are same, and of all same found."""
    n_same = sum(are_same)
    rows: list[dict[str, float | int | None]] = []
    for threshold in thresholds:
        found = [same for cosine, same in zip(cosines, are_same, strict=True) if cosine >= threshold]
        rows.append(
            {
                "cosine": threshold,
                "n": len(found),
                "precision": sum(found) / len(found) if found else None,
                "recall": sum(found) / n_same if n_same else None,
            }
        )
    return rows


def _wilson_low(right: int, n: int, z: float = 1.96) -> float:
    share = right / n
    centre = share + z * z / (2 * n)
    spread = z * ((share * (1 - share) + z * z / (4 * n)) / n) ** 0.5
    return float((centre - spread) / (1 + z * z / n))
