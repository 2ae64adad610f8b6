"""What a model proposes of a session, held to the session's own log (DESIGN 6).

The environment's signal, the budget and the other rules stand before the model, which decides what they leave
unclear. A quote counts where the message that it names has its words, near the end and not by the assistant; a step
where its line is an action that worked and has that pattern; a lesson where the log shows it. The rest is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hypermnesia.contracts.skill_answers import Lesson, SessionAnswer
from hypermnesia.rules.model_calls import Failure
from hypermnesia.rules.skills.abstraction import (
    ANY,
    Abstraction,
    Deed,
    Lexicon,
    Pattern,
    name_things,
    pattern_of,
    patterns_of,
)
from hypermnesia.rules.skills.conditions import Reactions, is_reaction
from hypermnesia.rules.skills.outcomes import LAST_ANSWERS, UNCLEAR, Outcome
from hypermnesia.rules.skills.remedies import works_instead
from hypermnesia.rules.skills.sessions import Message, Span, TaskSession

#: Of a session the model's answer, or why there is none.
SessionAnswers = Mapping[str, SessionAnswer | Failure]

NO_QUOTE, NOT_FOUND, CLAIM, TOO_EARLY = "no_quote", "quote_not_found", "own_claim", "quote_too_early"
NO_ACTION, OTHER_STEP, NOT_SHOWN, NO_CONTRAST = "no_such_action", "other_step", "not_in_the_log", "no_contrast"


#: (kind, actions, word) of a lesson that a log shows.
ShownLesson = tuple[Literal["avoid", "remedy", "condition"], tuple[Deed, ...], str]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that was proposed of a session or a skill and that the logs do not bear out."""

    subject_id: str
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Heard:
    """What is accepted of an answer about one session."""

    outcome: Outcome
    kept: Sequence[Deed] = ()
    lessons: Sequence[ShownLesson] = ()
    features: Sequence[tuple[str, Span]] = ()
    refusals: Sequence[Refusal] = field(default_factory=list)
    n_proposed: int = 0


def hear(
    session: TaskSession,
    deeds: Sequence[Deed],
    abstraction: Abstraction,
    lexicon: Lexicon,
    by_rules: Outcome,
    answer: SessionAnswer | Failure,
) -> Heard:
    """What the log bears out of an answer. A failed call says nothing: then only the rules' outcome stands."""
    if isinstance(answer, Failure):
        return Heard(by_rules, refusals=[Refusal(session.session_id, answer.status, answer.detail)], n_proposed=1)
    lines = {message.message_id: n for n, message in enumerate(session.messages, start=1)}
    by_line = {lines[session.steps[deed.index].action.message_id]: deed for deed in deeds}
    outcome, refusals = _hear_outcome(session, by_rules, answer)
    kept: list[Deed] = []
    if outcome.verdict == "success":
        kept = _hear_steps(session, by_line, abstraction, lexicon, answer, refusals)
    lessons: list[ShownLesson] = []
    for lesson in answer.lessons:
        shown = [by_line[step.line] for step in lesson.steps if step.line in by_line]
        reason = _why_not(lesson, shown, deeds, abstraction)
        if lesson.kind == "condition" and not kept:
            reason = NOT_SHOWN  # what is done where a word says so is learned from successes
        if reason:
            refusals.append(Refusal(session.session_id, reason, _said(lesson)))
        else:
            lessons.append((lesson.kind, tuple(shown), " ".join(lesson.word.lower().split())))
    features = list(_hear_features(session, answer, refusals))
    n_proposed = (answer.outcome != "unclear") + len(answer.steps) + len(answer.lessons) + len(answer.features)
    return Heard(outcome, kept, lessons, features, refusals, n_proposed)


def find_quote(session: TaskSession, line: int, quote: str) -> tuple[Message, Span] | None:
    """The message of a line, and where it has the quote's words, however they are spaced; None where it does not."""
    if not quote.strip() or not 1 <= line <= len(session.messages):
        return None
    message = session.messages[line - 1]
    found = re.search(r"\s+".join(map(re.escape, quote.split())), message.text)
    return (message, Span(message.message_id, *found.span(), found.group())) if found else None


def contrasted(lessons: Sequence[ShownLesson], reactions: Reactions) -> Iterator[tuple[tuple[Deed, Deed], str, bool]]:
    """(actions, word, whether runs with that word take the step and others do not) of each proposed condition."""
    for kind, shown, word in lessons:
        if kind == "condition":
            access, step = shown
            yield (access, step), word, reactions.says_when(access.action.skeleton, step.action.skeleton, word)


