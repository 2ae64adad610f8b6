"""How good merging is end to end: users with known identities through writing and nights, as they run in a home.

Pairs come from name keys and from vectors, the string judge answers, budgets defer, clusters join; bare first names
are left out. What is lost is counted at the gate where it is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from hypermnesia.inspection.known_anchors import KnownAnchors, known_anchors
from hypermnesia.inspection.people import make_user
from hypermnesia.ports import Embedder
from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.consolidation import FINAL_BUDGET, nearest_pairs, plan_round, settled_pairs
from hypermnesia.rules.error_bounds import upper_bound
from hypermnesia.rules.merging import Member, Pair, kept_anchors, verdict_of, worth_judging
from hypermnesia.rules.name_quality import COUNTS, rates, total_of
from hypermnesia.rules.name_verdicts import Verdict
from hypermnesia.rules.names import RULES_VERSION, accepts_at_write

MOST_NIGHTS = 60  # until no pair waits; a user of 80 people needs about ten


@dataclass(slots=True)
class _Tally:
    """What became of the users' pairs so far."""

    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    rules: dict[str, Counter[str]] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)
    clusters: Counter[str] = field(default_factory=Counter)


def evaluate_users(n_users: int, seed: int, embedder: Embedder) -> dict[str, Any]:
    """{"kinds", "total", "rules", "merges", "lost"} of `n_users` generated users, from `seed` on.

    `kinds` counts judged pairs by type, as `evaluate_pairs` does. `merges` counts anchors that joined another one:
    wrong where the two do not mean the same one thing. `recall` is of all true pairs of anchors that are no bare
    names. Raises `ValueError` for less than one user.
    """
    if n_users < 1:
        raise ValueError(f"needs at least one user, not {n_users}")
    tally = _Tally()
    for number in range(seed, seed + n_users):
        _count(known_anchors(make_user(number)), embedder, tally)
    return {
        "n_users": n_users,
        "seed": seed,
        "kinds": {kind: dict(row) | rates(row) for kind, row in sorted(tally.kinds.items())},
        "total": dict(total_of(tally.kinds)) | rates(total_of(tally.kinds)),
        "rules": {rule: dict(row) for rule, row in sorted(tally.rules.items())},
        "merges": _shares(tally.clusters),
        "lost": _lost(tally),
    }


def _count(known: KnownAnchors, embedder: Embedder, tally: _Tally) -> None:
    members = [m for m in known.members if not m.is_bare_name]
    verdicts, deferred = _consolidate(members, embedder)
    for pair, verdict in verdicts.items():
        _note(known, pair, verdict, tally)
    same = [_row(pair, verdict) for pair, verdict in verdicts.items() if verdict.answer == "same"]
    kept = kept_anchors(known.members, same)
    tally.clusters["n"] += sum(anchor_id != keeper for anchor_id, keeper in kept.items())
    tally.clusters["wrong"] += sum(not known.is_one(a, keeper) for a, keeper in kept.items() if a != keeper)
    for pair in combinations([m.anchor_id for m in members], 2):
        is_joined = kept[pair[0]] == kept[pair[1]]
        tally.clusters["pairs"] += is_joined
        tally.clusters["pairs_wrong"] += is_joined and not known.is_one(*pair)
        if known.is_pair(*pair):
            tally.clusters["true_pairs"] += 1
            tally.clusters["true_pairs_joined"] += is_joined
            if not is_joined:
                tally.lost[_gate(pair, verdicts, deferred)] += 1


def _consolidate(members: list[Member], embedder: Embedder) -> tuple[dict[Pair, Verdict], set[Pair]]:
    """Every pair that writing and the nights judge, with its verdict; and those that still wait."""
    by_id = {m.anchor_id: m for m in members}
    verdicts: dict[Pair, Verdict] = {}
    decided: list[dict[str, Any]] = []
    for pair in worth_judging(members):
        verdict = verdict_of(by_id[pair[0]], by_id[pair[1]])
        if accepts_at_write(verdict):
            verdicts[pair] = verdict
            decided.append(_row(pair, verdict))
    vectors = dict(zip(by_id, embedder.embed([anchor_key(m.name) or "" for m in members]), strict=True))
    near = nearest_pairs(members, vectors, by_id)
    settled, waiting = settled_pairs(decided), set[Pair]()
    boundary = set(by_id)  # of the first night: all are new
    for _ in range(MOST_NIGHTS):
        night = plan_round(members, boundary, near if boundary else (), settled, waiting, FINAL_BUDGET)
        for pair in night.judged:
            verdicts[pair] = verdict_of(by_id[pair[0]], by_id[pair[1]])
        settled.update(night.judged)
        waiting, boundary = set(night.deferred), set()
        if not waiting:
            break
    return verdicts, waiting


def _note(known: KnownAnchors, pair: Pair, verdict: Verdict, tally: _Tally) -> None:
    is_same = known.is_pair(*pair)
    is_right = known.is_one(*pair) if verdict.answer == "same" else not is_same
    row = tally.kinds.setdefault(pair[0].partition("|")[0], Counter(dict.fromkeys(COUNTS, 0)))
    outcome = "unsure" if verdict.answer == "unsure" else f"{verdict.answer}_{'right' if is_right else 'wrong'}"
    row.update(["n", outcome, *(["n_same"] if is_same else [])])
    if verdict.answer == "same":
        tally.rules.setdefault(verdict.rule, Counter(n=0, wrong=0)).update(n=1, wrong=int(not is_right))


def _gate(pair: Pair, verdicts: dict[Pair, Verdict], deferred: Iterable[Pair]) -> str:
    """Where a true pair was lost."""
    if pair in deferred:
        return "budget"
    if pair not in verdicts:
        return "proposal"
    verdict = verdicts[pair]
    return "clusters" if verdict.answer == "same" else f"judge: {verdict.answer} {verdict.rule}"


def _row(pair: Pair, verdict: Verdict) -> dict[str, Any]:
    return {
        "decision_id": "=".join(pair),
        "decision": verdict.answer,
        "left_id": pair[0],
        "right_id": pair[1],
        "score": verdict.strength,
        "judge": "string",
        "judge_version": RULES_VERSION,
        "decided_at": None,
        "undoes": None,
    }


def _shares(counts: Counter[str]) -> dict[str, Any]:
    true = counts["true_pairs"]
    return {
        "n": counts["n"],
        "n_wrong": counts["wrong"],
        "error_upper": upper_bound(counts["wrong"], counts["n"]),
        "n_pairs": counts["pairs"],
        "n_pairs_wrong": counts["pairs_wrong"],
        "pairs_error_upper": upper_bound(counts["pairs_wrong"], counts["pairs"]),
        "n_true_pairs": true,
        "recall": counts["true_pairs_joined"] / true if true else None,
    }


def _lost(tally: _Tally) -> dict[str, dict[str, float]]:
    true = tally.clusters["true_pairs"]
    return {gate: {"n": n, "share": n / true} for gate, n in sorted(tally.lost.items(), key=lambda g: (-g[1], g[0]))}
