"""A toy household: a text world of rooms, places, things and tools, made from a seed.

Its own making, without third-party data, so that skills can be tested anywhere in seconds. Things are in places,
some of which are shut; one thing fits into the hands; what can't be done answers "Nothing happens" and why. The
words for actions are given by the world and may change (`VERBS`). It stops at the goal or after `BUDGET` actions.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Literal

TaskType = Literal["put", "clean", "heat", "cool", "look", "two"]
TASK_TYPES: tuple[TaskType, ...] = ("put", "clean", "heat", "cool", "look", "two")
BUDGET = 50

#: What can be done: a name for it, and its words. `{o}` is a thing, `{p}` a place.
VERBS = {
    "go": "walk to {p}",
    "open": "open {p}",
    "close": "close {p}",
    "take": "pick {o} from {p}",
    "put": "lay {o} in {p}",
    "clean": "wash {o} with {p}",
    "heat": "warm {o} with {p}",
    "cool": "chill {o} with {p}",
    "use": "switch on {o}",
    "inspect": "inspect {o}",
}
#: Other words for some of them: a later version of the world.
CHANGED = {"put": "stow {o} inside {p}", "take": "fetch {o} out of {p}", "use": "light {o}"}

#: Each type of place: its room, and whether it can be shut.
PLACES = {
    "counter": ("kitchen", False),
    "cupboard": ("kitchen", True),
    "table": ("kitchen", False),
    "shelf": ("study", False),
    "desk": ("study", False),
    "drawer": ("study", True),
    "bench": ("hall", False),
    "chest": ("hall", True),
}
UNSEEN_PLACES = {
    "rack": ("hall", False),
    "ledge": ("bedroom", False),
    "locker": ("hall", True),
    "trunk": ("bedroom", True),
}
TOOLS = {"basin": ("bathroom", False), "oven": ("kitchen", True), "icebox": ("kitchen", True)}
OBJECTS = ("cup", "plate", "spoon", "towel", "apple", "bottle", "brush", "pan", "sponge", "egg", "bowl", "cloth")
UNSEEN_OBJECTS = ("kettle", "jar", "melon", "comb", "vase", "glove", "ladle", "flask", "pear", "mitten")
LAMP = "lamp"

#: Two wordings of each task, and one that training never has.
WORDINGS: dict[TaskType, tuple[str, str]] = {
    "put": ("put a {a} in the {b}", "bring some {a} to the {b}"),
    "clean": ("put a clean {a} in the {b}", "wash some {a} and put it in the {b}"),
    "heat": ("put a hot {a} in the {b}", "warm some {a} and put it in the {b}"),
    "cool": ("put a cold {a} in the {b}", "chill some {a} and put it in the {b}"),
    "look": ("look at the {a} under the {b}", "study some {a} by the light of the {b}"),
    "two": ("put two {a} in the {b}", "bring two {a} to the {b}"),
}
UNSEEN_WORDINGS: dict[TaskType, str] = {
    "put": "find a {a} and put it in the {b}",
    "clean": "find a {a}, wash it and put it in the {b}",
    "heat": "get a hot {a} and put it in the {b}",
    "cool": "find some cold {a} for the {b}",
    "look": "study the {a} under the {b}",
    "two": "find two {a} and put them in the {b}",
}
#: The shares of unseen tasks in the unseen wording, and of those whose goal is a place that training never has.
UNSEEN_WORDED = 0.15
UNSEEN_PLACED = 0.5
_SHUT = 0.9

_TOOL_OF = {"clean": "basin", "heat": "oven", "cool": "icebox"}


@dataclass(frozen=True)
class Task:
    """A task: its type, the words of it, and the types of its thing and its place (or lamp)."""

    type: TaskType
    text: str
    thing: str
    place: str


@dataclass
class Household:
    """One house with one task. `act` changes it."""

    task: Task
    rooms: dict[str, str]
    shut: dict[str, bool]
    where: dict[str, str]
    lamps: dict[str, str]
    verbs: dict[str, str]
    at: str = ""
    held: str = ""
    lit: str = ""
    state: dict[str, str] = field(default_factory=dict)
    is_done: bool = False
    n_actions: int = 0

    @property
    def opening(self) -> str:
        """What is seen first: the places of each room."""
        rooms: dict[str, list[str]] = {}
        for place, room in self.rooms.items():
            rooms.setdefault(room, []).append(f"a {place}")
        return "You are in a house. " + " ".join(f"In the {room}: {', '.join(p)}." for room, p in rooms.items())

    @property
    def is_over(self) -> bool:
        """Whether the goal is reached or no action is left."""
        return self.is_done or self.n_actions >= BUDGET

    def act(self, text: str) -> str:
        """The world's answer to an action."""
        self.n_actions += 1
        for verb, form in self.verbs.items():
            pattern = re.escape(form).replace(r"\{o\}", r"(?P<o>\w+ \d+)").replace(r"\{p\}", r"(?P<p>\w+ \d+)")
            if found := re.fullmatch(pattern, text):
                answer = self._do(verb, found.groupdict().get("o", ""), found.groupdict().get("p", ""))
                self.is_done = self._is_reached()
                return answer
        return f"Nothing happens: nobody here knows how to {text.split()[0]}."

    def _do(self, verb: str, thing: str, place: str) -> str:
        if problem := self._problem(verb, thing, place):
            return f"Nothing happens: {problem}."
        if verb == "go":
            self.at = place
            return f"You stand at the {place}. {self._contents(place)}"
        if verb == "open":
            self.shut[place] = False
            return f"You open the {place}. {self._contents(place)}"
        if verb == "close":
            self.shut[place] = True
            return f"You close the {place}."
        if verb == "take":
            self.held = thing
            del self.where[thing]
            return f"You hold the {thing} from the {place}."
        if verb == "put":
            self.held = ""
            self.where[thing] = place
            return f"You let go of the {thing} at the {place}."
        if verb == "use":
            self.lit = thing
            return f"The {thing} shines."
        if verb == "inspect":
            return f"You see nothing special about the {thing}."
        self.state[thing] = verb
        return f"The {thing} has changed: {verb} by the {place}."

    def _problem(self, verb: str, thing: str, place: str) -> str:
        """Why an action can't be done; "" where it can."""
        is_place, is_here = place in self.rooms, place == self.at
        if place and not is_place:
            return f"there is no {place} to go to"
        if place and verb != "go" and not is_here:
            return f"you are not at the {place}"
        if verb in ("open", "close") and self.shut.get(place) != (verb == "open"):
            return f"the {place} can't do that now"
        if verb == "take" and (self.shut.get(place) or self.where.get(thing) != place):
            return f"there is no {thing} within reach"
        if verb == "take" and self.held:
            return "your hands are full"
        if verb in ("put", *_TOOL_OF) and self.held != thing:
            return f"you do not hold the {thing}"
        if verb == "put" and self.shut.get(place):
            return f"the {place} is shut"
        if verb in _TOOL_OF and place.split()[0] != _TOOL_OF[verb]:
            return f"the {place} is not made for that"
        if verb == "use" and self.lamps.get(thing) != self.at:
            return f"there is no {thing} within reach to switch"
        if verb == "inspect" and thing not in (self.held, *self._visible(self.at)):
            return f"there is no {thing} to see"
        return ""

    def _visible(self, place: str) -> list[str]:
        if not place or self.shut.get(place):
            return []
        here = [thing for thing, where in self.where.items() if where == place]
        return sorted(here + [lamp for lamp, where in self.lamps.items() if where == place])

    def _contents(self, place: str) -> str:
        if self.shut.get(place):
            return f"The {place} is shut."
        seen = self._visible(place)
        return f"There you see {', '.join(f'a {thing}' for thing in seen) if seen else 'nothing'}."

    def _is_reached(self) -> bool:
        task = self.task
        if task.type == "look":
            return bool(self.lit) and self.held.split(" ")[0] == task.thing
        there = [t for t, p in self.where.items() if t.split()[0] == task.thing and p.split()[0] == task.place]
        if task.type in _TOOL_OF:
            there = [thing for thing in there if self.state.get(thing) == task.type]
        return len(there) >= (2 if task.type == "two" else 1)


