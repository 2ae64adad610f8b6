"""The publish rule's second half: the toy world under the rules of this version, once for each version.

It does not depend on a lake, so a night under rules that were measured already has nothing to measure. Figures are
kept in `commits` as measures of the first shard that a version did, where a run reports them as shares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from hypermnesia.ports import Lake
from hypermnesia.rules.skills.publishing import is_worse

#: Of each task type: (tasks done, tasks).
Figures = Mapping[str, tuple[int, int]]
#: The figures without skills ("none") and with them ("skills").
World = Mapping[str, Figures]

_ALL = re.compile(r"world\.(skills|none)\.(.+)\.all")


def check_world(lake: Lake, stage: str, version: str, measure: Callable[[], World]) -> tuple[str, dict[str, int]]:
    """Why nothing new is to be published ("" where all is well), and the measures to be kept with the next shard.

    Each task type is compared with no skill at all, and with the rules before these; worse is more than noise.
    """
    commits = lake.read("commits", equals={"stage": stage}).to_pylist()
    commits.sort(key=lambda row: row["committed_at"])
    worlds: dict[str, World] = {rules_of(row["version"]): found for row in commits if (found := _figures(row))}
    earlier = [world["skills"] for of_version, world in worlds.items() if of_version != version]
    measures: dict[str, int] = {}
    world = worlds.get(version)
    if world is None:
        world = measure()
        measures = _measures(world)
    worse = [line for before in (world["none"], *earlier[-1:]) for line in _worse(before, world["skills"])]
    return "; ".join(worse), measures


def rules_of(version: str) -> str:
    """The rules of a night's version, which may name a model behind them: what it proposes, they hold to the logs."""
    return version.partition("/")[0]


def _worse(before: Figures, after: Figures) -> list[str]:
    return [
        f"{kind} {done}/{tried} -> {after[kind][0]}/{after[kind][1]}"
        for kind, (done, tried) in before.items()
        if kind in after and is_worse(done, tried, *after[kind])
    ]


def _measures(world: World) -> dict[str, int]:
    return {
        f"world.{name}.{kind}.{word}": n
        for name, figures in world.items()
        for kind, (done, tried) in figures.items()
        for word, n in (("kept", done), ("all", tried))
    }


def _figures(commit: Mapping[str, Any]) -> dict[str, dict[str, tuple[int, int]]]:
    """The figures that a commit holds, or {}."""
    measures = {m["reason"]: m["n"] for m in commit["measures"] or ()}
    world: dict[str, dict[str, tuple[int, int]]] = {}
    for name, n in measures.items():
        if found := _ALL.fullmatch(name):
            variant, kind = found.groups()
            world.setdefault(variant, {})[kind] = (measures.get(f"world.{variant}.{kind}.kept", 0), n)
    return world
