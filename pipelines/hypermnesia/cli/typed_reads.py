"""Commands that read the other memory types: core, procedures, resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.frame import Command, command, print_json

if TYPE_CHECKING:
    from hypermnesia.app import App
    from hypermnesia.retrieval.typed import TypedReader


def _read_options(function: Command) -> Command:
    as_of = click.option("--as-of", help="As of an ISO date: what was said later is left out.")
    limit = click.option("--limit", type=click.IntRange(min=1), help="At most so many.")
    decorated: Command = as_of(limit(function))
    return decorated


@command("core")
@click.argument("user")
@_read_options
def core(app: App, user: str, as_of: str | None, limit: int | None, as_json: bool) -> None:
    """A user's current view: what holds, and marked what was superseded or denied."""
    found = _typed(app).core(user, as_of=as_of, limit=limit)
    if as_json:
        print_json(found)
        return
    for fact in found["facts"]:
        status = "" if fact["status"] == "in_force" else f"  ({fact['status'].replace('_', ' ')})"
        click.echo(f"{_day(fact)}  {fact['text']}{status}  [{_place(fact['records'][0])}]")


@command("procedures")
@click.argument("user")
@click.argument("task")
@_read_options
def procedures(app: App, user: str, task: str, as_of: str | None, limit: int | None, as_json: bool) -> None:
    """Procedures for a task; nothing where none is near enough."""
    found = _typed(app).procedures(user, task, as_of=as_of, limit=limit)
    if as_json:
        print_json(found)
        return
    for one in found["procedures"]:
        click.echo(f"{one['score']:6.3f}  {_line(one['text'])}  [{_place(one)}]")
        for number, step in enumerate(one["steps"], start=1):
            click.echo(f"        {number}. {_line(step)}")


@command("resources")
@click.argument("user")
@click.argument("query")
@_read_options
def resources(app: App, user: str, query: str, as_of: str | None, limit: int | None, as_json: bool) -> None:
    """Documents and other resources by title, section and text."""
    found = _typed(app).resources(user, query, as_of=as_of, limit=limit)
    if as_json:
        print_json(found)
        return
    for one in found["resources"]:
        where = one["section"] or one["title"] or "untitled"
        offsets = "" if one["start"] is None else f" ({one['start']} to {one['end']})"
        click.echo(f"{one['score']:6.3f}  {where}{offsets}: {_line(one['text'])[:120]}  [{_place(one)}]")


def _typed(app: App) -> TypedReader:
    from hypermnesia.api.reads import Reads

    return Reads(app).typed


def _day(fact: dict[str, Any]) -> str:
    return (fact["said_at"] or "")[:10] or "no date"


def _line(text: str) -> str:
    return " ".join(text.split())


def _place(one: dict[str, Any]) -> str:
    source = one["sources"][0] if one["sources"] else {}
    return f"{source.get('archive')} {source.get('native_id') or source.get('message_id')}"
