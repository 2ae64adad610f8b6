"""Skills, experiences and edits as rows of the lake, and back: the same values on both sides.

A quote's row also names its message's revision (`content_hash`), which `Hashes` knows by message id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypermnesia.rules.skills.abstraction import Abstraction
from hypermnesia.rules.skills.experiences import CitedStep, Experience, Found
from hypermnesia.rules.skills.outcomes import Outcome
from hypermnesia.rules.skills.sessions import Span, TaskSession
from hypermnesia.rules.skills.versions import Avoidance, Change, Check, Citation, Edit, Reaction, Skill, SkillStep

Row = dict[str, Any]
#: The revision of each message by its id.
Hashes = Mapping[str, str]
#: What was found of a citation, by the skill, the part where it stands and its words.
Verdicts = Mapping[tuple[str, str, str], str]


def _span_row(span: Span | None, hashes: Hashes) -> Row | None:
    if span is None:
        return None
    place = {"message_id": span.message_id, "content_hash": hashes.get(span.message_id, "")}
    return place | {"start": span.start, "end": span.end, "text": span.text}


def _span(row: Mapping[str, Any]) -> Span:
    return Span(row["message_id"], row["start"], row["end"], row["text"])


def session_row(session: TaskSession, content_hash: str, abstraction: Abstraction, outcome: Outcome) -> Row:
    """A session with what was read of it."""
    hashes = {message.message_id: message.content_hash for message in session.messages}
    return {
        "session_id": session.session_id,
        "content_hash": content_hash,
        "conversation_id": session.messages[0].conversation_id,
        "task_text": session.task,
        "template": abstraction.template,
        "slots": [{"key": kind, "value": slot} for kind, slot in sorted(abstraction.slots.items())],
        "n_actions": len(session.steps),
        "outcome": outcome.verdict,
        "basis": outcome.basis,
        "quote": _span_row(outcome.quote, hashes),
        "said_at": session.at,
    }


def experience_row(one: Experience, session_hash: str, hashes: Hashes) -> Row:
    """An experience; `session_hash` is the revision of its session."""
    return {
        "experience_id": one.experience_id,
        "session_id": one.session_id,
        "session_hash": session_hash,
        "kind": one.kind,
        "template": one.found.template,
        "task_key": one.found.task_key,
        "outcome": one.found.outcome,
        "said_at": one.found.at,
        "steps": [
            {
                "pattern": list(step.pattern),
                "action": _span_row(step.action, hashes),
                "before": sorted(step.before),
                "until": step.until,
                "places": list(step.places),
            }
            for step in one.steps
        ],
        "quote": _span_row(one.quote, hashes),
        "word": one.word,
    }


def experience_of(row: Mapping[str, Any]) -> Experience:
    """The experience of a row."""
    found = Found(row["session_id"], row["template"], row["task_key"], row["outcome"], row["said_at"])
    steps = tuple(
        CitedStep(
            tuple(step["pattern"]),
            _span(step["action"]),
            frozenset(step["before"]),
            step["until"],
            tuple(step["places"]),
        )
        for step in row["steps"]
    )
    quote = _span(row["quote"]) if row["quote"] else None
    return Experience(row["experience_id"], found, row["kind"], steps, quote, row["word"])


def _citation_row(citation: Citation | None, hashes: Hashes) -> Row | None:
    if citation is None:
        return None
    names = {"experience_id": citation.experience_id, "session_id": citation.session_id}
    return names | {"action": _span_row(citation.action, hashes)}


def _citation(row: Mapping[str, Any]) -> Citation:
    return Citation(row["experience_id"], row["session_id"], _span(row["action"]))


def _step_row(step: SkillStep, hashes: Hashes) -> Row:
    return {
        "pattern": list(step.pattern),
        "text": step.text,
        "condition": step.condition,
        "until": step.until,
        "hints": list(step.hints),
        "n_with": step.n_with,
        "n_runs": step.n_runs,
        "experience_ids": list(step.experience_ids),
        "citation": _citation_row(step.citation, hashes),
    }


def _step(row: Mapping[str, Any]) -> SkillStep:
    return SkillStep(
        tuple(row["pattern"]),
        row["condition"],
        row["until"],
        tuple(row["hints"]),
        row["n_with"],
        row["n_runs"],
        tuple(row["experience_ids"]),
        _citation(row["citation"]),
    )


def skill_row(skill: Skill, hashes: Hashes) -> Row:
    """One version of a skill."""
    return {
        "skill_id": skill.skill_id,
        "version": skill.version,
        "previous": skill.previous,
        "name": skill.name,
        "triggers": list(skill.triggers),
        "steps": [_step_row(step, hashes) for step in skill.steps],
        "reactions": [
            {"after": list(one.after), "word": one.word, "step": _step_row(one.step, hashes)} for one in skill.reactions
        ],
        "avoid": [
            {
                "pattern": list(one.pattern),
                "answer": one.answer,
                "n_sessions": one.n_sessions,
                "last_seen": one.last_seen,
                "experience_ids": list(one.experience_ids),
                "citation": _citation_row(one.citation, hashes),
            }
            for one in skill.avoid
        ],
        "checks": [_check_row(one, hashes) for one in skill.checks],
        "signature": [list(pattern) for pattern in skill.signature],
        "n_tasks": skill.n_tasks,
        "n_successes": skill.n_successes,
        "experience_ids": list(skill.experience_ids),
        "status": skill.status,
    }


def skill_of(row: Mapping[str, Any]) -> Skill:
    """The version of a row. A held one is read as active: what it would be."""
    return Skill(
        skill_id=row["skill_id"],
        version=row["version"],
        name=row["name"],
        triggers=tuple(row["triggers"]),
        steps=tuple(_step(step) for step in row["steps"]),
        reactions=tuple(Reaction(tuple(one["after"]), one["word"], _step(one["step"])) for one in row["reactions"]),
        avoid=tuple(_avoidance(one) for one in row["avoid"]),
        signature=tuple(tuple(pattern) for pattern in row["signature"]),
        n_tasks=row["n_tasks"],
        n_successes=row["n_successes"],
        experience_ids=tuple(row["experience_ids"]),
        status="active" if row["status"] == "held" else row["status"],
        previous=row["previous"],
        checks=tuple(_check(one) for one in row["checks"]),
    )


_CHECK_FIGURES = ("name", "is_good", "n_good_with", "n_with", "n_good_without", "n_without")


def _check_row(one: Check, hashes: Hashes) -> Row:
    ids = {"experience_ids": list(one.experience_ids), "citation": _citation_row(one.citation, hashes)}
    return {name: getattr(one, name) for name in _CHECK_FIGURES} | ids


def _check(row: Mapping[str, Any]) -> Check:
    figures = {name: row[name] for name in _CHECK_FIGURES}
    return Check(**figures, experience_ids=tuple(row["experience_ids"]), citation=_citation(row["citation"]))


def _avoidance(row: Mapping[str, Any]) -> Avoidance:
    return Avoidance(
        tuple(row["pattern"]),
        row["answer"],
        row["n_sessions"],
        row["last_seen"],
        tuple(row["experience_ids"]),
        _citation(row["citation"]),
    )


def edit_row(edit: Edit, verdicts: Verdicts, hashes: Hashes) -> Row:
    """One decision, with what was found of the citations of its changes."""
    return {
        "edit_id": edit.edit_id,
        "decision": edit.decision,
        "reason": edit.reason,
        "skill_id": edit.skill_id,
        "from_version": edit.from_version,
        "to_version": edit.to_version,
        "experience_ids": list(edit.experience_ids),
        "changes": [_change_row(edit, change, verdicts, hashes) for change in edit.changes],
    }


def _change_row(edit: Edit, change: Change, verdicts: Verdicts, hashes: Hashes) -> Row:
    return {
        "part": change.part,
        "n": change.n,
        "old": change.old,
        "new": change.new,
        "experience_ids": list(change.experience_ids),
        "citation": _citation_row(change.citation, hashes),
        "verdict": verdict_of(verdicts, edit, change),
    }


def hashes_of(sessions: Sequence[TaskSession]) -> dict[str, str]:
    """The revision of each message of sessions."""
    return {message.message_id: message.content_hash for session in sessions for message in session.messages}


def verdict_of(verdicts: Verdicts, edit: Edit, change: Change) -> str:
    """What was found of a change's citation; "" where a change has none to be checked."""
    return verdicts.get((edit.skill_id or "", change.part, change.new), "")
