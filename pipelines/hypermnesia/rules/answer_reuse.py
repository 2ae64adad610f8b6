"""Answers about records, used again when a change of grounding leaves fewer of them.

The frame extractor and the repair are asked about records, so their calls change with the records. Where the new
ones are among those that an older call asked about, its answer holds for them, with other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypermnesia.rules.answer_status import read_answer
from hypermnesia.rules.prompting import compact


def renumbered(text: str, old: Sequence[str], new: Sequence[str]) -> str | None:
    """An answer about the records `old` as one about `new` (their texts, in the prompt's order).

    What it says of others is left out. None where a new record was not asked about, or the text is no answer.
    """
    left = list(old)
    numbers: dict[int, int] = {}
    for number, record in enumerate(new, 1):
        if record not in left:
            return None
        at = left.index(record)
        left[at] = ""
        numbers[at + 1] = number
    try:
        answer = read_answer(text)
    except ValueError:
        return None
    if not isinstance(answer, dict):
        return None
    return compact({name: _kept(items, numbers) for name, items in answer.items()})


def _kept(items: object, numbers: dict[int, int]) -> object:
    if not isinstance(items, list) or not any(isinstance(item, dict) and "record" in item for item in items):
        return items
    return [item | {"record": numbers[item["record"]]} for item in items if item.get("record") in numbers]
