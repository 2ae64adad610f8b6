"""Commands that read a memory: ask."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.frame import command, print_json, print_tree

if TYPE_CHECKING:
    from hypermnesia.app import App


MOST_FACTS = 4  # that a person is shown


@command("ask")
@click.argument("user", required=False)
@click.argument("question", required=False)
@click.option("--questions", type=click.Path(path_type=Path), help='Lines {"id", "user", "question", "as_of"}.')
@click.option("--as-of", help="Ask as of an ISO date: later messages are left out.")
@click.option("--limit", type=click.IntRange(min=1), help="Exactly so many rows.")
@click.option("--profile", default="default", show_default=True, help="The way of reading: default, papers or direct.")
@click.option("--explain", is_flag=True, help="Each step with scores and milliseconds.")
def ask(
    app: App,
    user: str | None,
    question: str | None,
    questions: Path | None,
    as_of: str | None,
    limit: int | None,
    profile: str,
    explain: bool,
    as_json: bool,
) -> None:
    """Evidence for a question, and the messages it came from."""
    if (questions is None) == (user is None or question is None):
        raise click.UsageError("give USER and QUESTION, or --questions FILE")
    asked: Iterable[dict[str, Any]]
    if questions is None:
        asked = [{"id": None, "user": user, "question": question, "as_of": as_of}]
    else:
        asked = read_questions(questions)
    for line in asked:
        answer = app.asker.ask(
            line["user"],
            line["question"],
            id=line.get("id"),
            as_of=line.get("as_of") or as_of,
            limit=limit,
            profile=profile,
            explain=explain,
        )
        if as_json or questions is not None:
            print_json(answer)
        else:
            print_answer(answer)


def read_questions(path: Path) -> Iterator[dict[str, Any]]:
    """The questions of a file, a JSON object a line. Raises `ValueError` naming file and line."""
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path} line {number}: {error}") from error
            if not isinstance(line, dict) or not all(isinstance(line.get(n), str) for n in ("user", "question")):
                raise ValueError(f"{path} line {number}: needs text in `user` and `question`")
            yield line


def print_answer(answer: dict[str, Any]) -> None:
    """An answer for a person: the question, then a line a row."""
    click.echo(f"{answer['question']}  ({answer['operation']}, {len(answer['rows'])} rows, {answer['ms']} ms)")
    for fact in answer["facts"][:MOST_FACTS]:
        click.echo(f"  {fact_line(fact)}")
    for row in answer["rows"]:
        source = row["sources"][0] if row["sources"] else {}
        place = f"{source.get('archive')} {source.get('native_id') or source.get('message_id')}"
        said = (row["said_at"] or "")[:10]
        text = " ".join(row["text"].split())
        click.echo(f"  {row['score']:6.3f}  {row['lane']:<14}  {said}  {row['speaker']}: {text}  [{place}]")
    if answer["fallback"]:
        click.echo(f"  {answer['fallback']}")
    if "explain" in answer:
        print_tree(answer["explain"], 2)


def fact_line(fact: dict[str, Any]) -> str:
    """One fact for a person: who does what, when, and whether it still holds."""
    roles = ", ".join(f"{role} {' and '.join(names)}" for role, names in fact["roles"].items())
    values = ", ".join(f"{name} {value}" for name, value in fact["attributes"].items())
    words = ["not" if fact["is_negated"] else "", fact["event_time"]["start"] or ""]
    words += ["" if fact["modality"] == "done" else fact["modality"], "superseded" if fact["is_superseded"] else ""]
    return " ".join(["fact:", f"{fact['predicate']}({roles})", values, *words]).strip()
