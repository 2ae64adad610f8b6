"""Commands that measure: evaluate locomo, merges, injection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.frame import command, main, print_json, print_tree

if TYPE_CHECKING:
    from hypermnesia.app import App

labelled_file = click.argument("file", type=click.Path(path_type=Path))


@main.group("evaluate")
def evaluate() -> None:
    """Measure what this product does on labelled data."""


@command("locomo", group=evaluate)
@labelled_file
def locomo(app: App, file: Path, as_json: bool) -> None:
    """Recall of a LoCoMo file's evidence in this memory, beside plain BM25 and plain dense."""
    found = app.evaluate_locomo(file)
    print_json(found) if as_json else print_tree(found)


@command("merges", group=evaluate)
@labelled_file
def merges(app: App, file: Path, as_json: bool) -> None:  # noqa: ARG001
    """The string judge on labelled pairs of names: lines {"a", "b", "type", "label", "kind"}; by kind."""
    from hypermnesia.rules.name_quality import evaluate_pairs, rates, total_of

    counts = evaluate_pairs(read_labelled(file))
    found = {kind: dict(row) | rates(row) for kind, row in counts.items()}
    if as_json:
        print_json(found)
        return
    for kind, row in [*found.items(), ("all", total_of(counts) | rates(total_of(counts)))]:
        click.echo(
            f"{kind:<34} n {row['n']:>5}  same {row['same_right']:>5} right {row['same_wrong']:>3} wrong  "
            f"different {row['different_right']:>5} right {row['different_wrong']:>3} wrong  unsure {row['unsure']:>5} "
            f"precision {_share(row['precision'])} [{_share(row['precision_low'])}]  recall {_share(row['recall'])}"
        )


@command("injection", group=evaluate)
@labelled_file
def injection(app: App, file: Path, as_json: bool) -> None:  # noqa: ARG001
    """The toxic memory filter on labelled texts: lines {"text", "trust", "label": "attack" or "harmless"}."""
    from hypermnesia.rules.injection import evaluate_injection

    found = evaluate_injection(read_labelled(file))
    print_json(found) if as_json else print_tree(found)


def read_labelled(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file. Raises `ValueError` naming file and line."""
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path} line {number}: {error}") from error
            if not isinstance(line, dict):
                raise ValueError(f"{path} line {number}: needs a JSON object")
            yield line


def _share(value: float | None) -> str:
    return "  -  " if value is None else f"{value:.3f}"
