"""Experiences: what one session shows, each step of it with the words that it was read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hypermnesia.rules.skills.abstraction import Pattern
from hypermnesia.rules.skills.outcomes import Verdict
from hypermnesia.rules.skills.sessions import Make, Span

Kind = Literal["repeat", "avoid", "remedy", "condition", "feature"]


@dataclass(frozen=True, slots=True)
class CitedStep:
    """A pattern, the action that it was read from, copied exactly, and what its run said around it.

    `before`: the words of the answer before the action. `until`: the slot whose thing that search ended with
    where the same kind of action was done more than once, else "". `places`: the types that "[*]" stood for.
    """

    pattern: Pattern
    action: Span
    before: frozenset[str] = frozenset()
    until: str = ""
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What is the same for every experience of one session.

    `task_key` names the task (its words and its surroundings): tasks are counted, not sessions.
    """

    session_id: str
    template: str
    task_key: str
    outcome: Verdict
    at: str = ""


@dataclass(frozen=True, slots=True)
class Experience:
    """One thing to repeat, to avoid, to do instead, to do where a word says so, or that may have decided a run.

    `steps`: of repeat the slice; of avoid the failing step; of remedy the failing step and the one that worked;
    of condition the step before and the step, taken where the answer has `word`; of a feature none, `word` is its
    name. `quote` is the answer that shows it, None where the environment said nothing.
    """

    experience_id: str
    found: Found
    kind: Kind
    steps: tuple[CitedStep, ...]
    quote: Span | None = None
    word: str = ""

    @property
    def session_id(self) -> str:
        """The session that it comes from."""
        return self.found.session_id

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The steps' patterns."""
        return tuple(step.pattern for step in self.steps)


def make_experience(
    make: Make, found: Found, kind: Kind, steps: tuple[CitedStep, ...], quote: Span | None = None, word: str = ""
) -> Experience:
    """An experience with its id: hash(session, kind, patterns, message ids, word)."""
    patterns = [" ".join(step.pattern) for step in steps]
    ids = [step.action.message_id for step in steps]
    identifier = make("experience", found.session_id, kind, *patterns, *ids, word)
    return Experience(identifier, found, kind, steps, quote, word)
