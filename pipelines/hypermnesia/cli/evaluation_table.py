"""An evaluation of retrieval for a person, or for a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from hypermnesia.cli.frame import print_json

#: A measure and its column.
COLUMNS = {
    "recall": "recall",
    "n_rows": "rows",
    "n_messages": "messages",
    "recall@default": "as default",
    "recall@10": "@10",
    "recall@20": "@20",
    "recall@300t": "300 tok",
    "recall@600t": "600 tok",
    "recall@1200t": "1200 tok",
    "precision": "precision",
    "covered": "covered",
    "reciprocal_rank": "MRR",
}
ANSWER_COLUMNS = {
    "right": "right",
    "right_at_first": "at first",
    "answered": "answered",
    "failed": "failed",
    "agreed": "agreed",
    "retrievals": "retrievals",
}


def print_evaluation(found: Mapping[str, Any], as_json: bool) -> None:
    """An evaluation as one object, or as tables."""
    if as_json:
        print_json(found)
        return
    unknown = found["n_unknown_evidence_ids"] + found["n_evidence_not_in_memory"]
    click.echo(
        f"{found['n_questions']} questions; left out without evidence: {found['n_without_evidence']}; "
        f"labels of no message here: {unknown}; users without rows: {len(found['users_without_rows'])}; "
        f"names merged: {found['n_merged_anchors']}"
    )
    _print_table(found["systems"], COLUMNS)
    for one in found["gains"]:
        _print_gain(one, "recall", one["recall"], one["covered"], "fully covered")
    for system, signs in found["unanswerable"]["separation"].items():
        told = ", ".join(f"{sign.replace('_', ' ')} {share:.3f}" for sign, share in signs.items())
        click.echo(f"{found['unanswerable']['n']} without an answer, told apart by {system}: {told}")
    if "answers" in found:
        _print_answers(found["answers"])


def _print_answers(found: Mapping[str, Any]) -> None:
    n_left_out = f"; a sample, left out: {found['n_left_out']}" if found["n_left_out"] else ""
    click.echo(
        f"{found['n_questions']} answers by {found['model']}, {found['n_votes']} votes each; "
        f"left out without a reference: {found['n_without_reference']}{n_left_out}"
    )
    if "stopped" in found:
        return
    _print_table(found["systems"], ANSWER_COLUMNS)
    _print_gain(found["gain"], "right", found["gain"]["right"], found["gain"]["both_ways"], "right")
    for system, counts in found["counts"].items():
        told = "; ".join(f"{name.replace('_', ' ')}: {_counted(counts[name])}" for name in counts if counts[name])
        click.echo(f"{system}: {told}")
    for system, row in found["unanswerable"].items():
        if row:
            click.echo(
                f"without an answer, left unanswered by {system}: {row['right']:.3f}; failed {row['failed']:.3f}"
            )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in sorted(counts.items()))


def _print_table(systems: Mapping[str, Mapping[str, Mapping[str, float]]], columns: Mapping[str, str]) -> None:
    click.echo(f"{'':<20}" + "".join(f"{name:>11}" for name in columns.values()))
    for system, groups in systems.items():
        for category, row in groups.items():
            name = system if category == "all" else f"  {category}"
            click.echo(f"{name:<20}" + "".join(f"{row[measure]:>11.3f}" for measure in columns))


def _print_gain(
    pair: Mapping[str, Any], name: str, gain: Mapping[str, Any], one_only: Mapping[str, float], outcome: str
) -> None:
    (low, high), (lower, higher) = gain["by_question"], gain["by_conversation"]
    click.echo(
        f"{pair['first']} over {pair['second']}: {name} {gain['gain']:+.3f} [{low:+.3f}, {high:+.3f}] by question, "
        f"[{lower:+.3f}, {higher:+.3f}] by conversation, up in {gain['conversations_up']} of "
        f"{gain['n_conversations']}; {outcome} {one_only['only_first']} against {one_only['only_second']}, "
        f"p {one_only['p']:.3g}"
    )
