"""Commands that measure on labelled data: evaluate locomo, extraction, merges, injection, and others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hypermnesia.cli.evaluation_table import print_evaluation
from hypermnesia.cli.frame import Command, command, main, print_json, print_tree, read_json_lines

if TYPE_CHECKING:
    from pydantic import BaseModel

    from hypermnesia.app import App
    from hypermnesia.contracts.labelled import LabelledDialogue

Line = TypeVar("Line", bound="BaseModel")
labelled_file = click.argument("file", type=click.Path(path_type=Path))


class ByFile(click.Group):
    """`evaluate FILE` reads a file as what it holds; a name of a command comes first."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of that name, else the one that recognises files."""
        is_file = args[0] not in self.commands and Path(args[0]).is_file()
        return super().resolve_command(ctx, ["questions", *args] if is_file else args)


@main.group("evaluate", cls=ByFile)
def evaluate() -> None:
    """Measure what this product does on labelled data. `evaluate FILE` recognises LoCoMo, LongMemEval, own lines."""


def retrieval_options(function: Command) -> Command:
    """What the evaluations of retrieval have in common."""
    options = [
        click.option("--answers", is_flag=True, help="Also answers by the generator, judged against the labels'."),
        click.option("--votes", type=click.IntRange(min=1), default=3, show_default=True, help="Of answer and judge."),
        click.option(
            "--limit", type=click.IntRange(min=1), metavar="N", help="Answers to about N questions, of each category."
        ),
        click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.svg", help="Also a picture."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@command("locomo", group=evaluate)
@labelled_file
@retrieval_options
def locomo(app: App, file: Path, **options: Any) -> None:
    """How well a LoCoMo file's evidence is found in this memory: every profile, beside plain BM25 and dense."""
    measure(app, "locomo", file, **options)


@command("longmemeval", group=evaluate)
@labelled_file
@retrieval_options
def longmemeval(app: App, file: Path, **options: Any) -> None:
    """The same on a LongMemEval file."""
    measure(app, "longmemeval", file, **options)


@command("questions", group=evaluate)
@labelled_file
@retrieval_options
def questions(app: App, file: Path, **options: Any) -> None:
    """The same on your own lines {"user", "question", "evidence": [ids], "category"}; no evidence: no answer."""
    from hypermnesia.home_evaluation import dataset_of

    measure(app, dataset_of(app, file), file, **options)


def measure(
    app: App,
    dataset: str,
    file: Path,
    *,
    answers: bool,
    votes: int,
    limit: int | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Evaluates, then prints a table or an object, and writes the picture.

    Raises `RuntimeError` behind that where the generator could not be used any more.
    """
    from hypermnesia.home_evaluation import evaluate_home
    from hypermnesia.retrieval.plot import plot as drawn

    if limit is not None and not answers:
        raise click.UsageError("--limit is for --answers: evidence is measured on all questions")
    found = evaluate_home(app, dataset, file, votes if answers else None, limit)
    if plot is not None:
        plot.write_text(drawn(found), encoding="utf-8")
    print_evaluation(found, as_json)
    if "stopped" in found.get("answers", {}):
        raise RuntimeError(f"answers were not measured: {found['answers']['stopped']}")


@command("merges", group=evaluate)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--generated", type=click.IntRange(min=1), metavar="N", help="N users with known identities, end to end.")
@click.option("--seed", type=int, default=0, help="The first generated user.")
@click.option("--febrl", type=click.Path(path_type=Path), metavar="FILE", help="A FEBRL data set (CSV).")
@click.option("--judge", type=click.Choice(["string", "model"]), default="string", help="Who judges the pairs of FILE.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="About N pairs, evenly out of FILE.")
def merges(
    app: App,
    file: Path | None,
    generated: int | None,
    seed: int,
    febrl: Path | None,
    judge: str,
    sample: int | None,
    as_json: bool,
) -> None:
    """Merging on labelled pairs of names, by kind: lines {"a", "b", "type", "label", "kind"}.

    Or, with --generated, whole users through writing and nights; or, with --febrl, with and without birth dates.
    """
    from hypermnesia.contracts.labelled import LabelledPair
    from hypermnesia.home_evaluation import model_judge
    from hypermnesia.inspection.febrl import evaluate_febrl
    from hypermnesia.inspection.merge_evaluation import evaluate_users
    from hypermnesia.rules.name_quality import evaluate_pairs, rates, total_of

    if [file, generated, febrl].count(None) != 2:
        raise click.UsageError("name a FILE of pairs, or --generated N, or --febrl FILE")
    if file is None and (judge != "string" or sample is not None):
        raise click.UsageError("--judge and --sample are for a FILE of pairs")
    if generated is not None:
        found = evaluate_users(generated, seed, app.embedder)
        print_json(found) if as_json else _print_users(found)
    elif febrl is not None:
        found = evaluate_febrl(febrl)
        print_json(found) if as_json else _print_kinds(found["kinds"])
    elif file is not None:
        rows = list(read_labelled(file, LabelledPair))  # all of them, before a model is asked
        rows = rows[:: max(1, len(rows) // sample)] if sample else rows
        counts = evaluate_pairs(rows, model_judge(app, rows)) if judge == "model" else evaluate_pairs(rows)
        kinds = {kind: dict(row) | rates(row) for kind, row in counts.items()}
        total = total_of(counts)
        print_json(kinds) if as_json else _print_kinds(kinds | {"all": dict(total) | rates(total)})


def _print_kinds(kinds: dict[str, Any]) -> None:
    for kind, row in kinds.items():
        click.echo(
            f"{kind:<34} n {row['n']:>5}  same {row['same_right']:>5} right {row['same_wrong']:>3} wrong  "
            f"different {row['different_right']:>5} right {row['different_wrong']:>3} wrong  unsure {row['unsure']:>5} "
            f"precision {_share(row['precision'])} [{_share(row['precision_low'])}]  recall {_share(row['recall'])}"
        )


def _print_users(found: dict[str, Any]) -> None:
    _print_kinds(found["kinds"] | {"all": found["total"]})
    merges = found["merges"]
    click.echo(
        f"{found['n_users']} users from seed {found['seed']}: {merges['n']} anchors joined another one, "
        f"{merges['n_wrong']} wrongly: error at most {merges['error_upper']:.5f} (95%); "
        f"of {merges['n_true_pairs']} true pairs {_share(merges['recall'])} are one"
    )
    for gate, row in found["lost"].items():
        click.echo(f"lost at {gate:<40} {row['n']:>6}  {row['share']:.3f}")


@command("extraction", group=evaluate)
@labelled_file
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="The first N dialogues of each split.")
def extraction(app: App, file: Path, limit: int | None, as_json: bool) -> None:
    """How well the configured extractor reads labelled dialogues (`contracts/labelled.py`), by kind."""
    from hypermnesia.contracts.labelled import LabelledDialogue
    from hypermnesia.home_evaluation import measured_extractor
    from hypermnesia.inspection.extraction_evaluation import evaluate_extraction

    extractor = measured_extractor(app)
    found = evaluate_extraction(list(_first_of_each(read_labelled(file, LabelledDialogue), limit)), extractor)
    tables = {split: score.table() for split, score in found.items()}
    if as_json:
        unread = {split: score.n_unread for split, score in found.items()}
        print_json({"extractor": extractor.version, "splits": tables, "n_unread": unread})
        return
    for split, table in tables.items():
        n_unread = found[split].n_unread
        click.echo(split + (f"  (without {n_unread} dialogues that nobody answered for)" if n_unread else ""))
        for kind, row in table.items():
            precision = f"{row['precision']:.3f}" if "precision" in row else "  -  "
            click.echo(f"  {kind:<10} precision {precision}  recall {row['recall']:.3f}")


def _first_of_each(dialogues: Iterable[LabelledDialogue], limit: int | None) -> Iterator[LabelledDialogue]:
    """The first `limit` dialogues of each split."""
    seen: Counter[str] = Counter()
    for dialogue in dialogues:
        seen[dialogue.split] += 1
        if limit is None or seen[dialogue.split] <= limit:
            yield dialogue


@command("injection", group=evaluate)
@labelled_file
def injection(app: App, file: Path, as_json: bool) -> None:  # noqa: ARG001
    """The toxic memory filter on labelled texts: lines {"text", "trust", "label": "attack" or "harmless"}."""
    from hypermnesia.contracts.labelled import LabelledText
    from hypermnesia.rules.injection import evaluate_injection

    found = evaluate_injection(read_labelled(file, LabelledText))
    print_json(found) if as_json else print_tree(found)


@command("skills", group=evaluate)
@click.option("--seeds", default="0,1,2", help="Which draws of the toy household, by number.")
def skills(app: App, seeds: str, as_json: bool) -> None:
    """What skills are worth in a toy household: unseen tasks without and with them, and after a verb changed."""
    from hypermnesia.inspection.skill_evaluation import evaluate_skills

    try:
        numbers = [int(seed) for seed in seeds.split(",")]
    except ValueError as error:
        raise click.UsageError(f"--seeds {seeds}: numbers with commas between, such as 0,1,2") from error
    found = evaluate_skills(app.identity.make, numbers)
    if as_json:
        print_json(found)
        return
    for variant, share in found["success"].items():
        click.echo(f"{variant:<16} {share['mean']:.3f} +- {share['deviation']:.3f} of unseen tasks done")
    for kind, gain in found["interference"].items():
        click.echo(f"{kind:<16} {gain:+.3f} with skills")
    click.echo("outcome, labels hidden: " + ", ".join(f"{name} {n:.3f}" for name, n in found["outcome"].items()))
    click.echo("citations: " + ", ".join(f"{name} {n}" for name, n in found["citations"].items()))


@command("calibrate")
@labelled_file
def calibrate(app: App, file: Path, as_json: bool) -> None:
    """What a cosine of two names says under this home's embedding model: lines {"a", "b", "label"}."""
    from hypermnesia.contracts.labelled import LabelledNames

    found = app.names.calibrate(read_labelled(file, LabelledNames))
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['model']}: {found['n']} pairs, {found['n_same']} same, {found['n_unreadable']} it can't read")
    for row in found["thresholds"]:
        click.echo(
            f"cosine >= {row['cosine']:.2f}: precision {_share(row['precision'])}  recall {_share(row['recall'])}  "
            f"{row['n']} pairs"
        )


def read_labelled(path: Path, kind: type[Line]) -> Iterator[Line]:
    """The lines of a JSON-lines file. Raises `ValueError` naming file and line, and what a line has."""
    from hypermnesia.contracts.labelled import labelled

    for number, value in read_json_lines(path):
        try:
            yield labelled(kind, value)
        except ValueError as error:
            raise ValueError(f"{path} line {number}: {error}") from error


def _share(value: float | None) -> str:
    return "  -  " if value is None else f"{value:.3f}"
