"""`hypermnesia ...`: results on standard output, progress and logs on standard error.

Exit codes: 0 done, 1 failed, 2 usage, 3 reject budget passed. Heavy libraries are imported by the command
that needs them.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from hypermnesia.app import App
    from hypermnesia.engine.flow import RunReport
    from hypermnesia.engine.progress import Progress
    from hypermnesia.stages.ingest import ArchiveInput

FAILED, USAGE, OVER_BUDGET, INTERRUPTED = 1, 2, 3, 130
DEMO_QUESTIONS, DEMO_ROWS = 5, 4

Command = Callable[..., Any]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hypermnesia")
@click.option("--home", type=click.Path(path_type=Path), help="The folder that holds everything (default ./memory).")
@click.option("--config", type=click.Path(path_type=Path), help="A YAML profile of settings.")
@click.pass_context
def main(context: click.Context, home: Path | None, config: Path | None) -> None:
    """Long-term memory for agents out of conversation archives, built in batch."""
    context.obj = {"home": home, "config": config}


def command(
    name: str, *, group: click.Group = main, makes_home: bool = False, default_home: Path | None = None
) -> Callable[[Command], click.Command]:
    """A command that gets the app of its home folder first; --home, --config and --json are on each.

    One that only reads makes no folder: without a memory there it says so.
    """

    def decorate(function: Command) -> click.Command:
        @functools.wraps(function)
        def run(home: Path | None, config: Path | None, **arguments: Any) -> None:
            outer = click.get_current_context().obj
            folder = home or outer["home"] or (default_home if "HYPERMNESIA_HOME" not in os.environ else None)
            _guard(lambda: function(_app(folder, config or outer["config"], makes_home), **arguments))

        options = [
            click.option("--home", type=click.Path(path_type=Path), help="The folder that holds everything."),
            click.option("--config", type=click.Path(path_type=Path), help="A YAML profile of settings."),
            click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else."),
        ]
        decorated: Command = run
        for option in reversed(options):
            decorated = option(decorated)
        return group.command(name)(decorated)

    return decorate


def _app(home: Path | None, config: Path | None, makes_home: bool) -> App:
    from hypermnesia.app import App
    from hypermnesia.settings import load

    return App(load(config, home=home), makes_home=makes_home)


def _guard(run: Callable[[], Any]) -> None:
    """Runs a command; an expected error is one line and an exit code, never a traceback."""
    from hypermnesia.engine.counts import RejectBudgetError

    signal.signal(signal.SIGTERM, _interrupt)
    try:
        run()
    except RejectBudgetError as error:
        _fail(str(error), OVER_BUDGET)
    except KeyboardInterrupt:
        _fail("stopped; what was committed stays: run the same command again to go on", INTERRUPTED)
    except (OSError, RuntimeError, LookupError, ValueError) as error:
        _fail(str(error) if str(error) else type(error).__name__, FAILED)


def _interrupt(*_: Any) -> NoReturn:
    raise KeyboardInterrupt


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"hypermnesia: {message}", err=True)
    sys.exit(code)


def _print(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, default=str))


def _run(run: Callable[[Progress], RunReport]) -> RunReport:
    """A run with progress. Libraries that print (Ray does when a worker dies) get standard error."""
    from hypermnesia.engine.progress import Progress

    with contextlib.redirect_stdout(sys.stderr):
        return run(Progress())


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
    from hypermnesia.inspection.estimate import estimate

    found = estimate(app.archives, inputs)
    if as_json:
        _print(found)
        return
    for file in found["files"]:
        click.echo(f"{file['archive']}: {file['format'] or 'unknown format'}, {file['messages']} messages")
    total = found["total"]
    click.echo(
        f"{total['files']} files, {total['users']} users, {total['messages']} messages, {total['rejects']} rejects, "
        f"about {total['chunks']} chunks and {total['tokens']} tokens"
    )


@command("backfill", makes_home=True)
@takes_archives
def backfill(app: App, inputs: list[ArchiveInput], as_json: bool) -> None:
    """Read archives through all stages; goes on where it stopped."""
    _need_archives(inputs)
    report = _run(lambda progress: app.backfill(inputs, progress))
    if as_json:
        _print({"run_id": report.run_id, "seconds": round(report.seconds, 1), "stages": report.counts()})
    else:
        click.echo(f"run {report.run_id} done in {report.seconds:.1f} s")


@command("replay")
@click.argument("stage", type=click.Choice(["ingest", "chunk", "extract", "embed"]))
@takes_archives
def replay(app: App, stage: str, inputs: list[ArchiveInput], as_json: bool) -> None:
    """Run a stage again over what it refused."""
    if stage == "ingest":
        _need_archives(inputs)
    report = _run(lambda progress: app.replay(stage, inputs, progress))
    if as_json:
        _print({"run_id": report.run_id, "seconds": round(report.seconds, 1), "stages": report.counts()})
    else:
        click.echo(f"run {report.run_id} done in {report.seconds:.1f} s; {len(app.rejects(stage))} rejects are left")


@command("rebuild")
def rebuild(app: App, as_json: bool) -> None:
    """Build the vectors again from the lake, and swap."""
    report = _run(app.rebuild)
    if as_json:
        _print({"run_id": report.run_id, "seconds": round(report.seconds, 1), "stages": report.counts()})
    else:
        click.echo(f"run {report.run_id} done in {report.seconds:.1f} s: {app.index.published()}")


@command("status")
def status(app: App, as_json: bool) -> None:
    """What was done: shards and rows of each stage, tables, runs."""
    found = app.status()
    if as_json:
        _print(found)
        return
    for stage, counts in found["stages"].items():
        click.echo(
            f"{stage}: {counts['n_shards']} shards, {counts['n_in']} in = {counts['n_out']} out + "
            f"{counts['n_rejected']} rejected + {counts['n_merged']} merged + {counts['n_deferred']} deferred"
        )
    click.echo("tables: " + ", ".join(f"{name} {n}" for name, n in found["tables"].items()))
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
            _print(row)
            continue
        where = " ".join(row[name] for name in ("archive", "locator", "subject_id") if name in row)
        detail = f" ({row['detail']})" if "detail" in row else ""
        click.echo(f"{row['stage']}: {where}: {row['reason']}{detail}; {row['remedy']}")


@command("ask")
@click.argument("user", required=False)
@click.argument("question", required=False)
@click.option("--questions", type=click.Path(path_type=Path), help='Lines {"id", "user", "question", "as_of"}.')
@click.option("--as-of", help="Ask as of an ISO date: later messages are left out.")
@click.option("--limit", type=click.IntRange(min=1), help="Exactly so many rows.")
@click.option("--profile", default="default", show_default=True, help="The way of reading: default or direct.")
def ask(
    app: App,
    user: str | None,
    question: str | None,
    questions: Path | None,
    as_of: str | None,
    limit: int | None,
    profile: str,
    as_json: bool,
) -> None:
    """Evidence for a question, and the messages it came from."""
    if (questions is None) == (user is None or question is None):
        raise click.UsageError("give USER and QUESTION, or --questions FILE")
    asked: Iterable[dict[str, Any]]
    if questions is None:
        asked = [{"id": None, "user": user, "question": question, "as_of": as_of}]
    else:
        asked = _read_questions(questions)
    for line in asked:
        answer = app.asker.ask(
            line["user"],
            line["question"],
            id=line.get("id"),
            as_of=line.get("as_of") or as_of,
            limit=limit,
            profile=profile,
        )
        if as_json or questions is not None:
            _print(answer)
        else:
            _print_answer(answer)


def _read_questions(path: Path) -> Iterator[dict[str, Any]]:
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


def _print_answer(answer: dict[str, Any]) -> None:
    click.echo(f"{answer['question']}  ({answer['operation']}, {len(answer['rows'])} rows, {answer['ms']} ms)")
    for row in answer["rows"]:
        source = row["sources"][0] if row["sources"] else {}
        place = f"{source.get('archive')} {source.get('native_id') or source.get('message_id')}"
        said = (row["said_at"] or "")[:10]
        click.echo(f"  {row['score']:6.3f}  {said}  {row['speaker']}: {' '.join(row['text'].split())}  [{place}]")


@command("show")
@click.argument("identifier", metavar="ID")
def show(app: App, identifier: str, as_json: bool) -> None:
    """Anything by its id: what it came from, what it supports."""
    found = app.inspector().show(identifier)
    _print(found) if as_json else _print_tree(found)


@command("trace")
@click.argument("message_id")
def trace(app: App, message_id: str, as_json: bool) -> None:
    """Every stage's verdict on one message."""
    found = app.inspector().trace(message_id)
    if as_json:
        _print(found)
        return
    click.echo(f"{message_id}: {'remembered' if found['is_remembered'] else 'not remembered'}")
    for stage, verdict in found["stages"].items():
        click.echo(f"  {stage}: {verdict}")


