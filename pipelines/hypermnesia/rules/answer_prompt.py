"""A question with its evidence as the messages of a call: rows numbered from 1, inside a fence of their own.

And an answer beside its reference, each inside its fence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypermnesia.rules.prompting import Prompt

MOST_FACTS = 12

_FENCE = re.compile(r"<(/?)(?:evidence|reference|answer)>", re.IGNORECASE)


def answer_messages(
    prompt: Prompt, question: str, facts: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> tuple[tuple[str, str], ...]:
    """The messages of a call; `facts` and `rows` are those of `ask`. Facts name the rows that they come from."""
    numbers = {row["row_id"]: number for number, row in enumerate(rows, start=1)}
    lines = [shown_row(number, row) for number, row in enumerate(rows, start=1)]
    lines += [line for fact in facts[:MOST_FACTS] if (line := _shown_fact(fact, numbers))]
    evidence = "\n".join(["<evidence>", *lines, "</evidence>"])
    return ("system", prompt.text), ("user", f"{evidence}\nQuestion: {_one_line(question)}")


def judge_messages(prompt: Prompt, question: str, reference: str, answer: str) -> tuple[tuple[str, str], ...]:
    """The messages of a call that compares an answer with its reference."""
    lines = [
        f"Question: {_one_line(question)}",
        f"<reference>{_one_line(reference)}</reference>",
        f"<answer>{_one_line(answer)}</answer>",
    ]
    return ("system", prompt.text), ("user", "\n".join(lines))


def shown_row(number: int, row: Mapping[str, Any]) -> str:
    """[1] 2021-06-08 Nadia: what was said (planned) (happened 2021-06-07)."""
    said = (row["said_at"] or "no date")[:10]
    marks = [row["modality"]] if row["modality"] not in (None, "done") else []
    start, end = row["event_time"]["start"], row["event_time"]["end"]
    if start:
        marks.append(f"happened {start[:10]}" + (f" to {end[:10]}" if end and end[:10] != start[:10] else ""))
    notes = "".join(f" ({mark})" for mark in marks)
    return f"[{number}] {said} {_one_line(row['speaker'])}: {_one_line(row['text'])}{notes}"


def _shown_fact(fact: Mapping[str, Any], numbers: Mapping[str, int]) -> str | None:
    """A fact of the graph, where one of its rows is shown."""
    cited = [f"[{numbers[row_id]}]" for row_id in fact["rows"] if row_id in numbers]
    if not cited:
        return None
    roles = ", ".join(f"{role} {' and '.join(names)}" for role, names in fact["roles"].items())
    marks = [fact["modality"]] if fact["modality"] != "done" else []
    marks += ["not so"] if fact["is_negated"] else []
    marks += ["superseded"] if fact["is_superseded"] else []
    notes = "".join(f" ({mark})" for mark in marks)
    return f"(fact of {' '.join(cited)}) {fact['predicate']}: {_one_line(roles)}{notes}"


def _one_line(text: str) -> str:
    """A text that can't close the fence nor begin a numbered row of its own."""
    return " ".join(_FENCE.sub(r"<\1row>", text).split())
