"""The demo: a sample archive becomes a memory that is consolidated, asked, and shown from the inside."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.asking import fact_line, print_answer, read_questions
from hypermnesia.cli.frame import command, print_json, print_tree, run_shown

if TYPE_CHECKING:
    from hypermnesia.app import App

DEMO_QUESTIONS, DEMO_ROWS = 5, 4

#: Whose skill the demo finds, and for which task.
TASK = ("robot", "put a clean kettle in the locker")

#: What the graph is shown by: a title, a user, a question whose facts show it, and the predicate of those facts.
SHOWN = (
    ("A frame", "tomas", "Where does Priya's uncle work?", "works_at"),
    ("An event that recurs", "tomas", "When did Tomás go climbing with Elena?", "go"),
    ("A plan that did not happen", "tomas", "Did Priya ride out to the lake?", "ride_out"),
    ("A change of mind", "tomas", "Where does Tomás live?", "lives_in"),
)


@command("demo", makes_home=True, default_home=Path("memory-demo"))
def demo(app: App, as_json: bool) -> None:
    """Backfill the sample archive, run a night over it, ask five questions, and show what the graph knows."""
    from hypermnesia.demo import QUESTIONS, SAMPLE, TASKS
    from hypermnesia.stages.ingest import ArchiveInput

    report = run_shown(lambda progress: app.backfill([ArchiveInput(SAMPLE), ArchiveInput(TASKS)], progress))
    night = run_shown(app.nightly)
    asked = islice(read_questions(QUESTIONS), DEMO_QUESTIONS)
    answers = [app.asker.ask(line["user"], line["question"], id=line["id"], limit=DEMO_ROWS) for line in asked]
    shown = [(title, _facts(app, user, question, predicate)) for title, user, question, predicate in SHOWN]
    skill = app.skills.find(*TASK)["skill"]
    merges = [row for row in app.names.decisions.of_user("tomas") if row["decision"] == "same" and row["is_in_force"]]
    if as_json:
        counts = report.counts() | {f"nightly {stage}": row for stage, row in night.counts().items()}
        found = {"facts": dict(shown), "merges": merges, "skill": skill}
        print_json({"run_id": report.run_id, "stages": counts, "answers": answers, **found})
        return
    seconds = report.seconds + night.seconds
    click.echo(f"run {report.run_id} and the night done in {seconds:.1f} s; the memory is in {app.settings.home}")
    for answer in answers:
        click.echo()
        print_answer(answer)
    _print_graph(shown, merges)
    _print_skill(app, skill)
    first = answers[0]["rows"][0]["sources"][0]["message_id"]
    click.echo(f"\nNext: hypermnesia --home {app.settings.home} trace {first}")


def _print_skill(app: App, skill: dict[str, Any] | None) -> None:
    if skill is None:
        click.echo("\nNo skill was learned")
        return
    click.echo(f'\nA skill that the night learned, for "{TASK[1]}"')
    click.echo(skill["markdown"])
    click.echo("What its first step stands on")
    print_tree(app.inspector().show(skill["skill_id"])["from"][0], 2)


def _facts(app: App, user: str, question: str, predicate: str) -> list[dict[str, Any]]:
    facts = app.asker.ask(user, question, limit=1)["facts"]
    return [fact for fact in facts if fact["predicate"] == predicate]


def _print_graph(shown: list[tuple[str, list[dict[str, Any]]]], merges: list[dict[str, Any]]) -> None:
    click.echo("\nWhat the graph knows")
    for title, found in shown:
        for fact in found[:2]:
            click.echo(f"  {title}: {fact_line(fact).removeprefix('fact: ')}  [{fact['frames'][0]}]")
    for row in merges:
        click.echo(f"  One by {row['rule']}: {row['left_name']} | {row['right_name']}  [{row['decision_id']}]")
