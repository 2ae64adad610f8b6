"""Commands that look: status, rejects, show, trace, digest, vault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hypermnesia.cli.frame import command, main, print_json, print_tree

if TYPE_CHECKING:
    from hypermnesia.app import App


@command("status")
def status(app: App, as_json: bool) -> None:
    """What was done: shards and rows of each stage, tables, runs."""
    found = app.status()
    if as_json:
        print_json(found)
        return
    for stage, counts in found["stages"].items():
        click.echo(
            f"{stage}: {counts['n_shards']} shards, {counts['n_in']} in = {counts['n_out']} out + "
            f"{counts['n_rejected']} rejected + {counts['n_merged']} merged + {counts['n_deferred']} deferred"
        )
    click.echo("tables: " + ", ".join(f"{name} {n}" for name, n in found["tables"].items()))
    for memory_type, versions in found["active"].items():
        click.echo(f"in force for {memory_type}: {versions[0]}")
    click.echo(f"published: {found['generation'] or 'nothing yet'}")
    for run in found["runs"]:
        error = f": {run['error']}" if run["error"] else ""
        click.echo(f"run {run['run_id']} {run['command']} {run['status']} in {run['seconds']:.1f} s{error}")


@command("rejects")
@click.option("--stage", help="Only those of one stage.")
def rejects(app: App, stage: str | None, as_json: bool) -> None:
    """What was refused, where, why, and the remedy."""
    for row in app.rejects(stage):
        if as_json:
            print_json(row)
            continue
        where = " ".join(row[name] for name in ("archive", "locator", "subject_id") if name in row)
        detail = f" ({row['detail']})" if "detail" in row else ""
        click.echo(f"{row['stage']}: {where}: {row['reason']}{detail}; {row['remedy']}")


@command("show")
@click.argument("identifier", metavar="ID")
def show(app: App, identifier: str, as_json: bool) -> None:
    """Anything by its id: what it came from, what it supports."""
    found = app.inspector().show(identifier)
    print_json(found) if as_json else print_tree(found)


@command("trace")
@click.argument("message_id")
def trace(app: App, message_id: str, as_json: bool) -> None:
    """Every stage's verdict on one message."""
    found = app.inspector().trace(message_id)
    if as_json:
        print_json(found)
        return
    click.echo(f"{message_id}: {'remembered' if found['is_remembered'] else 'not remembered'}")
    for stage, verdict in found["stages"].items():
        click.echo(f"  {stage}: {verdict}")


@command("digest")
def digest(app: App, as_json: bool) -> None:
    """Order-free digests of lake, view, vectors and graph."""
    found = app.digest()
    if as_json:
        print_json(found)
        return
    for name in ("lake", "view", "vectors", "graph"):
        click.echo(f"{name}: {found[name]}")


@main.group("vault")
def vault() -> None:
    """Secrets that were taken out of messages: what there is, and one by exact request."""


@command("list", group=vault)
@click.argument("user")
def list_secrets(app: App, user: str, as_json: bool) -> None:
    """What the vault holds of a user, without values."""
    from hypermnesia.inspection.vault import list_secrets as listed

    rows = listed(app.lake, user)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(f"{row['vault_id']}  {row['placeholder']}  {row['message_id']}")


@command("get", group=vault)
@click.argument("vault_id")
@click.option("--user", required=True, help="Whose secret it is.")
@click.option("--reason", required=True, help="Why it is read; goes into the audit log.")
def get_secret(app: App, vault_id: str, user: str, reason: str, as_json: bool) -> None:
    """One secret, where it is permitted; logged."""
    from hypermnesia.home_vault import open_secret

    found = open_secret(app, vault_id, user, reason)
    print_json(found) if as_json else click.echo(found["value"])


@command("diff")
@click.argument("old")
@click.argument("new")
def diff(app: App, old: str, new: str, as_json: bool) -> None:
    """What two extractor versions make of the same passages: records gained, lost, altered."""
    found = app.diff(old, new)
    print_json(found) if as_json else print_tree(found)
