"""An evaluation as one picture (SVG): recall by tokens of row text, and recall by category at a system's own rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from hypermnesia.retrieval.evaluation import ROW_TOKENS

WIDTH, HEIGHT = 520, 300  # of one panel
LEFT, TOP, RIGHT, BOTTOM = 46, 34, 12, 40  # margins
COLORS = ("#1f6f8b", "#d1495b", "#edae49", "#66a182", "#8d6a9f", "#5c5c5c", "#b5b5b5")
Systems = Mapping[str, Mapping[str, Mapping[str, float]]]


def plot(found: Mapping[str, Any]) -> str:
    """The SVG of what `evaluate` found; systems keep their color in both panels."""
    systems: Systems = {name: groups for name, groups in found["systems"].items() if groups}
    parts = [*_lines(systems), *_bars(systems, list(found["n_by_category"])), *_legend(list(systems))]
    size = f'width="{2 * WIDTH}" height="{HEIGHT + 30}"'
    style = 'font-family="sans-serif" font-size="11" fill="#222"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"


def _lines(systems: Systems) -> Iterator[str]:
    yield from _axes(0, "recall by tokens of row text")
    step = (WIDTH - LEFT - RIGHT) / (len(ROW_TOKENS) - 1)
    for number, n_tokens in enumerate(ROW_TOKENS):
        anchor = ("start", "middle", "end")[(number > 0) + (number == len(ROW_TOKENS) - 1)]
        yield _text(LEFT + number * step, HEIGHT - BOTTOM + 16, f"{n_tokens}", anchor)
    for groups, color in zip(systems.values(), COLORS, strict=False):
        values = [groups["all"][f"recall@{n}t"] for n in ROW_TOKENS]
        points = " ".join(f"{LEFT + number * step:.1f},{_y(value):.1f}" for number, value in enumerate(values))
        yield f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>'


def _bars(systems: Systems, categories: Sequence[str]) -> Iterator[str]:
    yield from _axes(WIDTH, "recall by category, at each system's own rows")
    names = ["all", *categories]
    group = (WIDTH - LEFT - RIGHT) / len(names)
    bar = 0.8 * group / max(1, len(systems))
    for place, name in enumerate(names):
        start = WIDTH + LEFT + place * group
        yield _text(start + group / 2, HEIGHT - BOTTOM + 16, name, "middle")
        for number, (groups, color) in enumerate(zip(systems.values(), COLORS, strict=False)):
            top = _y(groups.get(name, {}).get("recall", 0.0))
            x, height = start + 0.1 * group + number * bar, _y(0.0) - top
            yield f'<rect x="{x:.1f}" y="{top:.1f}" width="{bar:.1f}" height="{height:.1f}" fill="{color}"/>'


def _axes(left: float, title: str) -> Iterator[str]:
    yield _text(left + LEFT, 18, title, "start")
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        yield f'<line x1="{left + LEFT}" x2="{left + WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e3e3e3"/>'
        yield _text(left + LEFT - 6, y + 4, f"{tenth / 10:.1f}", "end")


def _legend(systems: Sequence[str]) -> Iterator[str]:
    step = (2 * WIDTH - LEFT) / max(1, len(systems))
    for number, (name, color) in enumerate(zip(systems, COLORS, strict=False)):
        x = LEFT + number * step
        yield f'<rect x="{x:.1f}" y="{HEIGHT + 4}" width="12" height="12" fill="{color}"/>'
        yield _text(x + 18, HEIGHT + 14, name, "start")


def _y(value: float) -> float:
    return TOP + (1 - value) * (HEIGHT - TOP - BOTTOM)


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
