"""Sessions with their slots: each action as a pattern that another task of the kind would have too.

A pattern's words are literals ("take"), slots ("{A}", and "{A2}" for a second thing of that type), types
("[fridge]", a place that is the same in every task) and "[*]" (one that varies, or a value of the run's own).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hypermnesia.rules.function_words import STOP_WORDS
from hypermnesia.rules.skills.actions import THING, Action, Argument, parse_action
from hypermnesia.rules.skills.answers import has_failed
from hypermnesia.rules.skills.sessions import TaskSession
from hypermnesia.rules.skills.templates import own_words, slot_letters, task_words, template_of

Pattern = tuple[str, ...]

ANY = "[*]"

#: A place varies where its usual type has less than this share of its uses.
SAME_PLACE = 0.8


@dataclass(frozen=True)
class Lexicon:
    """What the sessions of one environment say together: types of things, and argument places that vary."""

    types: frozenset[str]
    varying: frozenset[tuple[Pattern, int]]


@dataclass(frozen=True)
class Abstraction:
    """A session's slots: its template, the slot of each type, and the word of each thing of such a type."""

    session_id: str
    template: str
    slots: Mapping[str, str]
    things: Mapping[str, str]
    goal: Pattern = ()

    def word(self, action: Action, n: int) -> str:
        """The word of an action's n-th argument: its slot, or its type.

        Where a thing comes from is no slot, though the task's end may be of its type or even itself: only the
        action that ends a success (`goal`) has a place of the task behind what it acts on.
        """
        argument = action.arguments[n]
        if n and self.goal and argument.is_numbered:
            is_goal = action.skeleton == self.goal and argument.kind in self.slots
            return f"{{{self.slots[argument.kind]}}}" if is_goal else _typed(argument)
        if argument.name in self.things:
            return self.things[argument.name]
        if argument.kind in self.slots:
            return f"{{{self.slots[argument.kind]}}}"
        return _typed(argument)


def _typed(argument: Argument) -> str:
    """A type; a value is somebody's own (a name, a path) and never stands in a skill."""
    return f"[{argument.kind}]" if argument.is_numbered else ANY


@dataclass(frozen=True)
class Deed:
    """One step of a session, parsed: where it stands, what it did, what was answered, whether it worked."""

    index: int
    action: Action
    answer: str
    has_worked: bool


def deeds_of(session: TaskSession) -> list[Deed]:
    """A session's steps, parsed."""
    return [
        Deed(index, parse_action(step.action.text), step.answer, not has_failed(step.answer))
        for index, step in enumerate(session.steps)
    ]


def is_numbered(session: TaskSession) -> bool:
    """Whether most actions are on things with names and numbers, as in text worlds; a click on "24 pieces" is none."""
    acted = [action for step in session.steps if (action := parse_action(step.action.text)).arguments]
    return 2 * sum(any(a.is_numbered for a in action.arguments) for action in acted) > len(acted)


def read_lexicon(sessions: Iterable[TaskSession], known: Iterable[tuple[Pattern, int]] = ()) -> Lexicon:
    """The types and varying places of sessions; `known` places vary already (in skills that there are)."""
    types: set[str] = set()
    uses: dict[tuple[Pattern, int], Counter[str]] = defaultdict(Counter)
    for session in sessions:
        deeds = deeds_of(session)
        if is_numbered(session):
            for text in [step.answer for step in session.steps] + [session.opening]:
                types.update(thing.group(1) for thing in THING.finditer(text.lower()))
            types.update(a.kind for deed in deeds for a in deed.action.arguments if a.is_numbered)
        for deed in deeds:
            for n, argument in enumerate(deed.action.arguments):
                if deed.has_worked:
                    uses[deed.action.skeleton, n][argument.kind] += 1
    varying = {place for place, kinds in uses.items() if max(kinds.values()) < SAME_PLACE * kinds.total()}
    return Lexicon(frozenset(types - STOP_WORDS), frozenset(varying | set(known)))


