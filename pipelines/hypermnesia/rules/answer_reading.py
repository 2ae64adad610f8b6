"""A model's answers become records: parse, then claims, then grounding (DESIGN 5.3).

Answers are stored before they are read, so that a change here re-runs without a model. Nothing is lost: each item
of an answer is a record, or a refusal with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from hypermnesia.contracts.answers import (
    Answer,
    CoreAnswer,
    CoreItem,
    EpisodicAnswer,
    EpisodicItem,
    Item,
    ProceduralAnswer,
    ProceduralItem,
    RepairAnswer,
    ResourceAnswer,
    ResourceItem,
    RouterAnswer,
    SemanticAnswer,
    SemanticItem,
    SingleAnswer,
)
from hypermnesia.rules import grounding_reasons as reasons
from hypermnesia.rules.answer_status import OK, answer_status, read_answer
from hypermnesia.rules.extraction import (
    CORE,
    EPISODIC,
    MEMORY_TYPES,
    PROCEDURAL,
    RESOURCE,
    SEMANTIC,
    Made,
    Passage,
    Refused,
)
from hypermnesia.rules.grounding import Claim, Grounded, ground_all, repaired
from hypermnesia.rules.grounding_reasons import refused
from hypermnesia.rules.trust import EVIDENCE, INSTRUCTION, USER_FACT
from hypermnesia.rules.verbatim import why_no_record

#: A passage with so many letters in its users' words says something: no record of it is worth a second look.
LEAST_LETTERS = 24
#: Why a turn gives no record although somebody said something: no answer speaks of it.
NO_RECORD = "no_record"


class UnreadableAnswerError(ValueError):
    """An answer's text is not of its schema; `status` is one of `rules.answer_status`."""

    def __init__(self, status: str, why: str) -> None:
        super().__init__(f"{status}: {why}")
        self.status = status


@dataclass(slots=True)
class AnswerReading:
    """What the answers for one passage gave. `n_items` = grounded + refused: nothing disappears."""

    grounded: list[Grounded] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    n_items: int = 0

    @property
    def made(self) -> list[Made]:
        """The records."""
        return [g.made for g in self.grounded]


def parse_answer(text: str, model: type[Answer], stopped_by: str = "stop") -> Answer:
    """The answer of a completion's text. Raises `UnreadableAnswerError` with the status that it has instead."""
    status, why = answer_status(text, stopped_by, model.json_schema())
    if status != OK:
        raise UnreadableAnswerError(status, why)
    try:
        return model.model_validate(read_answer(text))
    except ValidationError as error:
        raise UnreadableAnswerError("unparseable", f"{error.error_count()} fields do not fit") from error


def routed(answer: RouterAnswer) -> tuple[str, ...]:
    """The memory types whose writers see a chunk, in the order of `MEMORY_TYPES`."""
    return tuple(kind for kind in MEMORY_TYPES if getattr(answer, kind))


def read_records(answers: Iterable[Answer], passage: Passage) -> AnswerReading:
    """The writers' answers for one passage as grounded records."""
    claims = [claim for answer in answers for claim in claims_of(answer)]
    grounded, out = ground_all(claims, passage)
    return AnswerReading(grounded, out, len(claims))


def claims_of(answer: Answer) -> list[Claim]:
    """What a writer's answer says, in its order. Raises `TypeError` for an answer of another prompt."""
    match answer:
        case CoreAnswer():
            return [_core(item) for item in answer.records]
        case EpisodicAnswer():
            return [_episodic(item) for item in answer.records]
        case SemanticAnswer():
            return [_semantic(item) for item in answer.records]
        case ProceduralAnswer():
            return [_procedural(item) for item in answer.records]
        case ResourceAnswer():
            return [_resource(item) for item in answer.records]
        case SingleAnswer():
            return [
                *map(_core, answer.core),
                *map(_episodic, answer.episodic),
                *map(_semantic, answer.semantic),
                *map(_procedural, answer.procedural),
                *map(_resource, answer.resource),
            ]
    raise TypeError(f"{type(answer).__name__} is no writer's answer")


def read_repairs(
    answer: RepairAnswer, gaps: Sequence[Grounded], passage: Passage
) -> tuple[list[Grounded], list[Refused]]:
    """The records that were asked about, repaired where that is grounded; the others as they were."""
    kept = list(gaps)
    out: list[Refused] = []
    for item in answer.records:
        if not 1 <= item.record <= len(gaps):
            out.append(refused(reasons.UNKNOWN_RECORD, f"record {item.record} of {len(gaps)}"))
            continue
        result = repaired(kept[item.record - 1], _plain(item.text), passage)
        if isinstance(result, Refused):
            out.append(result)
        else:
            kept[item.record - 1] = result
    return kept, out


def joined(readings: Sequence[tuple[int, AnswerReading]]) -> AnswerReading:
    """The readings of a passage's windows, each with the place of its first turn, as one of the whole passage."""
    whole = AnswerReading()
    for first, reading in readings:
        whole.grounded += [replace(g, made=moved(g.made, first)) for g in reading.grounded]
        whole.refused += [replace(r, turns=tuple(t + first for t in r.turns)) for r in reading.refused]
        whole.n_items += reading.n_items
    return whole


def is_suspicious(passage: Passage, n_items: int) -> bool:
    """Whether an answer without items is no plain "nothing there": people said more than a greeting (B07)."""
    said = " ".join(t.text for t in passage.turns if t.role in ("user", "person") and not t.is_system)
    return n_items == 0 and sum(c.isalpha() for c in said) >= LEAST_LETTERS


def uncited(reading: AnswerReading, passage: Passage) -> dict[int, str]:
    """Turns without a record, by place, and why: the answer said nothing of them, or what it said was refused."""
    cited = {place for made in reading.made for place in made.turns}
    why: dict[int, str] = {}
    for item in reading.refused:
        for place in item.turns:
            why.setdefault(place, item.reason)
    return {
        place: why_no_record(turn) or why.get(place, NO_RECORD)
        for place, turn in enumerate(passage.turns)
        if place not in cited
    }


def moved(made: Made, first: int) -> Made:
    """The record in a passage whose turns stand `first` places further on."""
    return replace(
        made,
        turns=tuple(t + first for t in made.turns),
        quotes=tuple((t + first, start, end) for t, start, end in made.quotes),
        mentions=tuple(replace(m, turn=m.turn + first) for m in made.mentions),
    )


def _plain(text: str) -> str:
    """A record's text on one line."""
    return re.sub(r"\s+", " ", text).strip()


def _claim(item: Item, memory_type: str, kind: str = EVIDENCE) -> Claim:
    return Claim(memory_type, _plain(item.text), tuple(item.cites), item.quote, kind)


def _core(item: CoreItem) -> Claim:
    kind = INSTRUCTION if item.kind == "instruction" else USER_FACT
    claim = _claim(item, CORE, kind)
    return replace(claim, about=item.about, is_negated=item.negated, attributes=(("kind", item.kind),))


def _episodic(item: EpisodicItem) -> Claim:
    return replace(_claim(item, EPISODIC), modality=item.modality, is_negated=item.negated, when=item.when)


def _semantic(item: SemanticItem) -> Claim:
    return replace(_claim(item, SEMANTIC), about=item.about, is_negated=item.negated, when=item.when)


def _procedural(item: ProceduralItem) -> Claim:
    return replace(_claim(item, PROCEDURAL), attributes=tuple(("step", _plain(s)) for s in item.steps))


def _resource(item: ResourceItem) -> Claim:
    return replace(_claim(item, RESOURCE), attributes=(("title", _plain(item.title)), ("kind", item.kind)))