def _hear_outcome(session: TaskSession, by_rules: Outcome, answer: SessionAnswer) -> tuple[Outcome, list[Refusal]]:
    if answer.outcome == "unclear":
        return by_rules, []
    found = find_quote(session, answer.line, answer.quote)
    last = session.steps[-LAST_ANSWERS:][0].action.message_id
    ids = [message.message_id for message in session.messages]
    reason = ""
    if not answer.quote.strip():
        reason = NO_QUOTE
    elif found is None:
        reason = NOT_FOUND
    elif found[0].role not in ("tool", "user", "person"):
        reason = CLAIM
    elif by_rules is UNCLEAR and answer.line - 1 < ids.index(last):
        reason = TOO_EARLY
    if reason or found is None:
        return by_rules, [Refusal(session.session_id, reason, f"{answer.outcome}: {answer.quote}")]
    return (by_rules if by_rules is not UNCLEAR else Outcome(answer.outcome, "model", found[1])), []


def _hear_features(session: TaskSession, answer: SessionAnswer, refusals: list[Refusal]) -> Iterator[tuple[str, Span]]:
    """The features whose quotes stand where the answer says; each name once."""
    names = set()
    for feature in answer.features:
        name = " ".join(feature.name.lower().split())
        found = find_quote(session, feature.line, feature.quote)
        if found is None:
            refusals.append(Refusal(session.session_id, NOT_FOUND, f"{feature.name}: {feature.quote}"))
        elif name and name not in names:
            names.add(name)
            yield name, found[1]


def _hear_steps(
    session: TaskSession,
    by_line: Mapping[int, Deed],
    abstraction: Abstraction,
    lexicon: Lexicon,
    answer: SessionAnswer,
    refusals: list[Refusal],
) -> list[Deed]:
    """The steps of a success whose lines are actions that worked, in order, and have the patterns that are said."""
    shown: list[tuple[Deed, str]] = []
    for step in answer.steps:
        deed = by_line.get(step.line)
        if deed is None or not deed.has_worked or (shown and deed.index <= shown[-1][0].index):
            refusals.append(Refusal(session.session_id, NO_ACTION, f"line {step.line}: {step.pattern}"))
        else:
            shown.append((deed, step.pattern))
    deeds = [deed for deed, _ in shown]
    patterns = patterns_of(deeds, name_things(abstraction, deeds), lexicon)
    kept = []
    for (deed, said), pattern in zip(shown, patterns, strict=True):
        if is_said(said, pattern):
            kept.append(deed)
        else:
            refusals.append(Refusal(session.session_id, OTHER_STEP, f"{said} is no {' '.join(pattern)}"))
    return kept


def is_said(said: str, pattern: Pattern) -> bool:
    """Whether a pattern as a model writes it is that of an action; "[*]" and a type are the same place."""
    words = said.split()
    return len(words) == len(pattern) and all(
        one == other or (one[:1] == other[:1] == "[" and ANY in (one, other))
        for one, other in zip(words, pattern, strict=True)
    )


def _why_not(lesson: Lesson, shown: Sequence[Deed], deeds: Sequence[Deed], abstraction: Abstraction) -> str:
    """Why the log does not show a lesson, or ""."""
    if len(shown) < len(lesson.steps):
        return NO_ACTION
    patterns = [pattern_of(deed.action, abstraction) for deed in shown]
    if lesson.kind != "condition" and not all(map(is_said, (s.pattern for s in lesson.steps), patterns)):
        return OTHER_STEP
    match lesson.kind, shown:
        case "avoid", [failed]:
            worked = {pattern_of(deed.action, abstraction) for deed in deeds if deed.has_worked}
            is_shown = not failed.has_worked and bool(failed.action.arguments) and patterns[0] not in worked
        case "remedy", [failed, other]:
            is_shown = works_instead(failed, other)
        case "condition", [access, step]:
            is_shown = is_reaction(access, step) and bool(lesson.word.strip())
        case _:
            is_shown = False
    return "" if is_shown else NOT_SHOWN


def _said(lesson: Lesson) -> str:
    steps = ", ".join(f"line {step.line}: {step.pattern}" for step in lesson.steps)
    return f"{lesson.kind} {steps} {lesson.word}".rstrip()
