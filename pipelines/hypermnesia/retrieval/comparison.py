"""Means of measures by category, and what one system gains on another, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hypermnesia.retrieval.metrics import interval, mcnemar

Measures = dict[str, float]


def means(measured: Sequence[tuple[str, Mapping[str, float]]]) -> dict[str, Measures]:
    """The means of (category, measures) of questions: over all, then by category in the order in which they come."""
    groups: dict[str, list[Mapping[str, float]]] = {"all": []} if measured else {}
    for category, measures in measured:
        groups["all"].append(measures)
        groups.setdefault(category, []).append(measures)
    return {
        name: {m: round(float(np.mean([measures[m] for measures in group])), 4) for m in group[0]}
        for name, group in groups.items()
    }


def gain(one: Sequence[float], other: Sequence[float], users: Sequence[str]) -> dict[str, Any]:
    """The mean gain of paired measures of questions with 95% intervals; `users` are the questions' conversations."""
    differences = np.asarray(one, np.float64) - np.asarray(other, np.float64)
    by_user: dict[str, float] = {}
    for user, difference in zip(users, differences.tolist(), strict=True):
        by_user[user] = by_user.get(user, 0.0) + difference
    return {
        "gain": round(float(differences.mean()), 4) if len(differences) else 0.0,
        "by_question": [round(x, 4) for x in interval(differences)],
        "by_conversation": [round(x, 4) for x in interval(differences, users)],
        "conversations_up": sum(total > 1e-9 for total in by_user.values()),
        "n_conversations": len(by_user),
    }


def both_ways(one: Sequence[float], other: Sequence[float]) -> dict[str, float]:
    """McNemar's test of two paired outcomes, 1 or 0."""
    return mcnemar([x > 0 for x in one], [x > 0 for x in other])
