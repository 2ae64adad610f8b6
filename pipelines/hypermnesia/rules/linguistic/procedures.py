"""Procedures: steps that somebody says how to do, in a numbered list or with "first ... then ... finally"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypermnesia.rules.linguistic.lexicon import IMPERATIVES

LEAST_STEPS = 2

_NUMBERED = re.compile(r"(?:(?<=^)|(?<=\n)|(?<=[.!:;] ))[ \t]*(?:step )?(\d{1,2})[.):][ \t]+", re.IGNORECASE)
_SEQUENCE = re.compile(
    r"(?:(?<=^)|(?<=\n)|(?<=[.!;,] ))(first(?:ly)?|to start|second(?:ly)?|third(?:ly)?|then|next|after that|afterwards|"
    r"(?:and )?finally|lastly)\b,?\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:'\w+)?")
_LEAD = re.compile(r"[^\n.!?:]*\b(?:how to|to \w+|steps?|recipe|instructions?)\b[^\n.!?:]*:\s*$", re.IGNORECASE)
_ADVERBS = frozenset({"you", "just", "carefully", "slowly", "gently", "simply", "always", "please", "also", "now",
                      "should", "need", "to", "can", "have", "i", "we"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Procedure:
    """The words of a procedure in a text, and its steps."""

    text: str
    steps: tuple[str, ...]
    start: int
    end: int


def procedure_in(text: str) -> Procedure | None:
    """The procedure that a text tells: at least two steps, most of them orders; None without."""
    return _listed(text) or _told(text)


def _listed(text: str) -> Procedure | None:
    marks = list(_NUMBERED.finditer(text))
    run = [m for i, m in enumerate(marks) if int(m[1]) == i + 1]
    if len(run) < LEAST_STEPS or len(run) != len(marks):
        return None
    ends = [m.start() for m in run[1:]] + [_end_of_item(text, run[-1].end())]
    return _procedure(text, [(m.start(), m.end(), end) for m, end in zip(run, ends, strict=True)])


def _told(text: str) -> Procedure | None:
    marks = list(_SEQUENCE.finditer(text))
    if len(marks) < LEAST_STEPS or not marks[0][1].lower().startswith(("first", "to start")):
        return None
    ends = [m.start() for m in marks[1:]] + [_end_of_item(text, marks[-1].end())]
    return _procedure(text, [(m.start(), m.end(), end) for m, end in zip(marks, ends, strict=True)])


def _end_of_item(text: str, start: int) -> int:
    stop = re.compile(r"\n\s*\n|[.!?](?=\s+[A-Z])").search(text, start)
    return stop.end() if stop else len(text.rstrip())


def _procedure(text: str, parts: list[tuple[int, int, int]]) -> Procedure | None:
    steps = tuple(text[at:end].strip(" \n\t,;*") for _, at, end in parts)
    n_orders = sum(_is_order(step) for step in steps)
    if n_orders < LEAST_STEPS or n_orders * 2 < len(steps):
        return None
    lead = _LEAD.search(text, 0, parts[0][0])
    start = lead.start() + len(lead[0]) - len(lead[0].lstrip()) if lead else parts[0][0]
    start += len(text[start:]) - len(text[start:].lstrip())
    end = len(text[: parts[-1][2]].rstrip())
    return Procedure(text[start:end], steps, start, end)


def _is_order(step: str) -> bool:
    """Whether its first word of content is an order."""
    words = (w.lower() for w in _WORD.findall(step.replace("*", " ")))
    return next((w for w in words if w not in _ADVERBS), "") in IMPERATIVES