def _print_tree(value: Any, indent: int = 0) -> None:
    pad = " " * indent
    for name, item in value.items():
        if isinstance(item, dict):
            click.echo(f"{pad}{name}:")
            _print_tree(item, indent + 2)
        elif isinstance(item, list) and any(isinstance(i, dict) for i in item):
            for number, one in enumerate(item, start=1):
                click.echo(f"{pad}{name} {number}:")
                _print_tree(one, indent + 2)
        else:
            click.echo(f"{pad}{name}: {item}")


@main.group("vault")
def vault() -> None:
    """Secrets that were taken out of messages: what there is, and one by exact request."""


@command("list", group=vault)
@click.argument("user")
def list_secrets(app: App, user: str, as_json: bool) -> None:
    """What the vault holds of a user, without values."""
    rows = app.list_secrets(user)
    if as_json:
        _print(rows)
        return
    for row in rows:
        click.echo(f"{row['vault_id']}  {row['placeholder']}  {row['message_id']}")


@command("get", group=vault)
@click.argument("vault_id")
@click.option("--user", required=True, help="Whose secret it is.")
@click.option("--reason", required=True, help="Why it is read; goes into the audit log.")
def get_secret(app: App, vault_id: str, user: str, reason: str, as_json: bool) -> None:
    """One secret, where it is permitted; logged."""
    found = app.get_secret(vault_id, user, reason)
    _print(found) if as_json else click.echo(found["value"])


