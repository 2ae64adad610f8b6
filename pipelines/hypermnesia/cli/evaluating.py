"""Commands that measure: evaluate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hypermnesia.cli.frame import command, print_json, print_tree

if TYPE_CHECKING:
    from hypermnesia.app import App


@command("evaluate")
@click.argument("dataset", type=click.Choice(["locomo"]))
@click.argument("file", type=click.Path(path_type=Path))
def evaluate(app: App, dataset: str, file: Path, as_json: bool) -> None:  # noqa: ARG001
    """Recall of labelled evidence, beside plain BM25 and plain dense."""
    found = app.evaluate_locomo(file)
    if as_json:
        print_json(found)
    else:
        print_tree(found)
