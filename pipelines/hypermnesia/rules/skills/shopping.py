"""The goal check of shop runs (WebShop's pages): does what was bought fit the request?

Price within the budget, each option group set, an option that the request names chosen, and the title covers
the request's words. Measured without the scores in `notes/skills.md`.
"""

from __future__ import annotations

import re
from typing import Literal

from hypermnesia.rules.skills.answers import has_failed
from hypermnesia.rules.skills.sessions import Span, Step, TaskSession

_BUY = "click[buy now]"
_CLICK = re.compile(r"click\[(.+)\]", re.IGNORECASE | re.DOTALL)
_PRICE = re.compile(r"Price: \$([\d,.]+)(?: to \$([\d,.]+))?")
_LIMIT = re.compile(r"price lower than ([\d,.]+) dollars", re.IGNORECASE)
_GROUP = re.compile(r"^(\w[\w ]*?) ((?:\[[^\]]*\])+)\s*$", re.MULTILINE)
_OPTION = re.compile(r"\[([^\]]*)\]")
_WORD = re.compile(r"[a-z0-9]+(?:[.'-][a-z0-9]+)*")
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "at",
        "be",
        "can",
        "color",
        "do",
        "for",
        "find",
        "get",
        "have",
        "i",
        "i'd",
        "i'm",
        "i've",
        "in",
        "is",
        "it",
        "its",
        "looking",
        "me",
        "my",
        "need",
        "of",
        "on",
        "one",
        "or",
        "please",
        "price",
        "pick",
        "lower",
        "than",
        "dollars",
        "size",
        "some",
        "that",
        "that's",
        "the",
        "them",
        "this",
        "to",
        "too",
        "want",
        "which",
        "with",
        "would",
        "you",
        "like",
        "am",
        "also",
        "should",
        "comes",
        "come",
        "buy",
        "interested",
    ]
)

#: The share of the request's words that title and options must say; from `GOOD` on an option left open decides nothing.
FITS = 0.5
GOOD = 0.7
MISFIT = 0.25

Checked = tuple[Literal["success", "failure"], Span]


def check_purchase(session: TaskSession) -> Checked | None:
    """(verdict, quote) of a run in a shop; None elsewhere, and where the product's page decides nothing.

    A run that ends without a purchase has not reached its goal. Success takes an option that the request names:
    a fitting title alone says little (46% of such runs were right).
    """
    steps = session.steps
    if not any(step.observation and _PRICE.search(step.answer) for step in steps):
        return None
    bought = next((n for n, step in enumerate(steps) if step.action.text.strip().lower() == _BUY), len(steps))
    page_at = next((n for n in range(bought - 1, -1, -1) if _PRICE.search(steps[n].answer)), None)
    if bought == len(steps) or has_failed(steps[bought].answer):
        last = steps[-1]
        return "failure", last.observation if last.observation and last.answer else last.action
    return None if page_at is None else _check(session.task, steps[page_at], steps[page_at + 1 : bought])


def _check(task: str, page: Step, clicks: tuple[Step, ...]) -> Checked | None:
    price = _PRICE.search(page.answer)
    if page.observation is None or price is None:
        return None
    asked = _words(_LIMIT.sub("", task))
    limit = _LIMIT.search(task)
    quote = _part(page.observation, *price.span())
    if limit and _number(price.group(1)) > _number(limit.group(1)):
        return "failure", quote
    chosen = [found.group(1).lower() for step in clicks if (found := _CLICK.fullmatch(step.action.text.strip()))]
    title = page.answer[: price.start()].rstrip().rsplit("\n", 1)[-1]
    share = len(asked & _words(" ".join((title, *chosen)))) / (len(asked) or 1)
    is_named = False
    for group in _GROUP.finditer(page.answer):
        options = [option.lower() for option in _OPTION.findall(group.group(2))]
        named = {option for option in options if _words(option) and _words(option) <= asked}
        taken = set(options).intersection(chosen)
        if named and not named & taken:
            return "failure", _part(page.observation, *group.span(1))
        if not taken:
            return ("failure", _part(page.observation, *group.span(1))) if share < GOOD else None
        is_named = is_named or bool(named)
    if share < MISFIT:
        return "failure", quote
    return ("success", quote) if is_named and share >= FITS else None


def _part(span: Span, start: int, end: int) -> Span:
    return Span(span.message_id, span.start + start, span.start + end, span.text[start:end])


def _words(text: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in _WORD.findall(text.lower()) if word not in _STOP)


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip(".") or 0)
