"""Commands of the graph store: graph write, import and load, which fill empty Neo4j servers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hypermnesia.cli.frame import command, main, print_json, run_shown

if TYPE_CHECKING:
    from hypermnesia.app import App

folder = click.argument("folder", type=click.Path(path_type=Path))


@main.group("graph")
def graph() -> None:
    """The graph store: filling empty servers, and bringing it to what the lake holds."""


@command("write", group=graph)
@folder
def write(app: App, folder: Path, as_json: bool) -> None:
    """Write every user's graph into a new FOLDER, by workers: one folder a server, for `graph import`."""
    counts = app.write_graph(folder)
    if as_json:
        print_json({name: getattr(counts, name) for name in counts.__slots__})
        return
    click.echo(f"{counts.n_anchors} anchors, {counts.n_frames} frames and {counts.n_roles} roles are in {folder}")


@command("import", group=graph)
@folder
@click.argument("admin", nargs=-1, required=True)
def import_(app: App, folder: Path, admin: tuple[str, ...], as_json: bool) -> None:  # noqa: ARG001
    """Load one server's FOLDER into a server that was never started; ADMIN is the command of its neo4j-admin."""
    from hypermnesia.adapters.neo4j_import import import_parts

    import_parts(admin, folder)
    print_json({"imported": str(folder)}) if as_json else click.echo(f"{folder} is loaded: start the server")


@command("load", group=graph)
def load(app: App, as_json: bool) -> None:
    """Bring the graph store to what the lake holds, compare counts and digest, publish."""
    report = run_shown(app.load_graph)
    if as_json:
        print_json({"run_id": report.run_id, "seconds": round(report.seconds, 1), "stages": report.counts()})
    else:
        click.echo(f"run {report.run_id} done in {report.seconds:.1f} s: {app.graph.published()}")
