"""The lake's tables: Arrow schema, key and statistics of each (DESIGN 3).

Every table that holds people's data has `user_id` and is partitioned by `bucket`. Strings are
`large_string`, times are UTC microseconds; a civil time (a wall clock, an event's start) is an ISO
string without a zone, since moving it to UTC would move the day that the author meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

SCHEMA_VERSION = 1

_S = pa.large_string()
_TIME = pa.timestamp("us", tz="UTC")
_INT = pa.int64()
_REVISION = pa.struct([pa.field("message_id", _S), pa.field("content_hash", _S)])
_QUOTE = pa.struct(
    [pa.field("message_id", _S), pa.field("content_hash", _S), pa.field("start", _INT), pa.field("end", _INT)]
)
_PAIR = pa.struct([pa.field("key", _S), pa.field("value", _S)])
_EVENT = {
    "event_start": _S,
    "event_end": _S,
    "event_precision": _S,
    "event_timezone": _S,
    "is_event_tz_known": pa.bool_(),
    "modality": _S,
    "is_negated": pa.bool_(),
}
_ITEM = pa.struct([pa.field(n, t) for n, t in {"row_id": _S, "context": _S, **_EVENT}.items()])
_ROLE = pa.struct([pa.field("role", _S), pa.field("mention_id", _S), pa.field("anchor_id", _S)])
_COUNT = pa.struct([pa.field("reason", _S), pa.field("n", _INT)])


def _struct(**fields: pa.DataType) -> pa.DataType:
    return pa.struct([pa.field(name, kind) for name, kind in fields.items()])


_WORDS = pa.list_(_S)
_SPAN = _struct(message_id=_S, content_hash=_S, start=_INT, end=_INT, text=_S)
_CITATION = _struct(experience_id=_S, session_id=_S, action=_SPAN)
_CITED_STEP = _struct(pattern=_WORDS, action=_SPAN, before=_WORDS, until=_S, places=_WORDS)
_SKILL_STEP = _struct(
    pattern=_WORDS,
    text=_S,
    condition=_S,
    until=_S,
    hints=_WORDS,
    n_with=_INT,
    n_runs=_INT,
    experience_ids=_WORDS,
    citation=_CITATION,
)
_REACTION = _struct(after=_WORDS, word=_S, step=_SKILL_STEP)
_AVOIDANCE = _struct(
    pattern=_WORDS, answer=_S, n_sessions=_INT, last_seen=_S, experience_ids=_WORDS, citation=_CITATION
)
_CHECK = _struct(
    name=_S,
    is_good=pa.bool_(),
    n_good_with=_INT,
    n_with=_INT,
    n_good_without=_INT,
    n_without=_INT,
    experience_ids=_WORDS,
    citation=_CITATION,
)
_CHANGE = _struct(part=_S, n=_INT, old=_S, new=_S, experience_ids=_WORDS, citation=_CITATION, verdict=_S)
#: Whose learning a row is: the agent, or the name under which an operator declares several users' agents one.
_LEARNER = {"agent": _S, "is_shared": pa.bool_()}


@dataclass(frozen=True)
class TableSpec:
    """One table: its schema, the columns that name a row, and whether it is partitioned by bucket."""

    name: str
    schema: pa.Schema
    key: tuple[str, ...]
    is_bucketed: bool = True

    @property
    def statistics_columns(self) -> list[str]:
        """Columns whose minima and maxima may be kept: times and numbers, never text (DESIGN 3)."""
        partition = {"bucket"} if self.is_bucketed else set()
        return [
            f.name
            for f in self.schema
            if f.name not in partition and (pa.types.is_timestamp(f.type) or pa.types.is_integer(f.type))
        ]

    def table(self, rows: Iterable[Mapping[str, Any]]) -> pa.Table:
        """Rows as a table of this schema; `schema_version` is filled in, other missing columns are null.

        Raises `KeyError` for a column that the schema does not have (a typo would lose data).
        """
        names = set(self.schema.names)
        full = []
        for row in rows:
            if unknown := set(row) - names:
                raise KeyError(f"table {self.name} has no column {sorted(unknown)}")
            full.append({"schema_version": SCHEMA_VERSION, **row})
        return pa.Table.from_pylist(full, schema=self.schema)

    def conform(self, table: pa.Table) -> pa.Table:
        """The table with exactly this schema: columns in order, types cast, a naive time refused.

        Raises `ValueError` naming table and column.
        """
        columns = []
        for field in self.schema:
            index = table.schema.get_field_index(field.name)
            if index < 0:
                raise ValueError(f"table {self.name}: column {field.name} is missing")
            column = table.column(index)
            if pa.types.is_timestamp(field.type) and getattr(column.type, "tz", None) is None:
                raise ValueError(f"table {self.name}: column {field.name} has no time zone; store UTC")
            columns.append(column.cast(field.type))
        return pa.Table.from_arrays(columns, schema=self.schema)

    def empty(self) -> pa.Table:
        """A table of this schema without rows."""
        return self.schema.empty_table()


def _spec(name: str, columns: Mapping[str, pa.DataType], key: Iterable[str], *, is_bucketed: bool = True) -> TableSpec:
    owner = {"user_id": _S, "bucket": pa.int32()} if is_bucketed else {}
    every = {**owner, **columns, "shard_id": _S, "schema_version": pa.int32()}
    return TableSpec(name, pa.schema([pa.field(n, t) for n, t in every.items()]), tuple(key), is_bucketed)


MESSAGES = _spec(
    "messages",
    {
        "message_id": _S,
        "content_hash": _S,  # of the text as it came: the message's revision
        "source": _S,  # format and source id, never a path
        "conversation_id": _S,
        "conversation": _S,  # the archive's own id of it
        "native_id": _S,
        "part": _S,  # "" for what was said, "attachment/000" and so on for what came with it
        "parent_message_id": _S,  # the message that this one came with
        "kind": _S,  # utterance, attachment, tool_call, tool_result, document, system
        "text": _S,
        "written_at": _S,  # the time as the archive writes it
        "reply_to": _S,
        "attributes": pa.list_(_PAIR),
    },
    ["message_id", "content_hash"],
)

MESSAGE_SOURCES = _spec(
    "message_sources",
    {
        "message_id": _S,
        "content_hash": _S,
        "archive": _S,  # the file's name inside the path that was given
        "position": _INT,  # ordinal of the entry in the archive
        "locator": _S,  # where a person finds it: "line 12", "conv-26 D1:3"
        # From here on: what this archive says of the message, which another may say otherwise.
        "title": _S,
        "session": _S,  # the archive's own session, else null: then gaps in time cut sessions
        "branch": _S,  # "" is the conversation; others are kept beside it
        "speaker": _S,
        "role": _S,  # user, person, assistant, system, tool
        "revised_at": _TIME,  # when this revision was written, where it is an edit
        "is_deleted": pa.bool_(),
        "is_repaired": pa.bool_(),
        "sequence": _INT,  # order among messages of one conversation and one written time
        "said_at": _TIME,
        "said_local": _S,  # the author's wall clock as a civil ISO time
        "timezone": _S,
        "is_tz_known": pa.bool_(),
        "seen_at": _TIME,  # when the run that read it began: a corrected time zone is a later sighting
    },
    ["message_id", "content_hash", "archive", "position", "timezone", "revised_at", "is_deleted"],
)

VAULT = _spec(
    "vault",
    {
        "vault_id": _S,
        "message_id": _S,  # or the conversation's, where it stood in a title or a name that its messages share
        "content_hash": _S,  # of the text as it came
        "kind": _S,
        "ordinal": _INT,  # among the secrets of its kind in that text, from 1
        "placeholder": _S,  # what stands in the text for it
        "ciphertext": pa.large_binary(),
        "key_id": _S,  # the user's data key that it was sealed with
    },
    ["vault_id"],
)

CHUNKS = _spec(
    "chunks",
    {
        "chunk_id": _S,
        "content_hash": _S,
        "conversation_id": _S,
        "messages": pa.list_(_REVISION),
        "lead": pa.list_(_REVISION),  # what was said just before: read as context, not extracted
        "n_messages": _INT,
        "n_characters": _INT,
    },
    ["chunk_id", "content_hash"],
)

ANSWERS = _spec(
    "answers",
    {
        "answer_id": _S,  # the call's: of the chunk, the prompt, the model, and all that was asked
        "chunk_id": _S,  # of skills: the session, or an experience of the kind of task
        "passage_hash": _S,  # of the passage that the chunk was when it was asked about
        "prompt": _S,
        "prompt_version": _S,
        "prompt_hash": _S,  # of the prompt's text: one version has one text
        "model": _S,
        "first_turn": _INT,  # the window: its first turn in the passage, and how many
        "n_turns": _INT,
        "attempt": _INT,
        "change": _S,  # what this attempt changed: "", "larger", "smaller"
        "about": pa.list_(_S),  # the texts of the records that it asks about, as it numbers them from 1
        "status": _S,
        "raw_text": _S,
        "detail": _S,
        "n_tokens_in": _INT,
        "n_tokens_cached": _INT,
        "n_tokens_out": _INT,
        "seconds": pa.float64(),
        "committed_at": _TIME,
    },
    ["answer_id", "status"],  # an engine's error is a row, and the answer of a later run is another
)

EXTRACTIONS = _spec(
    "extractions",
    {
        "extraction_id": _S,  # of chunk content, prompt and version
        "chunk_id": _S,
        "passage_hash": _S,  # of all that was read: the chunk, what came before, speakers and times
        "memory_types": pa.list_(_S),  # what this answer covers, whether or not it holds records of it
        "extractor": _S,
        "extractor_version": _S,
        "prompt": _S,
        "prompt_version": _S,
        "model": _S,
        "status": _S,
        "raw_text": _S,
        "n_tokens_in": _INT,
        "n_tokens_out": _INT,
        "seconds": pa.float64(),
        "items": pa.list_(_ITEM),  # its records, each with what this passage makes of it
    },
    ["extraction_id"],
)

RECORDS = _spec(
    "records",
    {
        "row_id": _S,
        "memory_type": _S,
        "text": _S,
        **_EVENT,  # as it was first read; the item of the extraction in force says what holds
        "said_at": _TIME,
        "said_local": _S,
        "committed_at": _TIME,
        "speaker": _S,
        "context": _S,
        "cited": pa.list_(_REVISION),
        "quotes": pa.list_(_QUOTE),
        "chunk_id": _S,
        "extraction_id": _S,
        "derived_from": pa.list_(_S),
        "attributes": pa.list_(_PAIR),
        "trust": _S,
        "extractor": _S,
        "extractor_version": _S,
        "prompt_version": _S,
    },
    ["row_id"],
)

MENTIONS = _spec(
    "mentions",
    {
        "mention_id": _S,
        "extraction_id": _S,
        "row_id": _S,
        "message_id": _S,
        "surface": _S,
        "type": _S,
        "key": _S,  # the anchor key of the surface
        "anchor_id": _S,  # as written, before any merge
        "start": _INT,  # characters in the message's text; null where the words are implied ("I")
        "end": _INT,
    },
    ["mention_id"],
)

ASSERTIONS = _spec(
    "assertions",
    {
        "frame_id": _S,
        "row_id": _S,
        "extraction_id": _S,
        "predicate": _S,
        "is_event": pa.bool_(),
        "occurrence": _S,  # "" for a state; the day or finer, a named occasion, or the row_id
        "roles": pa.list_(_ROLE),
        **_EVENT,
        "attributes": pa.list_(_PAIR),
        "start": _INT,
        "end": _INT,
    },
    ["frame_id", "row_id", "extraction_id"],
)

MERGES = _spec(
    "merges",
    {
        "decision_id": _S,
        "decision": _S,  # same, different, split, linked, deferred, blocked, undone
        "anchor_type": _S,
        "left_id": _S,  # two original anchors, the smaller id first
        "right_id": _S,
        "left_name": _S,
        "right_name": _S,
        "mention_ids": pa.list_(_S),  # of a split or a link
        "undoes": _S,  # the decision that this one takes back
        "score": pa.float64(),
        "judge": _S,  # string, model, person
        "rule": _S,
        "judge_version": _S,
        "round": _S,  # write, stream, nightly
        "reason": _S,
        "run_id": _S,
        "decided_at": _TIME,
    },
    ["decision_id"],
)

ACTIVATIONS = _spec(
    "activations",
    {
        "activation_id": _S,
        "memory_type": _S,
        "extractor_version": _S,
        "ordinal": _INT,  # a later activation of a type goes before an earlier one
        "activated_at": _TIME,
        "run_id": _S,
    },
    ["activation_id"],
    is_bucketed=False,
)

EMBEDDINGS = _spec(
    "embeddings",
    {
        "id": _S,
        "kind": _S,  # record, name
        "model": _S,
        "text_hash": _S,
        "vector": pa.list_(pa.float32()),
        "tokens": pa.large_binary(),  # of a record with the row before it: compact vectors of its words
    },
    ["id", "model", "text_hash"],
)

REJECTS = _spec(
    "rejects",
    {
        "reject_id": _S,
        "stage": _S,
        "reason": _S,
        "archive": _S,
        "locator": _S,
        "subject_id": _S,
        "detail": _S,
        "remedy": _S,
        "rejected_at": _TIME,
    },
    ["reject_id"],
)

COMMITS = _spec(
    "commits",
    {
        "stage": _S,
        "version": _S,
        "shard_bucket": pa.int32(),
        "n_in": _INT,
        "n_out": _INT,
        "n_rejected": _INT,
        "n_merged": _INT,
        "n_deferred": _INT,
        "reasons": pa.list_(_COUNT),
        "measures": pa.list_(_COUNT),  # sums that a run reports beside its counts
        "seconds": pa.float64(),
        "cpu_seconds": pa.float64(),
        "run_id": _S,
        "committed_at": _TIME,
    },
    ["stage", "shard_id"],
    is_bucketed=False,
)

RUNS = _spec(
    "runs",
    {
        "run_id": _S,
        "command": _S,
        "config_hash": _S,
        "versions": _S,
        "status": _S,
        "counts": _S,
        "digests": _S,
        "started_at": _TIME,
        "ended_at": _TIME,
        "seconds": pa.float64(),
        "error": _S,
    },
    ["run_id"],
    is_bucketed=False,
)

SESSIONS = _spec(
    "sessions",
    {
        "session_id": _S,  # hash of the conversation and the request
        "content_hash": _S,  # of its messages' revisions: a longer export of it is read again
        **_LEARNER,
        "conversation_id": _S,
        "task_text": _S,
        "template": _S,
        "slots": pa.list_(_PAIR),
        "n_actions": _INT,
        "outcome": _S,  # success, failure, unclear
        "basis": _S,  # environment, budget, loop, goal_check, person, model, none
        "quote": _SPAN,
        "said_at": _S,
        "night": _INT,  # of its learner, from 1
        "distiller_version": _S,
    },
    ["session_id", "content_hash", "agent", "is_shared"],
)

EXPERIENCES = _spec(
    "experiences",
    {
        "experience_id": _S,
        "session_id": _S,
        "session_hash": _S,
        **_LEARNER,
        "kind": _S,  # repeat, avoid, remedy, condition, feature
        "template": _S,
        "task_key": _S,  # tasks are counted, not sessions
        "outcome": _S,
        "said_at": _S,
        "steps": pa.list_(_CITED_STEP),
        "quote": _SPAN,
        "word": _S,
        "night": _INT,
        "distiller_version": _S,
    },
    ["experience_id", "session_hash", "agent", "is_shared"],
)

SKILLS = _spec(
    "skills",
    {
        "skill_id": _S,
        "version": _INT,
        "previous": _INT,
        **_LEARNER,
        "name": _S,
        "triggers": _WORDS,
        "steps": pa.list_(_SKILL_STEP),
        "reactions": pa.list_(_REACTION),
        "avoid": pa.list_(_AVOIDANCE),
        "checks": pa.list_(_CHECK),  # features that tell successes from failures
        "signature": pa.list_(_WORDS),  # the kinds of action that its environment had
        "n_tasks": _INT,
        "n_successes": _INT,
        "experience_ids": _WORDS,
        "status": _S,  # active, retired, withdrawn (by a person), held (not published)
        "reason": _S,  # why it is not published, or what a person said
        "checked": _S,  # what the replay of held-out sessions said
        "judge": _S,  # rules, model, person
        "distiller_version": _S,
        "run_id": _S,
        "decided_at": _TIME,
    },
    ["skill_id", "version"],
)

SKILL_EDITS = _spec(
    "skill_edits",
    {
        "edit_id": _S,
        **_LEARNER,
        "decision": _S,  # create, modify, delete, defer, covered, not_worth; roll_back, withdraw by a person
        "reason": _S,
        "skill_id": _S,
        "from_version": _INT,
        "to_version": _INT,
        "experience_ids": _WORDS,
        "changes": pa.list_(_CHANGE),
        "night": _INT,
        "judge": _S,
        "distiller_version": _S,
        "run_id": _S,
        "decided_at": _TIME,
    },
    ["edit_id", "night"],
)

SKILL_USES = _spec(
    "skill_uses",
    {
        "use_id": _S,
        "skill_id": _S,
        "version": _INT,
        "session": _S,  # the caller's own name of the session
        "outcome": _S,  # success, failure
        "used_at": _TIME,
    },
    ["use_id"],
)

TABLES: dict[str, TableSpec] = {
    t.name: t
    for t in (
        MESSAGES,
        MESSAGE_SOURCES,
        VAULT,
        CHUNKS,
        ANSWERS,
        EXTRACTIONS,
        RECORDS,
        MENTIONS,
        ASSERTIONS,
        MERGES,
        ACTIVATIONS,
        EMBEDDINGS,
        SESSIONS,
        EXPERIENCES,
        SKILLS,
        SKILL_EDITS,
        SKILL_USES,
        REJECTS,
        COMMITS,
        RUNS,
    )
}