def make_household(
    rng: random.Random, task_type: TaskType, *, is_unseen: bool = False, is_changed: str = ""
) -> Household:
    """A house with a task. An unseen one has things, and often places and a wording, that training never has.

    `is_changed` names a verb (a key of `CHANGED`) that has other words.
    """
    types = dict(PLACES)
    unseen = rng.sample(sorted(UNSEEN_PLACES), 2) if is_unseen else []
    types.update((place, UNSEEN_PLACES[place]) for place in unseen)
    every = {**types, **TOOLS}
    places = [f"{kind} {n}" for kind in sorted(types) for n in range(1, rng.randint(1, 2) + 1)]
    rooms = {place: every[place.split()[0]][0] for place in [*places, *(f"{tool} 1" for tool in TOOLS)]}
    shut = {place: rng.random() < _SHUT for place in rooms if every[place.split()[0]][1]}
    thing = rng.choice(UNSEEN_OBJECTS if is_unseen else OBJECTS)
    goal = rng.choice(unseen if is_unseen and rng.random() < UNSEEN_PLACED else sorted(PLACES))
    lamps = {f"{LAMP} 1": rng.choice([place for place in places if place not in shut])}
    where = _scatter(rng, [place for place in places if place.split()[0] != goal], thing, task_type)
    words = rng.choice(WORDINGS[task_type])
    if is_unseen and rng.random() < UNSEEN_WORDED:
        words = UNSEEN_WORDINGS[task_type]
    place = LAMP if task_type == "look" else goal
    task = Task(task_type, words.format(a=thing, b=place), thing, place)
    verbs = {**VERBS, **({is_changed: CHANGED[is_changed]} if is_changed else {})}
    return Household(task, rooms, shut, where, lamps, verbs)


def _scatter(rng: random.Random, places: list[str], thing: str, task_type: TaskType) -> dict[str, str]:
    """Where things are: one to three of the task's, never where they belong yet, and others."""
    n_wanted = rng.randint(2, 3) if task_type == "two" else rng.randint(1, 2)
    things = [f"{thing} {n}" for n in range(1, n_wanted + 1)]
    others = [kind for kind in (*OBJECTS, *UNSEEN_OBJECTS) if kind != thing]
    things += [f"{kind} {n}" for kind in rng.sample(others, 8) for n in range(1, rng.randint(1, 2) + 1)]
    return {one: rng.choice(places) for one in things}
