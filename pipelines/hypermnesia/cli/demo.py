"""The demo: a sample archive becomes a memory that is asked."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hypermnesia.cli.asking import print_answer, read_questions
from hypermnesia.cli.frame import command, print_json, run_shown

if TYPE_CHECKING:
    from hypermnesia.app import App


DEMO_QUESTIONS, DEMO_ROWS = 5, 4


@command("demo", makes_home=True, default_home=Path("memory-demo"))
def demo(app: App, as_json: bool) -> None:
    """Backfill the sample archive and ask five questions."""
    from hypermnesia.demo import QUESTIONS, SAMPLE
    from hypermnesia.stages.ingest import ArchiveInput

    report = run_shown(lambda progress: app.backfill([ArchiveInput(SAMPLE)], progress))
    asked = islice(read_questions(QUESTIONS), DEMO_QUESTIONS)
    answers = [app.asker.ask(line["user"], line["question"], id=line["id"], limit=DEMO_ROWS) for line in asked]
    if as_json:
        print_json({"run_id": report.run_id, "stages": report.counts(), "answers": answers})
        return
    click.echo(f"run {report.run_id} done in {report.seconds:.1f} s; the memory is in {app.settings.home}")
    for answer in answers:
        click.echo()
        print_answer(answer)
    first = answers[0]["rows"][0]["sources"][0]["message_id"]
    click.echo(f"\nNext: hypermnesia --home {app.settings.home} trace {first}")
