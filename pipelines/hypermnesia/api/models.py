"""What the API takes and answers, as the OpenAPI document shows it. Answers are sent as they are made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from hypermnesia.rules.as_of import parse_as_of

MOST_ROWS = 200
MOST_TEXT = 4_000
_DAY = (
    "[1-8][0-9]{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))"
)
_TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?"
#: An ISO date, or time with or without an offset; far from the first and last years that a calendar has here.
_AS_OF = f"^{_DAY}(?:T{_TIME}(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])?)?$"


def _said(text: str) -> str:
    """A text that says something; what counts as a space differs by regular expression."""
    if not text.strip():
        raise ValueError("is empty")
    return text


def _moment(text: str) -> str:
    """A day that the month has."""
    parse_as_of(text)
    return text


Text = Annotated[str, Field(min_length=1, max_length=MOST_TEXT, pattern=r"\S"), AfterValidator(_said)]
User = Annotated[str, Field(min_length=1, max_length=512, pattern=r"\S"), AfterValidator(_said)]
AsOf = Annotated[
    str,
    Field(pattern=_AS_OF, description="An ISO date or time: what was said later is left out."),
    AfterValidator(_moment),
]
Limit = Annotated[int, Field(ge=1, le=MOST_ROWS)]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Question(_Closed):
    """A question; `user` is for service keys."""

    question: Text
    user: User | None = None
    as_of: AsOf | None = None
    limit: Limit | None = None
    profile: Literal["default", "papers", "direct"] = "default"
    explain: bool = False


class SecretRequest(_Closed):
    """Why a secret is read, for the audit log; `user` is for service keys."""

    reason: Text
    user: User | None = None


class Source(_Closed):
    """Where a cited message was seen; `native_id` is the archive's own id of it."""

    message_id: str
    archive: str
    conversation: str
    native_id: str | None


class EventTime(_Closed):
    """A civil interval, ISO, in the author's zone."""

    start: str | None
    end: str | None
    precision: str | None


class Row(_Closed):
    """One record as evidence."""

    row_id: str
    memory_type: str
    text: str
    speaker: str
    said_at: str | None
    event_time: EventTime
    modality: str | None
    lane: str
    score: float
    sources: list[Source]


class Answer(BaseModel):
    """Evidence for a question: exactly the object of `ask --json`."""

    id: str | None
    user: str
    question: str
    operation: str
    facts: list[dict[str, Any]]
    rows: list[Row]
    fallback: str | None
    ms: float
    explain: dict[str, Any] | None = None


class CitedRecord(_Closed):
    """A record that a fact came from."""

    row_id: str
    text: str
    said_at: str | None
    is_negated: bool
    sources: list[Source]


class CoreFact(_Closed):
    """One value of the current view; `predicate` and `value` are null for a record of type core."""

    memory_type: str
    predicate: str | None
    subject: str
    value: str | None
    kind: str
    status: Literal["in_force", "superseded", "denied", "not_asserted"]
    text: str
    is_negated: bool
    modality: str | None
    trust: str
    said_at: str | None
    event_time: EventTime
    records: list[CitedRecord]


class Core(_Closed):
    """The core memory: the current view."""

    user: str
    as_of: str | None
    facts: list[CoreFact]


class _Found(_Closed):
    row_id: str
    text: str
    speaker: str
    trust: str
    said_at: str | None
    score: float
    sources: list[Source]


class Procedure(_Found):
    """One procedure with its steps."""

    steps: list[str]


class Procedures(_Closed):
    """The procedures for a task; none where none is near enough."""

    user: str
    task: str
    procedures: list[Procedure]


class Skill(_Closed):
    """A version of a skill with a task's names put in; `how` it was found: its exact template, or the nearest."""

    skill_id: str
    version: int
    name: str
    trigger: str
    bindings: dict[str, str]
    how: str
    score: float
    markdown: str


class SkillFound(_Closed):
    """The skill for a task: a wrong one harms more than none."""

    task: str
    skill: Skill | None


class Resource(_Found):
    """A part of a document, or another thing that was sent; `start` and `end` count characters in the document."""

    title: str | None
    section: str | None
    kind: str | None
    start: int | None
    end: int | None


class Resources(_Closed):
    """The resources that have a word of the query."""

    user: str
    query: str
    resources: list[Resource]


class Shown(BaseModel):
    """Anything by its id, with what it came from and what it supports; other names as `show --json` has them."""

    model_config = ConfigDict(extra="allow")


class Trace(_Closed):
    """Every stage's verdict on one message."""

    message_id: str
    user_id: str
    is_remembered: bool
    stages: dict[str, str]


class Secret(_Closed):
    """A secret with its value."""

    vault_id: str
    kind: str
    placeholder: str
    message_id: str
    content_hash: str
    value: str


class State(_Closed):
    """Whether the server is up, or can answer."""

    status: Literal["ok", "ready"]
