"""Actions as words and arguments: text commands, tool calls, bracket commands, and command lines.

`take apple 1 from fridge 1` is `take _ from _` of the things apple 1 (an apple) and fridge 1.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from functools import lru_cache

#: A thing of a text world: a name and its number.
THING = re.compile(r"\b([a-z][a-z_-]*) (\d+)\b")

_TOOL = re.compile(r"([A-Za-z_][\w.-]*)\((\{.*\})\)", re.DOTALL)
_BRACKETS = re.compile(r"([A-Za-z_]\w*)\[(.*?)\]?", re.DOTALL)  # a model may run out of tokens before it closes
_COMMAND_LINE = re.compile(r"(?:^|\s)(?:--?[A-Za-z]|[./~]\S)|\w\.\w|\||&&")


@dataclass(frozen=True, slots=True)
class Argument:
    """One thing that an action is about. `kind` is its type ("apple"), or the value itself where it has none."""

    kind: str
    name: str
    is_numbered: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """An action's words and arguments, in their order."""

    parts: tuple[str | Argument, ...]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments alone."""
        return tuple(part for part in self.parts if isinstance(part, Argument))

    @property
    def skeleton(self) -> tuple[str, ...]:
        """The words, with `_` for each argument: what the same kind of action shares."""
        return tuple("_" if isinstance(part, Argument) else part for part in self.parts)

    @property
    def verb(self) -> str:
        """The first word."""
        return self.skeleton[0] if self.parts else ""


@lru_cache(maxsize=65536)
def parse_action(text: str) -> Action:
    """The words and arguments of an action's text."""
    text = text.strip()
    if found := _TOOL.fullmatch(text):
        return Action((found.group(1), *_tool_arguments(found.group(2))))
    if found := _BRACKETS.fullmatch(text):
        value = " ".join(found.group(2).split())
        return Action((found.group(1).lower(), Argument(value.lower(), value)))
    lowered = text.lower()
    if THING.search(lowered):
        return Action(tuple(_things(lowered)))
    if _COMMAND_LINE.search(text):
        return Action(tuple(_words_of_line(text)))
    return Action(tuple(lowered.split()))


def _things(text: str) -> list[str | Argument]:
    parts: list[str | Argument] = []
    at = 0
    for thing in THING.finditer(text):
        parts += text[at : thing.start()].split()
        parts.append(Argument(thing.group(1), thing.group(), is_numbered=True))
        at = thing.end()
    return parts + list(text[at:].split())


def _tool_arguments(text: str) -> list[str | Argument]:
    try:
        given = json.loads(text)
    except ValueError:
        return [Argument(text, text)]
    parts: list[str | Argument] = []
    for key in sorted(given):
        value = given[key] if isinstance(given[key], str) else json.dumps(given[key], sort_keys=True)
        parts += [f"{key}=", Argument(value.lower(), value)]
    return parts


def _words_of_line(text: str) -> list[str | Argument]:
    """A command line: its program and flags are words, the rest are arguments."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    return [
        word if n == 0 or word.startswith("-") or word in ("|", "&&", ";") else Argument(word.lower(), word)
        for n, word in enumerate(words)
    ]
