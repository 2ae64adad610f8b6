"""The rules of stable facts: each reads one clause's frame and yields claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hypermnesia.rules.linguistic.body_facts import body
from hypermnesia.rules.linguistic.claims import Claim
from hypermnesia.rules.linguistic.frames import Frame
from hypermnesia.rules.linguistic.home_facts import things
from hypermnesia.rules.linguistic.life_facts import life, lives, studies, works
from hypermnesia.rules.linguistic.nominals import NominalReader
from hypermnesia.rules.linguistic.parse import Sentence
from hypermnesia.rules.linguistic.taste_facts import favourites, tastes

#: What is worth keeping also where it is denied: "I don't live in Paris anymore".
_DENIABLE = frozenset({"lives_in", "works_at", "allergic_to", "owns", "has_pet", "speaks", "plays"})


def denied(frame: Frame, sentence: Sentence, reader: NominalReader) -> Iterator[Claim]:
    """The same facts, said not to be so."""
    if frame.is_negated:
        for rule in (lives, works, body, tastes, things):
            for claim in rule(replace(frame, is_negated=False), sentence, reader):
                if claim.predicate in _DENIABLE:
                    yield replace(claim, is_negated=True)


RULES: tuple[Callable[[Frame, Sentence, NominalReader], Iterator[Claim]], ...] = (
    lives, works, studies, body, tastes, favourites, things, life, denied,
)  # fmt: skip
