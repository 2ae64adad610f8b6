"""Which messages of a tree are the conversation, and which were left: edits and answers made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node stands. `branch` is "" in the conversation, else the first node that leaves it."""

    node: str
    branch: str
    parent: str | None


def lay_out(
    parents: Mapping[str, str | None], current: str | None, times: Mapping[str, float] | None = None
) -> list[Place]:
    """Every node once, a parent before its children, the conversation before what left it.

    The conversation is the path that ends in `current`; without it (and in a part of the tree that hangs
    nowhere) in the newest leaf by `times`, then by order. Children of one missing parent are siblings.
    Parents that go round in a circle are cut at the circle's first node.
    """
    times = times or {}
    rank = {node: (times.get(node, float("-inf")), n) for n, node in enumerate(parents)}
    children: dict[str, list[str]] = {}
    tops: dict[str, None] = {}
    for node, parent in parents.items():
        if parent is not None:
            children.setdefault(parent, []).append(node)
        if parent is None or parent not in parents:
            tops[node if parent is None else parent] = None
    up: dict[str, str | None] = {}
    places: list[Place] = []
    for top in (*tops, *parents):  # the second round finds the circles
        if top not in up:
            places += _lay_out_part(_walk(top, children, up), up, current, rank)
    return places


def _walk(top: str, children: Mapping[str, list[str]], up: dict[str, str | None]) -> list[str]:
    """The part of the tree below `top`, depth first; fills in `up`."""
    up[top] = None
    order, waiting = [], [top]
    while waiting:
        node = waiting.pop()
        order.append(node)
        below = [child for child in children.get(node, ()) if child not in up]
        up.update(dict.fromkeys(below, node))
        waiting += reversed(below)
    return order


def _lay_out_part(
    order: list[str], up: Mapping[str, str | None], current: str | None, rank: Mapping[str, tuple[float, int]]
) -> list[Place]:
    inner = {up[node] for node in order}
    leaves = [node for node in order if node not in inner]
    end: str | None = current if current in set(order) else max(leaves, key=lambda node: rank[node])
    path: dict[str, None] = {}
    while end is not None:
        path[end] = None
        end = up[end]
    branches: dict[str, str] = {}
    for node in order:
        above = up[node]
        branches[node] = "" if node in path else (above is not None and branches[above]) or node
    said = [*reversed(path), *(node for node in order if node not in path)]
    return [Place(n, branches[n], above if (above := up[n]) in rank else None) for n in said if n in rank]
