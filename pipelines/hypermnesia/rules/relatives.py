"""Whom a question names by what they are to somebody: "Nadia's cousin", "my sister's son" (the graph knows the names).

A bridge of a multi-hop question: who the cousin is was said elsewhere than where she lives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypermnesia.rules.linguistic.lexicon import KIN

_KIN = "|".join(sorted(KIN, key=len, reverse=True))
_LINK = rf"(?:(?:older|younger|elder|big|little|twin|best|ex-?) ?)?(?:{_KIN})"
_CHAIN = re.compile(
    rf"\b(?P<owner>my|[^\W\d_a-z][\w.-]*?)(?:(?<=my)|['\u2019]s) (?P<links>{_LINK}(?:['\u2019]s {_LINK})*)\b"
)
_NOUN = re.compile(rf"(?:{_KIN})\b")
MY = "my"


@dataclass(frozen=True, slots=True)
class Relative:
    """Somebody named by a chain: whose, and the predicates that lead to them. `owner` is `MY` for the one who asks."""

    owner: str
    predicates: tuple[str, ...]


def asked_relatives(question: str) -> tuple[Relative, ...]:
    """The chains of a question, in its order."""
    return tuple(
        Relative(found["owner"], tuple(KIN[noun[0]] for noun in _NOUN.finditer(found["links"])))
        for found in _CHAIN.finditer(question)
    )
