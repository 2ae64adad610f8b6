"""What a model may answer: one small closed schema a prompt, every field bounded and required.

Bounds are what keeps a constrained engine from running a field to its last token; the list of items is short
enough for one answer of its prompt's `max_tokens`. Messages are cited by the number that the prompt shows.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

#: Most messages of a chunk (DESIGN 3): the largest number that can be cited.
MOST_MESSAGES = 64
MOST_ITEMS = 24

Text = Annotated[str, Field(min_length=1, max_length=480)]
Name = Annotated[str, Field(min_length=1, max_length=120)]
Words = Annotated[str, Field(max_length=120)]
Quote = Annotated[str, Field(min_length=1, max_length=320)]
Place = Annotated[int, Field(ge=1, le=MOST_MESSAGES)]
Cites = Annotated[list[Place], Field(min_length=1, max_length=4)]
#: How a record's event stands to what happened (DESIGN 3).
Modality = Literal["done", "planned", "cancelled", "hypothetical", "quoted", "question"]
AnchorType = Literal["person", "organization", "location", "object", "concept", "event", "work"]
#: The types of anchors whose names are judged and merged (DESIGN 6).
MergedType = Literal["person", "organization", "location", "object", "concept"]
Role = Literal[
    "agent",
    "object",
    "owner",
    "topic",
    "place",
    "companion",
    "purpose",
    "recipient",
    "oblique",
    "source",
    "name",
]


class Answer(BaseModel):
    """A closed object: a field that the schema does not name makes the answer unparseable."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """The schema that the engine is asked to hold to."""
        return cls.model_json_schema()


class RouterAnswer(Answer):
    """Which writers see a chunk."""

    core: bool
    episodic: bool
    semantic: bool
    procedural: bool
    resource: bool


class Item(Answer):
    """What every record says: its claim, the messages it cites, and words of one of them."""

    text: Text
    cites: Cites
    quote: Quote


class EpisodicItem(Item):
    """Something that happened, will happen or was said; `when` are the message's own words of time, else ""."""

    modality: Modality
    negated: bool
    when: Words


class SemanticItem(Item):
    """A stable fact; `about` is whom or what it is a fact of."""

    about: Name
    negated: bool
    when: Words


class CoreItem(Item):
    """A lasting state of the user, or the user's own order to the assistant."""

    about: Name
    kind: Literal["fact", "preference", "instruction"]
    negated: bool


class ProceduralItem(Item):
    """How something is done, step by step."""

    steps: Annotated[list[Text], Field(min_length=2, max_length=12)]


class ResourceItem(Item):
    """A document, a picture or a link that was sent, with what it is about."""

    title: Name
    kind: Literal["document", "link", "image", "audio", "video", "file", "code"]


class EpisodicAnswer(Answer):
    """The episodic writer's."""

    records: Annotated[list[EpisodicItem], Field(max_length=MOST_ITEMS)]


class SemanticAnswer(Answer):
    """The semantic writer's."""

    records: Annotated[list[SemanticItem], Field(max_length=MOST_ITEMS)]


class CoreAnswer(Answer):
    """The core writer's."""

    records: Annotated[list[CoreItem], Field(max_length=12)]


class ProceduralAnswer(Answer):
    """The procedural writer's."""

    records: Annotated[list[ProceduralItem], Field(max_length=6)]


class ResourceAnswer(Answer):
    """The resource writer's."""

    records: Annotated[list[ResourceItem], Field(max_length=12)]


class SingleAnswer(Answer):
    """All writers' in one call."""

    core: Annotated[list[CoreItem], Field(max_length=8)]
    episodic: Annotated[list[EpisodicItem], Field(max_length=MOST_ITEMS)]
    semantic: Annotated[list[SemanticItem], Field(max_length=MOST_ITEMS)]
    procedural: Annotated[list[ProceduralItem], Field(max_length=4)]
    resource: Annotated[list[ResourceItem], Field(max_length=8)]


class Entity(Answer):
    """One thing that is named; frames point to it by `id`."""

    id: Annotated[int, Field(ge=0, le=255)]
    name: Name
    type: AnchorType


class FrameRole(Answer):
    """One place of a frame. `entity` is an id; a name that exactly one entity has is understood too."""

    role: Role
    entity: Annotated[int, Field(ge=0, le=255)] | Name


class Attribute(Answer):
    """A number, price, date or quantity; a list of pairs, never a free map."""

    key: Annotated[str, Field(min_length=1, max_length=40)]
    value: Annotated[str, Field(min_length=1, max_length=120)]


class FrameItem(Answer):
    """One statement of one record (by its number in the prompt)."""

    record: Annotated[int, Field(ge=1, le=255)]
    predicate: Annotated[str, Field(min_length=1, max_length=40)]
    event: bool
    roles: Annotated[list[FrameRole], Field(min_length=1, max_length=8)]
    attributes: Annotated[list[Attribute], Field(max_length=8)]
    occasion: Words


class FramesAnswer(Answer):
    """The frame extractor's."""

    entities: Annotated[list[Entity], Field(max_length=64)]
    frames: Annotated[list[FrameItem], Field(max_length=64)]


class RepairedItem(Answer):
    """A record's text, said again with what it had dropped."""

    record: Annotated[int, Field(ge=1, le=255)]
    text: Text


class RepairAnswer(Answer):
    """The repair call's."""

    records: Annotated[list[RepairedItem], Field(max_length=MOST_ITEMS)]


class SameEntityAnswer(Answer):
    """The judge's: `candidate` is the number of the one that is the same, 0 where none is or nobody can tell."""

    verdict: Literal["same", "different", "unsure"]
    candidate: Annotated[int, Field(ge=0, le=32)]


class InjectionAnswer(Answer):
    """Whether a text gives orders to its reader or to its reader's memory."""

    instructs_reader: bool
    kind: Literal["none", "override", "persist", "advert", "exfiltration", "authority", "false_memory", "other"]


ANSWERS: dict[str, type[Answer]] = {
    model.__name__: model
    for model in (
        RouterAnswer,
        CoreAnswer,
        EpisodicAnswer,
        SemanticAnswer,
        ProceduralAnswer,
        ResourceAnswer,
        SingleAnswer,
        FramesAnswer,
        RepairAnswer,
        SameEntityAnswer,
        InjectionAnswer,
    )
}
