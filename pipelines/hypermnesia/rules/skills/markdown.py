"""A skill as Markdown that an agent can put into its prompt (`SKILL.md`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from hypermnesia.rules.skills.abstraction import Pattern
from hypermnesia.rules.skills.versions import Citation, Skill, SkillStep


def render_skill(skill: Skill, bindings: Mapping[str, str] | None = None, as_of: str = "") -> str:
    """Front matter (name, version, triggers), steps, what to do wherever, what to avoid and to check, and citations.

    `bindings` put a task's words in place of the slots; what to avoid is left out once it has expired at `as_of`.
    """
    names = {f"{{{slot}}}": word for slot, word in (bindings or {}).items()}
    return "\n".join([*_front(skill), "", *_body(skill, names, as_of)]) + "\n"


def _front(skill: Skill) -> Iterator[str]:
    yield "---"
    yield f"name: {json.dumps(skill.name, ensure_ascii=False)}"
    yield f"skill_id: {skill.skill_id}"
    yield f"version: {skill.version}"
    yield f"status: {skill.status}"
    yield "triggers:"
    yield from (f"  - {json.dumps(trigger, ensure_ascii=False)}" for trigger in skill.triggers)
    yield f"learned_from: {skill.n_successes} sessions, {skill.n_tasks} tasks"
    yield "---"


def _body(skill: Skill, names: Mapping[str, str], as_of: str) -> Iterator[str]:
    yield f"# {skill.name}"
    yield ""
    yield "## Steps"
    cited: list[Citation] = []
    for n, step in enumerate(skill.steps, start=1):
        cited.append(step.citation)
        yield f"{n}. {_line(step, names)} [^{len(cited)}]"
    if skill.reactions:
        yield from ("", "## Whenever")
    for reaction in skill.reactions:
        cited.append(reaction.step.citation)
        after, then = " ".join(reaction.after), _words(reaction.step.pattern, names)
        yield f'- If the answer to `{after}` says "{reaction.word}": `{then}` [^{len(cited)}]'
    avoid = [avoidance for avoidance in skill.avoid if avoidance.is_in_force(as_of)]
    if avoid:
        yield from ("", "## Avoid")
    for avoidance in avoid:
        cited.append(avoidance.citation)
        said = " ".join(avoidance.answer.split())[:120]
        line = f'- `{_words(avoidance.pattern, names)}`: failed in {avoidance.n_sessions} sessions ("{said}")'
        yield f"{line} [^{len(cited)}]"
    if skill.checks:
        yield from ("", "## Check")
    for check in skill.checks:
        cited.append(check.citation)
        share = (
            f"{check.n_good_with} of {check.n_with} succeeded, without it {check.n_good_without} of {check.n_without}"
        )
        yield f"- {'Make sure of' if check.is_good else 'Beware of'}: {check.name} (with it {share}) [^{len(cited)}]"
    yield ""
    for n, citation in enumerate(cited, start=1):
        where = f"{citation.action.message_id} {citation.action.start}-{citation.action.end}"
        yield f"[^{n}]: `{citation.action.text}` ({where}, {citation.experience_id})"


def _line(step: SkillStep, names: Mapping[str, str]) -> str:
    parts = [f'if the answer before says "{step.condition}":'] if step.condition else []
    parts.append(f"`{_words(step.pattern, names)}`")
    if step.until:
        parts.append(f"again at other places until you see {names.get(step.until, step.until)}")
    if step.hints:
        parts.append(f"(often {', '.join(step.hints)})")
    return " ".join(parts) + f" ({step.n_with} of {step.n_runs})"


def _words(pattern: Pattern, names: Mapping[str, str]) -> str:
    return " ".join(names.get(word, word) for word in pattern)
