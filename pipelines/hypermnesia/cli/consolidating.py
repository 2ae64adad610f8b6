"""Commands of the night: nightly, and merges, which shows and changes decisions about names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.frame import command, main, print_json, print_tree, run_shown

if TYPE_CHECKING:
    from hypermnesia.app import App


@command("nightly")
@click.option("--rounds", type=click.Choice(["nightly", "stream"]), default="nightly", help="One round, or many.")
@click.option("--rollback", metavar="RUN", help="Take back what a night decided, instead.")
def nightly(app: App, rounds: str, rollback: str | None, as_json: bool) -> None:
    """Consolidate what came since the last night; published only where probes get no worse."""
    if rollback:
        merged, learned = _rolled_back(app, rollback)
        if as_json:
            print_json({"undone": merged, "skills_undone": learned})
        else:
            click.echo(f"{merged} decisions and {learned} skill versions of {rollback} were taken back")
        return
    report = run_shown(lambda progress: app.nightly(progress, rounds))
    if as_json:
        print_json({"run_id": report.run_id, "seconds": round(report.seconds, 1), "stages": report.counts()})
    else:
        click.echo(f"night {report.run_id} done in {report.seconds:.1f} s")


def _rolled_back(app: App, run: str) -> tuple[int, int]:
    """What a night merged and learned, taken back. Raises `LookupError` where it did neither."""
    reason = "rolled back"
    undone: list[int] = []
    errors: list[LookupError] = []
    for undo in (
        lambda: _decide(app, "rollback", lambda made, made_by, at: made.undo_run(run, reason, made_by, at)),
        lambda: run_shown(lambda progress: app.skills.undo_run(run, reason, progress.say)),
    ):
        try:
            undone.append(int(undo()))
        except LookupError as error:
            errors.append(error)
            undone.append(0)
    if len(errors) == len(undone):
        raise errors[0]
    return undone[0], undone[1]


@main.group("merges")
def merges() -> None:
    """Decisions about names: which are one, which never, and who said so."""


@command("list", group=merges)
@click.argument("user")
@click.option("--all", "is_all", is_flag=True, help="Also those that were taken back.")
def list_merges(app: App, user: str, is_all: bool, as_json: bool) -> None:
    """The decisions of a user that are in force."""
    rows = [row for row in app.names.decisions.of_user(user) if row["is_in_force"] or is_all]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        state = "" if row["is_in_force"] else " (taken back)"
        names = f"{row['left_name']} | {row['right_name']}"
        click.echo(f"{row['decision_id']}  {row['decision']}  {names}  by {row['judge']}: {row['rule'] or ''}{state}")


@command("show", group=merges)
@click.argument("decision_id")
def show_merge(app: App, decision_id: str, as_json: bool) -> None:
    """One decision, whole."""
    row = app.names.decisions.one(decision_id)
    print_json(row) if as_json else print_tree(row)


@command("undo", group=merges)
@click.argument("decision_id")
@click.option("--reason", required=True, help="Why; kept with the decision.")
def undo_merge(app: App, decision_id: str, reason: str, as_json: bool) -> None:
    """Take a decision back: the graph is then as it was without it."""
    n = _decide(app, "merges undo", lambda made, run, at: made.undo([decision_id], reason, run, at))
    print_json({"undone": n}) if as_json else click.echo("taken back" if n else "it was not in force")


@command("block", group=merges)
@click.argument("user")
@click.argument("left")
@click.argument("right")
@click.option("--reason", required=True, help="Why; kept with the decision.")
def block_merge(app: App, user: str, left: str, right: str, reason: str, as_json: bool) -> None:
    """Forbid two anchors to be one, for good."""
    n = _decide(app, "merges block", lambda made, run, at: made.forbid(user, left, right, reason, run, at))
    print_json({"blocked": n}) if as_json else click.echo("blocked")


@command("split", group=merges)
@click.argument("user")
@click.argument("anchor")
@click.argument("mentions", nargs=-1)
@click.option("--by-facts", is_flag=True, help="By the identifiers that its records state, such as two birthdays.")
@click.option("--reason", required=True, help="Why; kept with the decision.")
def split_anchor(
    app: App, user: str, anchor: str, mentions: tuple[str, ...], by_facts: bool, reason: str, as_json: bool
) -> None:
    """Give some mentions of an anchor an anchor of their own: two of one name. Name them, or say --by-facts."""
    if bool(mentions) == by_facts:
        raise click.UsageError("name the mentions, or say --by-facts")
    if by_facts:
        active = app.active
        found = _decide(
            app, "merges split", lambda made, run, at: made.split_by_facts(user, anchor, active, reason, run, at)
        )
        print_json({"anchor_ids": found}) if as_json else click.echo(f"divided: {', '.join(found)}")
        return
    apart = _decide(app, "merges split", lambda made, run, at: made.split(user, anchor, mentions, reason, run, at))
    print_json({"anchor_id": apart}) if as_json else click.echo(f"they are {apart} now")


def _decide(app: App, name: str, decide: Any) -> Any:
    return run_shown(lambda progress: app.decide(name, decide, progress))
