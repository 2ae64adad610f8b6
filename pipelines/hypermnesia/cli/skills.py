"""Commands about skills: list, show, diff, undo, retire, find, use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hypermnesia.cli.frame import command, main, print_json

if TYPE_CHECKING:
    from hypermnesia.app import App

agent_option = click.option("--agent", help="Only skills of this agent, and shared ones.")
reason_option = click.option("--reason", required=True, help="Why; kept with the decision.")


@main.group("skills")
def skills() -> None:
    """What agents have learned to do: `nightly` learns, these show, find and take back."""


@command("list", group=skills)
@click.argument("user")
@agent_option
def list_skills(app: App, user: str, agent: str | None, as_json: bool) -> None:
    """A user's skills, and the sessions that wait for a night."""
    found = app.skills.list(user, agent)
    if as_json:
        print_json(found)
        return
    for one in found["skills"]:
        uses = one["uses"]
        click.echo(
            f"{one['skill_id']}  v{one['version']} {one['status']}  {one['name']}  ({one['agent'] or 'agent'}; "
            f"{one['n_steps']} steps from {one['n_sessions']} sessions, {one['n_tasks']} tasks; "
            f"used {uses['success']} well, {uses['failure']} badly)"
        )
    for one in found["waiting"]:
        agent_name = one["agent"] or "agent"
        click.echo(f"{agent_name}: {one['n_sessions']} sessions wait for a night ({one['n_needed']} start it)")


@command("show", group=skills)
@click.argument("skill_id")
@click.option("--version", type=int, help="This version, not the newest.")
def show_skill(app: App, skill_id: str, version: int | None, as_json: bool) -> None:
    """One version as Markdown, and the history of all."""
    found = app.skills.show(skill_id, version)
    if as_json:
        print_json(found)
        return
    click.echo(found["markdown"])
    for row in found["versions"]:
        why = f": {row['reason']}" if row["reason"] else ""
        checked = f" ({row['checked']})" if row["checked"] else ""
        click.echo(f"version {row['version']} {row['status']} by {row['judge']}{why}{checked}")
    for edit in found["edits"]:
        click.echo(f"{edit['edit_id']}  {edit['decision']} from {edit['n_experiences']} experiences")


@command("diff", group=skills)
@click.argument("skill_id")
@click.argument("old", type=int, required=False)
@click.argument("new", type=int, required=False)
def diff_skill(app: App, skill_id: str, old: int | None, new: int | None, as_json: bool) -> None:
    """What a version says otherwise: the newest and the one before, or those that are named."""
    found = app.skills.diff(skill_id, old, new)
    print_json(found) if as_json else click.echo("\n".join(found["diff"]))


@command("undo", group=skills)
@click.argument("skill_id", required=False)
@click.option("--run", "run_id", metavar="RUN", help="Every version that this night made, instead of one skill.")
@click.option("--to", type=int, help="The version that comes back; else the one before.")
@reason_option
def undo_skill(app: App, skill_id: str | None, run_id: str | None, to: int | None, reason: str, as_json: bool) -> None:
    """Bring back the version before; what the taken one was learned from does not make it again."""
    if (skill_id is None) == (run_id is None) or (run_id and to):
        raise click.UsageError("name a SKILL_ID (and --to a version of it), or --run RUN")
    if run_id is not None:
        n = app.skills.undo_run(run_id, reason, _say)
        print_json({"undone": n}) if as_json else click.echo(f"{n} versions of {run_id} were taken back")
        return
    assert skill_id is not None
    version = app.skills.undo(skill_id, reason, to, _say)
    print_json({"skill_id": skill_id, "version": version}) if as_json else click.echo(f"it is version {version} now")


@command("retire", group=skills)
@click.argument("skill_id")
@reason_option
def retire_skill(app: App, skill_id: str, reason: str, as_json: bool) -> None:
    """Take a skill away for good; only `skills undo` brings it back."""
    version = app.skills.retire(skill_id, reason, _say)
    print_json({"skill_id": skill_id, "version": version}) if as_json else click.echo(f"version {version} is withdrawn")


@command("find", group=skills)
@click.argument("user")
@click.argument("task")
@agent_option
@click.option("--floor", type=click.FloatRange(0, 1), help="How near a task in other words must be (default 0.6).")
def find_skill(app: App, user: str, task: str, agent: str | None, floor: float | None, as_json: bool) -> None:
    """The skill for a task, as Markdown for an agent's prompt; nothing where none fits."""
    given = {} if floor is None else {"floor": floor}
    found = app.skills.find(user, task, agent=agent, **given)
    if as_json:
        print_json(found)
    elif found["skill"] is None:
        click.echo("no skill fits this task", err=True)
    else:
        click.echo(found["skill"]["markdown"], nl=False)


@command("use", group=skills)
@click.argument("skill_id")
@click.option("--session", required=True, help="Your own name of the session; the same again counts once.")
@click.option("--outcome", type=click.Choice(["success", "failure"]), required=True, help="What became of the task.")
@click.option("--version", type=int, help="The version that was used; else the newest.")
def use_skill(app: App, skill_id: str, session: str, outcome: str, version: int | None, as_json: bool) -> None:
    """Say how a task went for which an agent had the skill."""
    use_id = app.skills.use(skill_id, session, outcome, version, _say)
    print_json({"use_id": use_id}) if as_json else click.echo(f"taken down as {use_id}")


def _say(line: str) -> None:
    click.echo(line, err=True)
