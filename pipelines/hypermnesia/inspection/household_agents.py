"""Agents of the toy household: an actor that knows the procedure and errs, and a novice that reads a skill.

The novice knows the task's words, what it has seen, and the world's forms of action; what to do with them only a
skill tells it. The actor stands for a language model in training runs: it forgets one step in a third of its runs,
moves at random one time in ten, and tries other words where the world does not know its own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from hypermnesia.inspection.household import TOOLS, VERBS, Household, TaskType
from hypermnesia.rules.skills.abstraction import ANY, Pattern, arguments_of, is_argument
from hypermnesia.rules.skills.actions import THING
from hypermnesia.rules.skills.answers import has_failed
from hypermnesia.rules.skills.matching import Match
from hypermnesia.rules.skills.versions import SkillStep

FORGETS = 0.35
STRAYS = 0.1
_TRIES = 0.6

_TOOL_STEPS: dict[TaskType, tuple[str, str]] = {
    "clean": ("clean", "basin 1"),
    "heat": ("heat", "oven 1"),
    "cool": ("cool", "icebox 1"),
}


@dataclass
class Eyes:
    """What an agent knows of a house: its places, where things were seen, and the last answer."""

    house: Household
    rng: random.Random
    steps: list[tuple[str, str]] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)
    visited: set[str] = field(default_factory=set)
    at: str = ""
    answer: str = ""

    failed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        #: The places that the opening names.
        self.places = [found.group() for found in THING.finditer(self.house.opening)]

    def do(self, action: str) -> bool:
        """Acts, remembers the answer, and says whether it worked."""
        self.answer = self.house.act(action)
        self.steps.append((action, self.answer))
        if has_failed(self.answer):
            self.failed.add(action)
            return False
        named = [found.group() for found in THING.finditer(action)]
        if len(named) == 1 and named[0] in self.places:
            self.at = named[0]
            self.visited.add(self.at)
            self.seen = {thing: place for thing, place in self.seen.items() if place != self.at}
            for found in THING.finditer(self.answer):
                if found.group() not in self.places:
                    self.seen[found.group()] = self.at
        elif named:
            self.seen.pop(named[0], None)
        return True

    def find(self, kind: str) -> str | None:
        """A thing of a type that was seen somewhere."""
        return min((thing for thing in self.seen if thing.split()[0] == kind), default=None)


def run_actor(house: Household, rng: random.Random) -> list[tuple[str, str]]:
    """A training run: the steps that the actor took."""
    eyes = Eyes(house, rng)
    plan = list(_plan(house))
    if rng.random() < FORGETS:
        del plan[rng.randrange(len(plan))]
    words = dict(VERBS)
    for verb, kind in plan:
        if house.is_over:
            break
        if rng.random() < STRAYS:
            _stray(eyes)
        _carry_out(eyes, verb, kind, words)
    while not house.is_over:
        _stray(eyes)
    return eyes.steps


def _plan(house: Household) -> Iterator[tuple[str, str]]:
    """(what to do, with which type) for the task; "search" goes to places until a thing of the type is seen."""
    task = house.task
    for _ in range(2 if task.type == "two" else 1):
        yield from (("search", task.thing), ("take", task.thing))
        if task.type in _TOOL_STEPS:
            verb, tool = _TOOL_STEPS[task.type]
            yield from (("go", tool), (verb, tool))
        if task.type == "look":
            yield from (("search", task.place), ("use", task.place))
        else:
            yield from (("go", task.place), ("put", task.place))


def _carry_out(eyes: Eyes, verb: str, kind: str, words: dict[str, str]) -> None:
    house, rng = eyes.house, eyes.rng
    if verb == "search":
        _search(eyes, kind, words)
        return
    if verb == "go":
        places = [place for place in eyes.places if place.split()[0] == kind.split()[0]]
        _go(eyes, rng.choice(places), words)
        return
    if verb == "take":
        thing = eyes.find(kind)
        _try_words(eyes, verb, thing or f"{kind} 1", eyes.at, words)
    elif verb == "use":
        _try_words(eyes, verb, eyes.find(kind) or f"{kind} 1", "", words)
    else:
        _try_words(eyes, verb, house.held or f"{house.task.thing} 1", eyes.at, words)


def _search(eyes: Eyes, kind: str, words: dict[str, str]) -> None:
    known = eyes.find(kind)
    if known is not None:
        _go(eyes, eyes.seen[known], words)
        return
    # A thing that is in its place already is not looked for there.
    places = [p for p in eyes.places if p not in eyes.visited and p.split()[0] not in (eyes.house.task.place, *TOOLS)]
    eyes.rng.shuffle(places)
    for place in places:
        if eyes.house.is_over or eyes.find(kind) is not None:
            return
        _go(eyes, place, words)


def _go(eyes: Eyes, place: str, words: dict[str, str]) -> None:
    if not eyes.house.is_over:
        _try_words(eyes, "go", "", place, words)
    if not eyes.house.is_over and "is shut" in eyes.answer and place.split()[0] not in TOOLS:
        _try_words(eyes, "open", "", place, words)


def _try_words(eyes: Eyes, verb: str, thing: str, place: str, words: dict[str, str]) -> None:
    """Does it in the words that are known; where the world does not know them, in others on the same things."""
    eyes.do(words[verb].format(o=thing, p=place))
    if "nobody here knows" not in eyes.answer:
        return
    forms = [
        form for form in eyes.house.verbs.values() if ("{o}" in form) == bool(thing) and ("{p}" in form) == bool(place)
    ]
    eyes.rng.shuffle(forms)
    for form in forms:
        if eyes.house.is_over:
            return
        if form not in words.values() and eyes.do(form.format(o=thing, p=place)):
            words[verb] = form
            return


def _stray(eyes: Eyes) -> None:
    """A random move."""
    house, rng = eyes.house, eyes.rng
    form = rng.choice(sorted(house.verbs.values()))
    things = sorted({*eyes.seen, *([house.held] if house.held else [])}) or [f"{house.task.thing} 1"]
    eyes.do(form.format(o=rng.choice(things), p=rng.choice([eyes.at or eyes.places[0], rng.choice(eyes.places)])))


def run_novice(house: Household, rng: random.Random, find: Callable[[str], Match | None]) -> list[tuple[str, str]]:
    """A run of the novice with the skill that `find` gives for the task, or none."""
    eyes = Eyes(house, rng)
    match = find(house.task.text)
    if match is not None:
        _Follower(eyes, match).follow()
    while not house.is_over:
        _explore(eyes)
    return eyes.steps


def _explore(eyes: Eyes) -> None:
    """Without a skill: tries what can be done with the task's things that are here, else goes where it has not been.

    It opens what is shut and does not do the same again where that failed. It does not know what clean or hot is
    come by, nor that one thing has to be done before another.
    """
    house, rng = eyes.house, eyes.rng
    words = house.task.text.split()
    things = [house.held] if house.held else []
    things += sorted(t for t, place in eyes.seen.items() if t.split()[0] in words and place == eyes.at)
    if "is shut" in eyes.answer and rng.random() < _TRIES:
        eyes.do(rng.choice(sorted(form for form in house.verbs.values() if "{o}" not in form)).format(p=eyes.at))
        return
    forms = sorted(form for form in house.verbs.values() if "{o}" in form)
    tries = [form.format(o=thing, p=eyes.at) for thing in things for form in forms if eyes.at]
    tries = [action for action in tries if action not in eyes.failed]
    if tries and rng.random() < _TRIES:
        eyes.do(rng.choice(tries))
        return
    new = [place for place in eyes.places if place not in eyes.visited] or eyes.places
    named = [place for place in eyes.places if place.split()[0] in words]
    is_carrying = bool(house.held) and bool(named)
    eyes.do(house.verbs["go"].format(p=rng.choice(named if is_carrying and rng.random() < _TRIES else new)))


class _Follower:
    """Takes a skill's steps one after the other, as its text says, and gives up where one fails twice."""

    def __init__(self, eyes: Eyes, match: Match) -> None:
        self._eyes = eyes
        self._match = match
        self._things: dict[str, str] = {}

    def follow(self) -> None:
        """Every step; what is left of the budget is not the skill's."""
        steps = self._match.skill.steps
        for n, step in enumerate(steps):
            if self._eyes.house.is_over:
                return
            if step.condition and step.condition not in self._eyes.answer.lower():
                continue
            if not self._take(step, steps[n + 1 :]):
                return

    def _take(self, step: SkillStep, later: Sequence[SkillStep]) -> bool:
        if arguments_of(step.pattern) == (ANY,) and not step.condition:
            return self._search(step, later)
        action = self._words(step.pattern)
        if action is None:
            return False
        if self._eyes.do(action) or step.condition:
            self._react(step.pattern)
            return True
        return False

    def _search(self, step: SkillStep, later: Sequence[SkillStep]) -> bool:
        """Goes to places, the usual ones first, until the thing that the next step is about is seen."""
        slot = step.until or next((w for s in later for w in arguments_of(s.pattern)[:1] if w.startswith("{")), None)
        if slot is None:
            return False
        eyes = self._eyes
        known = self._thing(slot)
        if known is not None and known in eyes.seen:
            return eyes.at == eyes.seen[known] or self._go(step.pattern, eyes.seen[known])
        goal = {self._match.bindings.get(word) for word in ("A", "B")}
        places = [p for p in eyes.places if p not in eyes.visited and p.split()[0] not in goal]
        places.sort(key=lambda p: (step.hints.index(p.split()[0]) if p.split()[0] in step.hints else 99, p))
        for place in places:
            if eyes.house.is_over or not self._go(step.pattern, place):
                return False
            if (thing := self._thing(slot)) is not None and thing in eyes.seen:
                return True
        return False

    def _go(self, pattern: Pattern, place: str) -> bool:
        is_there = self._eyes.do(" ".join(place if word == ANY else word for word in pattern))
        self._react(pattern)
        return is_there

    def _react(self, pattern: Pattern) -> None:
        """What the skill says to do wherever the answer has a word."""
        skeleton = tuple("_" if is_argument(word) else word for word in pattern)
        for reaction in self._match.skill.reactions:
            if (
                reaction.after == skeleton
                and reaction.word in self._eyes.answer.lower()
                and not self._eyes.house.is_over
            ):
                self._eyes.do(" ".join(self._eyes.at if word == ANY else word for word in reaction.step.pattern))

    def _words(self, pattern: Pattern) -> str | None:
        """An action in words; None where a thing of it is not known."""
        words = [self._named(word) if is_argument(word) else word for word in pattern]
        return None if None in words else " ".join(word for word in words if word)

    def _named(self, word: str) -> str | None:
        if word == ANY:
            return self._eyes.at
        kind = self._kind(word)
        if self._eyes.at.split(" ")[0] == kind:
            return self._eyes.at
        place = next((place for place in self._eyes.places if place.split()[0] == kind), None)
        return place or self._thing(word)

    def _kind(self, word: str) -> str:
        return word[1:-1] if word.startswith("[") else self._match.bindings.get(word[1], "")

    def _thing(self, slot: str) -> str | None:
        """The thing of a slot: once chosen it stays; {A2} is another one than {A}."""
        if slot not in self._things:
            taken = set(self._things.values())
            kind = self._kind(slot)
            found = sorted(t for t in self._eyes.seen if t.split()[0] == kind and t not in taken)
            if not found:
                return None
            self._things[slot] = found[0]
        return self._things[slot]
