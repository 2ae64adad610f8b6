"""Outcomes: success, failure or unclear, each with its basis and a quote found in the session.

The first rule that fires decides. What the assistant says of itself is never a basis; a quote that the
session does not have makes the outcome unclear. A last action that worked counts only where an environment
ended the run, and a run as long as the longest ones where many end there is out of budget (`notes/skills.md`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from hypermnesia.rules.skills.abstraction import Abstraction
from hypermnesia.rules.skills.actions import parse_action
from hypermnesia.rules.skills.answers import has_failed
from hypermnesia.rules.skills.sessions import Span, TaskSession, resolve, whole
from hypermnesia.rules.skills.shopping import check_purchase

Verdict = Literal["success", "failure", "unclear"]
Basis = Literal["environment", "budget", "loop", "goal_check", "person", "model", "none"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a session's task, on what basis, and the words that say so."""

    verdict: Verdict
    basis: Basis
    quote: Span | None = None


UNCLEAR = Outcome("unclear", "none")

#: Answers of the environment that end a run, read in the last of them.
LAST_ANSWERS = 3
_SIGNALS: tuple[tuple[Verdict, re.Pattern[str]], ...] = tuple(
    (verdict, re.compile(pattern, re.IGNORECASE | re.MULTILINE))  # type: ignore[misc]
    for verdict, pattern in (
        ("failure", r"^\s*answer is incorrect\b|\breward\s*[=:]\s*0(?:\.0*)?(?!\.?\d)|^\s*outcome:\s*failure\b"),
        ("failure", r"^\s*exit (?:code|status)[:\s]+[1-9]\d*|\b[1-9]\d* failed\b|^\s*(?:FAILED|task failed)\b"),
        ("success", r"^\s*answer is correct\b|\breward\s*[=:]\s*1(?:\.0*)?(?!\.?\d)|^\s*outcome:\s*success\b"),
        ("success", r"^\s*exit (?:code|status)[:\s]+0\b|^=*\s*\d+ passed\b|^\s*task (?:completed|succeeded)\b"),
    )
)

#: A person's explicit word about the result; thanks say nothing (40.7% precise, `notes/skills.md`).
_PERSON: tuple[tuple[Verdict, re.Pattern[str]], ...] = (
    (
        "failure",
        re.compile(
            r"\b(?:that|this|it)(?:'s| is) (?:wrong|not what i (?:asked|wanted)|still (?:broken|failing))"
            r"|\b(?:it|that) (?:still )?(?:does ?n[o']t|did ?n[o']t) work\b",
            re.IGNORECASE,
        ),
    ),
    (
        "success",
        re.compile(
            r"\b(?:that|it) (?:worked|fixed it|solved it)\b|\b(?:it )?works (?:now|perfectly)\b"
            r"|\bthat(?:'s| is) (?:exactly )?what i (?:asked for|wanted|needed)\b",
            re.IGNORECASE,
        ),
    ),
)

_REPEATS = 3
#: A budget is an end that at least so many runs have, of so many steps, and so many times as long as usual.
_LEAST_ENDINGS = 3
_LEAST_STEPS = 10
_LONG = 1.5

#: Verbs that look and move: a run does not reach its goal by them.
LOOKING = frozenset(
    [
        "go",
        "walk",
        "move-to",
        "enter",
        "open",
        "close",
        "look",
        "examine",
        "inspect",
        "inventory",
        "check",
        "read",
        "think",
        "wait",
        "help",
        "search",
        "hands",
    ]
)


def budget_of(sessions: Sequence[TaskSession]) -> int | None:
    """The number of steps that runs were allowed: the largest length, where many end at it; None where unknown."""
    lengths = Counter(len(session.steps) for session in sessions)
    if not lengths:
        return None
    largest = max(lengths)
    shorter = [n for length, count in lengths.items() if length < largest for n in [length] * count]
    is_long = not shorter or largest >= _LONG * median(shorter)
    is_shared = lengths[largest] >= _LEAST_ENDINGS and largest >= _LEAST_STEPS and bool(shorter)
    return largest if is_shared and is_long else None


def judge(session: TaskSession, abstraction: Abstraction, budget: int | None) -> Outcome:
    """A session's outcome. `budget` is that of its environment (`budget_of`)."""
    rules = (
        _signal(session),
        _said(session),
        _bought(session),
        _ended(session, budget),
        _reached(session, abstraction),
    )
    outcome = next((found for found in rules if found), UNCLEAR)
    if outcome.quote is None or resolve(session, outcome.quote) is None:
        return UNCLEAR
    return outcome


def _signal(session: TaskSession) -> Outcome | None:
    """The environment's own word in the last answers, and behind them: a harness may say it after the last step."""
    if not session.steps:
        return None
    first = session.steps[-LAST_ANSWERS:][0].action.message_id
    ids = [message.message_id for message in session.messages]
    for message in reversed(session.messages[ids.index(first) :]):
        if message.kind != "tool_result":
            continue
        for verdict, pattern in _SIGNALS:
            if found := pattern.search(message.text):
                return Outcome(verdict, "environment", _part(whole(message), *found.span()))
    return None


def _said(session: TaskSession) -> Outcome | None:
    """What a person says explicitly, behind the last step."""
    if not session.steps:
        return None
    last = session.steps[-1].action.message_id
    ids = [message.message_id for message in session.messages]
    for message in reversed(session.messages[ids.index(last) + 1 :]):
        if message.role not in ("user", "person") or message.kind != "utterance":
            continue
        for verdict, pattern in _PERSON:
            if found := pattern.search(message.text):
                return Outcome(verdict, "person", _part(whole(message), *found.span()))
    return None


def _bought(session: TaskSession) -> Outcome | None:
    checked = check_purchase(session)
    return Outcome(checked[0], "goal_check", checked[1]) if checked else None


def _ended(session: TaskSession, budget: int | None) -> Outcome | None:
    """A run that ended in a loop, at its budget, or with an action that failed."""
    if not session.steps or _is_dialogue(session):
        return None
    last = session.steps[-1]
    quote = last.observation if last.answer else last.action
    tail = [(step.action.text, step.answer) for step in session.steps[-_REPEATS:]]
    if len(tail) == _REPEATS and len(set(tail)) == 1:
        return Outcome("failure", "loop", quote)
    if budget is not None and len(session.steps) >= budget:
        return Outcome("failure", "budget", quote)
    if has_failed(last.answer):
        return Outcome("failure", "environment", quote)
    return None


def _reached(session: TaskSession, abstraction: Abstraction) -> Outcome | None:
    """The environment stopped the run after an action on the task's things that worked."""
    if not session.steps or session.messages[-1].role != "tool" or _is_dialogue(session):
        return None  # the agent or a person stopped it
    last = session.steps[-1]
    action = parse_action(last.action.text)
    is_of_task = any(argument.kind in abstraction.slots for argument in action.arguments)
    if not last.answer or not is_of_task or action.verb in LOOKING:
        return None
    return Outcome("success", "environment", last.observation)


def _is_dialogue(session: TaskSession) -> bool:
    """Whether a person speaks while the agent works: then no environment alone ends the run."""
    first = session.steps[0].action.message_id
    ids = [message.message_id for message in session.messages]
    behind = session.messages[ids.index(first) :]
    return any(message.role in ("user", "person") and message.kind == "utterance" for message in behind)


def _part(span: Span, start: int, end: int) -> Span:
    text = span.text[start:end]
    start += len(text) - len(text.lstrip())
    end -= len(text) - len(text.rstrip())
    return Span(span.message_id, span.start + start, span.start + end, span.text[start:end])
