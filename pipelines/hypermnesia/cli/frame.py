"""What every command stands on: the group, options that each has, errors as exit codes, and printing."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

if TYPE_CHECKING:
    from hypermnesia.app import App
    from hypermnesia.engine.progress import Progress

FAILED, USAGE, OVER_BUDGET, INTERRUPTED = 1, 2, 3, 130
IN_A_JOB = "RAY_JOB_CONFIG_JSON_ENV_VAR"  # a variable that Ray sets for the jobs that are submitted to it

Command = Callable[..., Any]
Ran = TypeVar("Ran")


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

    settings = load(config, home=home)
    if IN_A_JOB in os.environ and settings.home.is_relative_to(Path.cwd()):
        raise ValueError(
            f"the home {settings.home} is in the job's own folder, which goes with the job: name a --home on storage "
            "that every node sees"
        )
    return App(settings, makes_home=makes_home)


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


def read_json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """(line number, value) of a JSON-lines file; empty lines are passed over. Raises `ValueError` naming the line."""
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                yield number, json.loads(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path} line {number}: {error}") from error


def print_json(value: Any) -> None:
    """One JSON object on a line of standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, default=str))


def run_shown(run: Callable[[Progress], Ran]) -> Ran:
    """A run with progress, and what it gives. Libraries that print (Ray does when a worker dies) get standard error."""
    from hypermnesia.engine.progress import Progress

    with contextlib.redirect_stdout(sys.stderr):
        return run(Progress())


def print_tree(value: Any, indent: int = 0) -> None:
    """Names and values, nested by indentation, for a person."""
    pad = " " * indent
    for name, item in value.items():
        if isinstance(item, dict):
            click.echo(f"{pad}{name}:")
            print_tree(item, indent + 2)
        elif isinstance(item, list) and any(isinstance(i, dict) for i in item):
            for number, one in enumerate(item, start=1):
                click.echo(f"{pad}{name} {number}:")
                print_tree(one, indent + 2)
        else:
            click.echo(f"{pad}{name}: {item}")
