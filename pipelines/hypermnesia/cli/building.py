"""Commands that build a memory: plan, backfill, replay, rebuild."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.frame import Command, command, print_json, run_shown

if TYPE_CHECKING:
    from hypermnesia.app import App
    from hypermnesia.stages.ingest import ArchiveInput


paths = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
archive_options = [
    click.option("--user", help="The owner, for archives that do not say it."),
    click.option("--format", "format_name", help="The archive format, instead of asking the content."),
    click.option("--timezone", help="The zone of times without one, such as Europe/Berlin."),
    click.option(
        "--manifest", type=click.Path(path_type=Path), help="A YAML list of path, format, user, timezone, source_id."
    ),
]


def takes_archives(function: Command) -> Command:
    """PATH... and what is said of them, as one argument `inputs`."""

    @functools.wraps(function)
    def run(
        app: App,
        paths: tuple[Path, ...],
        user: str | None,
        format_name: str | None,
        timezone: str | None,
        manifest: Path | None,
        **arguments: Any,
    ) -> None:
        from hypermnesia.archives.manifest import read_manifest
        from hypermnesia.stages.ingest import ArchiveInput

        inputs = [ArchiveInput(path, format_name, user, timezone) for path in paths]
        if manifest:
            inputs += [ArchiveInput(**line) for line in read_manifest(manifest)]
        function(app, inputs=inputs, **arguments)

    decorated: Command = run
    for option in reversed(archive_options):
        decorated = option(decorated)
    return paths(decorated)


def _need_archives(inputs: list[ArchiveInput]) -> None:
    if not inputs:
        raise click.UsageError("name at least one PATH, or --manifest FILE")


@command("plan", makes_home=True)
@takes_archives
def plan(app: App, inputs: list[ArchiveInput], as_json: bool) -> None:
    """Estimate what would be read; writes nothing."""
    _need_archives(inputs)
    found = app.plan(inputs)
    if as_json:
        print_json(found)
        return
    for file in found["files"]:
        click.echo(f"{file['archive']}: {file['format'] or 'unknown format'}, {file['messages']} messages")
    total = found["total"]
    click.echo(
        f"{total['files']} files, {total['users']} users, {total['messages']} messages, {total['rejects']} rejects, "
        f"about {total['chunks']} chunks and {total['tokens']} tokens"
    )
    if cost := found.get("model"):
        hours = "at an unknown rate" if cost["gpu_hours"] is None else f"about {cost['gpu_hours']} GPU-hours"
        click.echo(
            f"{cost['model']}: about {cost['calls']} calls, {cost['tokens_in']} tokens in ({cost['tokens_cached']} of "
            f"them cached), {cost['tokens_out']} out, {hours}"
        )


@command("backfill", makes_home=True)
@takes_archives
def backfill(app: App, inputs: list[ArchiveInput], as_json: bool) -> None:
    """Read archives through all stages; goes on where it stopped."""
    _need_archives(inputs)
    report = run_shown(lambda progress: app.backfill(inputs, progress))
    if as_json:
        done = {"run_id": report.run_id, "seconds": round(report.seconds, 1), "stages": report.counts()}
        print_json(done | ({"stopped": report.stopped} if report.stopped else {}))
    else:
        click.echo(f"run {report.run_id} {'stopped' if report.stopped else 'done'} in {report.seconds:.1f} s")


@command("replay")
@click.argument("stage", type=click.Choice(["ingest", "chunk", "answer", "extract", "embed", "resolve"]))
@takes_archives
def replay(app: App, stage: str, inputs: list[ArchiveInput], as_json: bool) -> None:
    """Run a stage again over what it refused."""
    if stage == "ingest":
        _need_archives(inputs)
    report = run_shown(lambda progress: app.replay(stage, inputs, progress))
    if as_json:
        print_json({"run_id": report.run_id, "seconds": round(report.seconds, 1), "stages": report.counts()})
    else:
        click.echo(f"run {report.run_id} done in {report.seconds:.1f} s; {len(app.rejects(stage))} rejects are left")


@command("rebuild")
def rebuild(app: App, as_json: bool) -> None:
    """Build the vectors again from the lake, and swap."""
    report = run_shown(app.rebuild)
    if as_json:
        print_json({"run_id": report.run_id, "seconds": round(report.seconds, 1), "stages": report.counts()})
    else:
        click.echo(f"run {report.run_id} done in {report.seconds:.1f} s: {app.index.published()}")


@command("activate")
@click.argument("version")
@click.option("--memory-type", "memory_types", multiple=True, help="Only this type; may be given several times.")
def activate(app: App, version: str, memory_types: tuple[str, ...], as_json: bool) -> None:
    """Put an extractor version in force; the others stay as history."""
    report = run_shown(lambda progress: app.activate(version, memory_types, progress))
    if as_json:
        print_json({"run_id": report.run_id, "seconds": round(report.seconds, 1), "stages": report.counts()})
    else:
        click.echo(f"{version} is in force")