def abstract(session: TaskSession, lexicon: Lexicon) -> Abstraction:
    """A session's template and slots. Two things of a slot's type are told apart by `name_things`."""
    words = task_words(session.task)
    types = lexicon.types if is_numbered(session) else _values(session) & set(words)
    slots = slot_letters(words, types | own_words(session.task))
    return Abstraction(session.session_id, template_of(words, slots), slots, {})


def _values(session: TaskSession) -> set[str]:
    """Words that a session's actions have as arguments; without arguments, every word behind the verb."""
    values: set[str] = set()
    for step in session.steps:
        action = parse_action(step.action.text)
        values.update(argument.kind for argument in action.arguments)
        if not action.arguments:
            values.update(part for part in action.parts[1:] if isinstance(part, str) and len(part) > 2)
    return values


def name_things(abstraction: Abstraction, kept: Sequence[Deed]) -> Abstraction:
    """The words of things of a slot's type in a slice, which slots alone do not tell apart.

    Things acted on (an action's first argument) are {A}, {A2} in their order. Of places it is those that the action
    at the end is done at; another shelf on the way is a place like any other.
    """
    things: dict[str, str] = {}
    goal = kept[-1].action.skeleton if kept else ()
    for kind, letter in abstraction.slots.items():
        named = [a.name for deed in kept for a in deed.action.arguments if a.kind == kind]
        acted_on = [d.action.arguments[0].name for d in kept if _is_acted_on(d, kind)]
        for n, name in enumerate(dict.fromkeys(acted_on)):
            things[name] = f"{{{letter}{n + 1 if n else ''}}}"
        if not acted_on:
            ends = [a.name for d in kept if d.action.skeleton == goal for a in d.action.arguments if a.kind == kind]
            things.update(dict.fromkeys(ends or named[-1:], f"{{{letter}}}"))
        for name in named:
            things.setdefault(name, ANY)
    return replace(abstraction, things=things, goal=goal)


def _is_acted_on(deed: Deed, kind: str) -> bool:
    arguments = deed.action.arguments
    return len(arguments) > 1 and arguments[0].kind == kind


def patterns_of(kept: Sequence[Deed], abstraction: Abstraction, lexicon: Lexicon) -> list[Pattern]:
    """The pattern of each step of a slice; an access ("go to _") has the word that its thing has where it is used."""
    patterns: list[Pattern] = []
    used: dict[str, str] = {}
    for deed in reversed(kept):
        is_access = len(deed.action.arguments) == 1
        words = []
        for n, argument in enumerate(deed.action.arguments):
            word = abstraction.word(deed.action, n)
            if word.startswith("[") and (deed.action.skeleton, n) in lexicon.varying:
                word = ANY
            if is_access:
                word = used.get(argument.name, word)
            used[argument.name] = word
            words.append(word)
        patterns.append(_fill(deed.action, iter(words), abstraction))
    return patterns[::-1]


def pattern_of(action: Action, abstraction: Abstraction) -> Pattern:
    """An action's pattern under a session's slots."""
    words = iter([abstraction.word(action, n) for n in range(len(action.arguments))])
    return _fill(action, words, abstraction)


def _fill(action: Action, words: Iterator[str], abstraction: Abstraction) -> Pattern:
    """An action with these words for its arguments."""
    return tuple(next(words) if isinstance(p, Argument) else _literal(p, abstraction) for p in action.parts)


def _literal(word: str, abstraction: Abstraction) -> str:
    return f"{{{abstraction.slots[word]}}}" if word in abstraction.slots else word


def skeleton_of(pattern: Pattern) -> Pattern:
    """The words of a pattern, with `_` for each argument."""
    return tuple("_" if is_argument(word) else word for word in pattern)


def is_argument(word: str) -> bool:
    """Whether a pattern's word stands for a thing."""
    return word[:1] in "{[" and word[-1:] in "}]"


def arguments_of(pattern: Pattern) -> Pattern:
    """The words of a pattern that stand for things."""
    return tuple(word for word in pattern if is_argument(word))


def covers(general: Pattern, special: Pattern) -> bool:
    """Whether two patterns are the same, where "[*]" stands for any type."""
    return len(general) == len(special) and all(
        g == s or (g == ANY and s.startswith("[")) for g, s in zip(general, special, strict=True)
    )
