"""What an extractor reads and what it makes: the shapes between `stages/extract.py` and every extractor.

A passage is one chunk with what was said just before it. What is made cites turns by their place in the
passage; the stage turns places into message revisions, and names into anchors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

EPISODIC, SEMANTIC, CORE, PROCEDURAL, RESOURCE = "episodic", "semantic", "core", "procedural", "resource"
MEMORY_TYPES = (CORE, EPISODIC, SEMANTIC, PROCEDURAL, RESOURCE)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message with what came with it, as an extractor reads it.

    `text` is the message's own (offsets count in it), `record_text` the turn's: text, then attachments.
    `cited` are (message_id, content_hash), the message's first, and `parts` their texts. `said_local` is the
    author's wall clock.
    """

    message_id: str
    content_hash: str
    cited: tuple[tuple[str, str], ...]
    parts: tuple[str, ...]
    speaker: str
    role: str
    kind: str
    text: str
    record_text: str
    said_at: datetime | None = None
    said_local: datetime | None = None
    timezone: str | None = None
    is_tz_known: bool = False
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def is_system(self) -> bool:
        """Whether nobody said it: it stands between no question and its answer."""
        return self.role == "system" or self.kind == "system"


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk: `turns` are to be read, `lead` is context only; `people` are the speakers of both, sorted."""

    user_id: str
    chunk_id: str
    content_hash: str
    lead: tuple[Turn, ...]
    turns: tuple[Turn, ...]
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventTime:
    """A civil interval, ISO, with the author's zone; never moved into UTC. `end` is inclusive."""

    start: str | None
    end: str | None
    precision: str
    timezone: str | None = None
    is_tz_known: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """One naming of an entity: its words, its type, and where they stand in the text of `turns[turn]`.

    `start` is None where the words are implied: the speaker behind "I", or a name that was resolved.
    """

    surface: str
    type: str
    turn: int
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Assertion:
    """One frame that a record supports: a predicate, roles over mentions (by index), attributes.

    `is_event` tells an event frame from a state; `occasion` is a named occasion with its year, where the text
    gives one. Numbers, prices, dates and quantities are attributes. `start` and `end` are of the words in the
    text of the record's first cited turn.
    """

    predicate: str
    roles: tuple[tuple[str, int], ...]
    is_event: bool
    modality: str = "done"
    is_negated: bool = False
    time: EventTime | None = None
    occasion: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """One record that an extractor makes of a passage.

    `turns` are the cited ones by place; `quotes` are (turn, start, end) in their texts. `context` is what it
    answers, no part of its claim.
    """

    memory_type: str
    text: str
    turns: tuple[int, ...]
    speaker: str
    trust: str
    quotes: tuple[tuple[int, int, int], ...] = ()
    context: str | None = None
    modality: str | None = None
    is_negated: bool = False
    time: EventTime | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    mentions: tuple[Mention, ...] = ()
    assertions: tuple[Assertion, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """One item that is no record: a reason (`grounding_reasons.REMEDIES`), one line of detail, and the cited places."""

    reason: str
    detail: str = ""
    turns: tuple[int, ...] = ()


@dataclass(slots=True)
class Reading:
    """What an extractor made of one passage.

    `left_out` says of each turn (by place) without a record why; `refused` is what would have been a record.
    `memory_types` are those that it covers, where they are fewer than the extractor's. `unread` says why there is
    no reading at all: nothing of the passage is kept, and it is read again later.
    """

    made: list[Made] = field(default_factory=list)
    left_out: dict[int, str] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)
    memory_types: tuple[str, ...] | None = None
    unread: Refused | None = None