@command("digest")
def digest(app: App, as_json: bool) -> None:
    """Order-free digests of lake, view and vectors."""
    found = app.digest()
    if as_json:
        _print(found)
        return
    for name in ("lake", "view", "vectors"):
        click.echo(f"{name}: {found[name]}")


@command("evaluate")
@click.argument("dataset", type=click.Choice(["locomo"]))
@click.argument("file", type=click.Path(path_type=Path))
def evaluate(app: App, dataset: str, file: Path, as_json: bool) -> None:  # noqa: ARG001
    """Recall of labelled evidence, beside plain BM25 and plain dense."""
    found = app.evaluate_locomo(file)
    if as_json:
        _print(found)
    else:
        _print_tree(found)


@command("demo", makes_home=True, default_home=Path("memory-demo"))
def demo(app: App, as_json: bool) -> None:
    """Backfill the sample archive and ask five questions."""
    from hypermnesia.demo import QUESTIONS, SAMPLE
    from hypermnesia.stages.ingest import ArchiveInput

    report = _run(lambda progress: app.backfill([ArchiveInput(SAMPLE)], progress))
    asked = islice(_read_questions(QUESTIONS), DEMO_QUESTIONS)
    answers = [app.asker.ask(line["user"], line["question"], id=line["id"], limit=DEMO_ROWS) for line in asked]
    if as_json:
        _print({"run_id": report.run_id, "stages": report.counts(), "answers": answers})
        return
    click.echo(f"run {report.run_id} done in {report.seconds:.1f} s; the memory is in {app.settings.home}")
    for answer in answers:
        click.echo()
        _print_answer(answer)
    first = answers[0]["rows"][0]["sources"][0]["message_id"]
    click.echo(f"\nNext: hypermnesia --home {app.settings.home} trace {first}")
