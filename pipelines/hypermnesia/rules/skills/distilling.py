"""The distiller: outcomes and experiences of the sessions of one user or agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hypermnesia.rules.skills.abstraction import (
    ANY,
    Abstraction,
    Deed,
    Lexicon,
    Pattern,
    abstract,
    deeds_of,
    name_things,
    pattern_of,
    patterns_of,
    read_lexicon,
)
from hypermnesia.rules.skills.conditions import read_reactions, words_of
from hypermnesia.rules.skills.experiences import CitedStep, Experience, Found, make_experience
from hypermnesia.rules.skills.outcomes import Outcome, budget_of, judge
from hypermnesia.rules.skills.proposals import NO_CONTRAST, Heard, Refusal, SessionAnswers, contrasted, hear
from hypermnesia.rules.skills.remedies import Tally, failures_of, tally
from hypermnesia.rules.skills.sessions import Make, Span, TaskSession
from hypermnesia.rules.skills.slicing import slice_back


@dataclass(frozen=True)
class Distilled:
    """What a pass read from its sessions.

    `outcomes` and `abstractions` by session id; `tallies` say in which sessions a kind of action worked or failed.
    `refusals` are what a model proposed of `n_proposed` things and no log bears out.
    """

    outcomes: Mapping[str, Outcome]
    abstractions: Mapping[str, Abstraction]
    experiences: tuple[Experience, ...]
    tallies: Mapping[Pattern, Tally]
    lexicon: Lexicon
    refusals: tuple[Refusal, ...] = ()
    n_proposed: int = 0


@dataclass(frozen=True)
class _Read:
    """A session on its way: parsed, abstracted, judged; `heard` is what is accepted of a model's answer about it."""

    session: TaskSession
    deeds: Sequence[Deed]
    kept: Sequence[Deed]
    abstraction: Abstraction
    found: Found
    heard: Heard | None

    @property
    def by_type(self) -> Abstraction:
        """Slots by type alone, as a run that failed has them: so that failures compare over all runs."""
        return replace(self.abstraction, things={}, goal=())

    def before(self, index: int) -> str:
        """What the environment had said when a step was taken."""
        return self.session.steps[index - 1].answer if index else self.session.opening


def distill(
    sessions: Iterable[TaskSession],
    make: Make,
    *,
    earlier: Sequence[TaskSession] = (),
    varying: Iterable[tuple[Pattern, int]] = (),
    answers: SessionAnswers | None = None,
) -> Distilled:
    """The outcomes and experiences of sessions, the same in any order of theirs.

    `earlier` sessions only say what types there are and how long runs may be; `varying` are argument places
    that vary in skills that there are (`varying_places`). With `answers` a model proposes what each session shows,
    and what the logs bear out of it is taken; without, rules read it.
    """
    ordered = sorted(sessions, key=lambda session: session.session_id)
    context = [*ordered, *earlier]
    lexicon = read_lexicon(context, varying)
    budget = budget_of(context)
    judged = {}
    read = []
    for session in ordered:
        abstraction, deeds = abstract(session, lexicon), deeds_of(session)
        outcome = judge(session, abstraction, budget)
        heard = None
        if answers is not None:
            heard = hear(session, deeds, abstraction, lexicon, outcome, answers[session.session_id])
            outcome = heard.outcome
        judged[session.session_id] = outcome
        read.append(_read(session, deeds, abstraction, outcome, heard, make))
    refused = [refusal for one in read if one.heard for refusal in one.heard.refusals]
    return Distilled(
        outcomes=judged,
        abstractions={one.session.session_id: one.abstraction for one in read},
        experiences=tuple(_experiences(read, lexicon, make, refused)),
        tallies=tally((one.found, one.deeds, one.by_type) for one in read),
        lexicon=lexicon,
        refusals=tuple(refused),
        n_proposed=sum(one.heard.n_proposed for one in read if one.heard),
    )


def _read(
    session: TaskSession,
    deeds: Sequence[Deed],
    abstraction: Abstraction,
    outcome: Outcome,
    heard: Heard | None,
    make: Make,
) -> _Read:
    kept: Sequence[Deed] = ()
    if outcome.verdict == "success":
        kept = slice_back(deeds, abstraction) if heard is None else heard.kept
        abstraction = name_things(abstraction, kept)
    task_key = make("task", session.task, session.opening)
    found = Found(session.session_id, abstraction.template, task_key, outcome.verdict, session.at)
    return _Read(session, deeds, kept, abstraction, found, heard)


