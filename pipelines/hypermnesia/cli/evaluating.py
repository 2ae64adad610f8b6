"""Commands that measure on labelled data: evaluate locomo, extraction, merges, injection, and others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.frame import command, main, print_json, print_tree, read_json_lines

if TYPE_CHECKING:
    from hypermnesia.app import App

labelled_file = click.argument("file", type=click.Path(path_type=Path))


@main.group("evaluate")
def evaluate() -> None:
    """Measure what this product does on labelled data."""


@command("locomo", group=evaluate)
@labelled_file
def locomo(app: App, file: Path, as_json: bool) -> None:
    """How well a LoCoMo file's evidence is found in this memory: every profile, beside plain BM25 and dense."""
    print_evaluation(app.evaluate("locomo", file), as_json)


@command("longmemeval", group=evaluate)
@labelled_file
def longmemeval(app: App, file: Path, as_json: bool) -> None:
    """The same on a LongMemEval file."""
    print_evaluation(app.evaluate("longmemeval", file), as_json)


@command("questions", group=evaluate)
@labelled_file
def questions(app: App, file: Path, as_json: bool) -> None:
    """The same on your own lines {"user", "question", "evidence": [ids], "category"}; no evidence: no answer."""
    print_evaluation(app.evaluate("questions", file), as_json)


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
    from hypermnesia.inspection.febrl import evaluate_febrl
    from hypermnesia.inspection.merge_evaluation import evaluate_users
    from hypermnesia.rules.name_quality import evaluate_pairs, rates, total_of

    if [file, generated, febrl].count(None) != 2:
        raise click.UsageError("name a FILE of pairs, or --generated N, or --febrl FILE")
    if generated is not None:
        found = evaluate_users(generated, seed, app.embedder)
        print_json(found) if as_json else _print_users(found)
    elif febrl is not None:
        found = evaluate_febrl(febrl)
        print_json(found) if as_json else _print_kinds(found["kinds"])
    elif file is not None:
        rows = list(read_labelled(file))
        rows = rows[:: max(1, len(rows) // sample)] if sample else rows
        counts = evaluate_pairs(rows, app.model_path.judge_of_pairs(rows)) if judge == "model" else evaluate_pairs(rows)
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
    from hypermnesia.inspection.extraction_evaluation import evaluate_extraction

    lines = [(number, row) for number, row in read_json_lines(file) if isinstance(row, dict)]
    found = evaluate_extraction(_first_of_each(lines, limit), app.asked_extractor)
    tables = {split: score.table() for split, score in found.items()}
    if as_json:
        print_json({"extractor": app.asked_extractor.version, "splits": tables})
        return
    for split, table in tables.items():
        click.echo(split)
        for kind, row in table.items():
            precision = f"{row['precision']:.3f}" if "precision" in row else "  -  "
            click.echo(f"  {kind:<10} precision {precision}  recall {row['recall']:.3f}")


def _first_of_each(lines: list[tuple[int, dict[str, Any]]], limit: int | None) -> list[tuple[int, dict[str, Any]]]:
    seen: dict[str, int] = {}
    kept = []
    for number, row in lines:
        split = str(row.get("split"))
        seen[split] = seen.get(split, 0) + 1
        if limit is None or seen[split] <= limit:
            kept.append((number, row))
    return kept


@command("injection", group=evaluate)
@labelled_file
def injection(app: App, file: Path, as_json: bool) -> None:  # noqa: ARG001
    """The toxic memory filter on labelled texts: lines {"text", "trust", "label": "attack" or "harmless"}."""
    from hypermnesia.rules.injection import evaluate_injection

    found = evaluate_injection(read_labelled(file))
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
    found = app.calibrate(read_labelled(file))
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['model']}: {found['n']} pairs, {found['n_same']} same, {found['n_unreadable']} it can't read")
    for row in found["thresholds"]:
        click.echo(
            f"cosine >= {row['cosine']:.2f}: precision {_share(row['precision'])}  recall {_share(row['recall'])}  "
            f"{row['n']} pairs"
        )


def read_labelled(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file. Raises `ValueError` naming file and line."""
    for number, line in read_json_lines(path):
        if not isinstance(line, dict):
            raise ValueError(f"{path} line {number}: needs a JSON object")
        yield line


def _share(value: float | None) -> str:
    return "  -  " if value is None else f"{value:.3f}"


COLUMNS = ("recall", "n_messages", "precision", "covered", "reciprocal_rank", "recall@10", "recall@20")


def print_evaluation(found: dict[str, Any], as_json: bool) -> None:
    """An evaluation as one object, or as a table for a person."""
    if as_json:
        print_json(found)
        return
    unknown = found["n_unknown_evidence_ids"] + found["n_evidence_not_in_memory"]
    click.echo(
        f"{found['n_questions']} questions; left out without evidence: {found['n_without_evidence']}; "
        f"labels of no message here: {unknown}; users without rows: {len(found['users_without_rows'])}"
    )
    tokens = [f"recall@{n}t" for n in (300, 600, 1_200)]
    click.echo(f"{'':<22}" + "".join(f"{name:>16}" for name in (*COLUMNS, *tokens)))
    for system, groups in found["systems"].items():
        for category, row in groups.items():
            name = system if category == "all" else f"  {category}"
            click.echo(f"{name:<22}" + "".join(f"{row[column]:>16.3f}" for column in (*COLUMNS, *tokens)))
    for gain in found["gains"]:
        recall, covered = gain["recall"], gain["covered"]
        click.echo(
            f"{gain['first']} over {gain['second']}: recall {recall['gain']:+.3f} "
            f"[{recall['by_question'][0]:+.3f}, {recall['by_question'][1]:+.3f}] by question, "
            f"[{recall['by_conversation'][0]:+.3f}, {recall['by_conversation'][1]:+.3f}] by conversation, "
            f"up in {recall['conversations_up']} of {recall['n_conversations']}; "
            f"fully covered {covered['only_first']} against {covered['only_second']}, p {covered['p']:.3g}"
        )
    for system, share in found["unanswerable"]["separation"].items():
        click.echo(f"{found['unanswerable']['n']} without an answer, told apart by {system}'s best score: {share:.3f}")
