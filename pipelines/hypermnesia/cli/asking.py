"""Commands that read a memory: ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.frame import command, print_json, print_tree, read_json_lines

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
@click.option("--answer", "is_answered", is_flag=True, help="Also an answer by the generator, which cites rows.")
@click.option("--votes", type=click.IntRange(min=1), default=1, show_default=True, help="Answers that vote, of each.")
def ask(
    app: App,
    user: str | None,
    question: str | None,
    questions: Path | None,
    as_of: str | None,
    limit: int | None,
    profile: str,
    explain: bool,
    is_answered: bool,
    votes: int,
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
    options = {"limit": limit, "profile": profile, "explain": explain}
    lines = ({**line, "as_of": line.get("as_of") or as_of} for line in asked)
    is_many = questions is not None and has_many(questions)
    for answer in answered(app, votes, lines, options) if is_answered else app.ask_all(lines, options, is_many=is_many):
        if as_json or questions is not None:
            print_json(answer)
        else:
            print_answer(answer)


def has_many(questions: Path) -> bool:
    """Whether a file has more lines than one process should answer."""
    from hypermnesia.home_questions import FEW

    with questions.open("rb") as file:
        return any(number > FEW for number, _ in enumerate(file, start=1))


def answered(
    app: App, votes: int, lines: Iterable[dict[str, Any]], options: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """The evidence for each line, with an answer. Raises `ValueError` where no generator is configured."""
    from hypermnesia.retrieval.answering import Answerer, answer_all
    from hypermnesia.retrieval.splitting import Splitter

    generator, prompts = app.model_path.make_generator(), app.model_path.model.prompts
    splitter = Splitter(generator, prompts["parts"])
    answerer = Answerer(app.asker.ask, generator, prompts["answer"], n_votes=votes, splitter=splitter)
    return answer_all(answerer, generator, lines, **options)


def read_questions(path: Path) -> Iterator[dict[str, Any]]:
    """The questions of a file, a JSON object a line. Raises `ValueError` naming file and line."""
    for number, line in read_json_lines(path):
        if not isinstance(line, dict) or not all(isinstance(line.get(n), str) for n in ("user", "question")):
            raise ValueError(f"{path} line {number}: needs text in `user` and `question`")
        yield line


def print_answer(answer: dict[str, Any]) -> None:
    """An answer for a person: the question, then a line a row."""
    click.echo(f"{answer['question']}  ({answer['operation']}, {len(answer['rows'])} rows, {answer['ms']} ms)")
    if "answer" in answer:
        click.echo(f"  {answer_line(answer['answer'])}")
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


def answer_line(answer: dict[str, Any]) -> str:
    """An answer for a person, with the rows that it cites."""
    cited = ", ".join(answer["citations"]) or "no row"
    said = answer["text"] or f"no answer ({answer['status']})"
    return f"answer: {said}  [{cited}; {answer['retrievals']} retrievals]"


def fact_line(fact: dict[str, Any]) -> str:
    """One fact for a person: who does what, when, and whether it still holds."""
    roles = ", ".join(f"{role} {' and '.join(names)}" for role, names in fact["roles"].items())
    values = ", ".join(f"{name} {value}" for name, value in fact["attributes"].items())
    words = ["not" if fact["is_negated"] else "", fact["event_time"]["start"] or ""]
    words += ["" if fact["modality"] == "done" else fact["modality"], "superseded" if fact["is_superseded"] else ""]
    return " ".join(["fact:", f"{fact['predicate']}({roles})", values, *words]).strip()