def _experiences(read: Sequence[_Read], lexicon: Lexicon, make: Make, refused: list[Refusal]) -> Iterator[Experience]:
    successes = [one for one in read if one.kept]
    for one in successes:
        steps = tuple(_repeat_steps(one, lexicon))
        yield make_experience(make, one.found, "repeat", steps, one.session.steps[one.kept[-1].index].observation)
    for one, access, step, word in _conditions(successes, lexicon, refused):
        cited = tuple(_cited(one, deed, _anywhere(deed)) for deed in (access, step))
        yield make_experience(make, one.found, "condition", cited, one.session.steps[access.index].observation, word)
    for one in read:
        for name, quote in one.heard.features if one.heard and one.found.outcome != "unclear" else ():
            yield make_experience(make, one.found, "feature", (), quote, name)
        for kind, shown in _failures(one):
            cited = tuple(_cited(one, deed, pattern_of(deed.action, one.by_type)) for deed in shown)
            yield make_experience(make, one.found, kind, cited, one.session.steps[shown[-1].index].observation)


def _conditions(
    successes: Sequence[_Read], lexicon: Lexicon, refused: list[Refusal]
) -> Iterator[tuple[_Read, Deed, Deed, str]]:
    """What to do behind an action where its answer has a word; a proposed word must tell the runs apart."""
    runs = [(one.deeds, [step.answer for step in one.session.steps]) for one in successes]
    reactions = read_reactions(runs, lexicon.types)
    if not any(one.heard for one in successes):
        for n, access, step, word in reactions.found():
            yield successes[n], access, step, word
    for one in successes:
        for (access, step), word, is_apart in contrasted(one.heard.lessons if one.heard else (), reactions):
            if is_apart:
                yield one, access, step, word
            else:
                refused.append(Refusal(one.session.session_id, NO_CONTRAST, word))


def _failures(one: _Read) -> Iterator[tuple[Literal["avoid", "remedy"], tuple[Deed, ...]]]:
    if one.heard is None:
        yield from failures_of(one.deeds, one.by_type)
        return
    for kind, shown, _ in one.heard.lessons:
        if kind == "avoid" or kind == "remedy":
            yield kind, shown


def _repeat_steps(one: _Read, lexicon: Lexicon) -> Iterable[CitedStep]:
    patterns = patterns_of(one.kept, one.abstraction, lexicon)
    last = -1
    for n, (deed, pattern) in enumerate(zip(one.kept, patterns, strict=True)):
        same = sum(d.action.skeleton == deed.action.skeleton for d in one.deeds if last < d.index <= deed.index)
        places = tuple(
            argument.kind
            for argument, word in zip(deed.action.arguments, _arguments(pattern, deed), strict=True)
            if word == ANY and argument.is_numbered
        )
        yield CitedStep(
            pattern=pattern,
            action=_action(one, deed),
            before=words_of(one.before(deed.index), lexicon.types),
            until=_until(one, n) if same > 1 else "",
            places=places,
        )
        last = deed.index


def _until(one: _Read, n: int) -> str:
    """The slot whose thing the search of step n ended with: the answer before the next act on it names it."""
    for deed in one.kept[n + 1 :]:
        word = one.abstraction.word(deed.action, 0)
        if word.startswith("{") and deed.action.arguments[0].name in one.before(deed.index).lower():
            return word
        if len(deed.action.arguments) > 1:
            break
    return ""


def _arguments(pattern: Pattern, deed: Deed) -> list[str]:
    return [word for word, part in zip(pattern, deed.action.parts, strict=True) if not isinstance(part, str)]


def _anywhere(deed: Deed) -> Pattern:
    return tuple(part if isinstance(part, str) else ANY for part in deed.action.parts)


def _cited(one: _Read, deed: Deed, pattern: Pattern) -> CitedStep:
    return CitedStep(pattern, _action(one, deed))


def _action(one: _Read, deed: Deed) -> Span:
    return one.session.steps[deed.index].action
