"""The frame extractor's answer becomes mentions and assertions of the records that it was asked about.

An endpoint that no entity has, or that several are called, drops its frame, and the drop is counted (B09). Time,
modality and negation of a frame are those of its record, which the text has decided already.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hypermnesia.contracts.answers import Entity, FrameItem, FramesAnswer
from hypermnesia.rules import grounding_reasons as reasons
from hypermnesia.rules.anchor_keys import fold, why_no_anchor
from hypermnesia.rules.extraction import Assertion, Made, Mention, Passage, Refused
from hypermnesia.rules.grounding_quotes import find_quote, folded
from hypermnesia.rules.grounding_reasons import refused
from hypermnesia.rules.grounding_words import invented_numbers, words_of

_PREDICATE = re.compile(r"[^\W\d]\w*")
_SMALL = 2


def read_frames(answer: FramesAnswer, made: Sequence[Made], passage: Passage) -> tuple[list[Made], list[Refused]]:
    """The records with their frames, in order, and what was dropped of the answer.

    `made` are the records as the prompt numbered them, from 1. A record that gets no frame stays as it was.
    """
    out: list[Refused] = []
    frames: dict[int, list[tuple[FrameItem, list[tuple[str, Entity]]]]] = {}
    for item in answer.frames:
        if not 1 <= item.record <= len(made):
            out.append(refused(reasons.UNKNOWN_RECORD, f"record {item.record} of {len(made)}"))
            continue
        record = made[item.record - 1]
        roles = _roles(item, answer.entities, record, passage)
        if isinstance(roles, Refused):
            out.append(replace(roles, turns=record.turns))
        else:
            frames.setdefault(item.record - 1, []).append((item, roles))
    return [_with_frames(record, frames.get(number, []), passage) for number, record in enumerate(made)], out


def entity_named(wanted: int | str, entities: Sequence[Entity]) -> Entity | str:
    """The one entity of an id, or of a name that it alone claims; else the reason why there is none."""
    if isinstance(wanted, int):
        found = [e for e in entities if e.id == wanted]
    else:
        name = fold(wanted)
        found = [e for e in entities if fold(e.name) == name] or [e for e in entities if name in fold(e.name).split()]
    if len({fold(e.name) for e in found}) > 1:
        return reasons.AMBIGUOUS_ENTITY
    return found[0] if found else reasons.DANGLING_ENDPOINT


def _roles(
    item: FrameItem, entities: Sequence[Entity], record: Made, passage: Passage
) -> list[tuple[str, Entity]] | Refused:
    turns = [passage.turns[place] for place in record.turns]
    said = (*passage.lead, *passage.turns)
    known = words_of([*(t.record_text for t in said), *(t.speaker for t in said), *passage.people])
    roles: list[tuple[str, Entity]] = []
    for role in item.roles:
        entity = entity_named(role.entity, entities)
        if isinstance(entity, str):
            return refused(entity, f"{item.predicate}: {role.role} {role.entity}")
        if why_no_anchor(entity.name):
            return refused(reasons.NO_ANCHOR, f"{item.predicate}: {role.role} {entity.name}")
        if not words_of([entity.name]) <= known:
            return refused(reasons.INVENTED_NAME, entity.name)
        roles.append((role.role, entity))
    if len({fold(entity.name) for _, entity in roles}) < _SMALL:
        return refused(reasons.FRAME_TOO_SMALL, item.predicate)
    sources = [turn.record_text for turn in turns] + [record.text]
    numbers = [n for a in item.attributes for n in invented_numbers(a.value, sources)]
    return refused(reasons.INVENTED_NUMBER, ", ".join(numbers)) if numbers else roles


def _with_frames(record: Made, frames: Sequence[tuple[FrameItem, list[tuple[str, Entity]]]], passage: Passage) -> Made:
    mentions: list[Mention] = list(record.mentions)
    assertions: list[Assertion] = list(record.assertions)
    for item, roles in frames:
        placed = []
        for role, entity in roles:
            mention = _mention(entity, record, passage)
            if mention not in mentions:
                mentions.append(mention)
            placed.append((role, mentions.index(mention)))
        assertions.append(_assertion(item, record, tuple(dict.fromkeys(placed)), passage))
    return replace(record, mentions=tuple(mentions), assertions=tuple(dict.fromkeys(assertions)))


def _mention(entity: Entity, record: Made, passage: Passage) -> Mention:
    """Where the name stands in a cited message; a speaker, or a name that was resolved, has no offsets."""
    for place in record.turns:
        span = find_quote(passage.turns[place].text, entity.name)
        if span:
            return Mention(passage.turns[place].text[slice(*span)], entity.type, place, *span)
    return Mention(entity.name, entity.type, record.turns[0])


def _assertion(item: FrameItem, record: Made, roles: tuple[tuple[str, int], ...], passage: Passage) -> Assertion:
    first = record.turns[0]
    span = next(((start, end) for turn, start, end in record.quotes if turn == first), (None, None))
    occasion = item.occasion if item.occasion and _is_said(item.occasion, record, passage) else None
    return Assertion(
        predicate=_predicate(item.predicate),
        roles=roles,
        is_event=item.event,
        modality=record.modality or "done",
        is_negated=record.is_negated,
        time=record.time,
        occasion=occasion,
        attributes=tuple((a.key, a.value) for a in item.attributes),
        start=span[0],
        end=span[1],
    )


def _is_said(occasion: str, record: Made, passage: Passage) -> bool:
    """Whether the occasion's words stand in a cited message, its year there or in the message's date."""
    turns = [passage.turns[place] for place in record.turns]
    years = [str(t.said_local.year) for t in turns if t.said_local]
    times = [record.time.start[:4]] if record.time and record.time.start else []
    return words_of([occasion]) <= words_of([*(t.text for t in turns), *years, *times])


def _predicate(text: str) -> str:
    """snake_case, of words only."""
    return "_".join(_PREDICATE.findall(folded(text)[0])) or "relate"
