"""Citations: does a skill's step really stand in the session that it names?

"The quote occurs in the session" is weak for logs, where lines repeat (`notes/skills.md`). So a citation names
an experience, a message and its offsets, and the cited action, abstracted under the session's own slots, must
equal the step.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Literal

from hypermnesia.rules.skills.abstraction import ANY, Abstraction, Pattern, arguments_of, is_argument, pattern_of
from hypermnesia.rules.skills.actions import parse_action
from hypermnesia.rules.skills.experiences import Experience
from hypermnesia.rules.skills.sessions import TaskSession, resolve
from hypermnesia.rules.skills.versions import Citation, Skill, SkillStep

CitationVerdict = Literal["ok", "unknown_experience", "other_session", "no_such_words", "other_action", "other_step"]

_NTH = re.compile(r"\{([A-Z])\d+\}")


def check_citation(
    skill: Skill,
    step: SkillStep,
    citation: Citation,
    experiences: Mapping[str, Experience],
    sessions: Mapping[str, TaskSession],
    abstractions: Mapping[str, Abstraction],
) -> CitationVerdict:
    """Whether a citation bears out a skill's step, or the first reason why not. All mappings are by id."""
    experience = experiences.get(citation.experience_id)
    if experience is None or citation.experience_id not in step.experience_ids:
        return "unknown_experience"
    session = sessions.get(citation.session_id)
    abstraction = abstractions.get(citation.session_id)
    if session is None or abstraction is None or experience.session_id != citation.session_id:
        return "other_session"
    if resolve(session, citation.action) is None:
        return "no_such_words"
    shown = [cited for cited in experience.steps if cited.action == citation.action]
    if not shown:
        return "other_action"
    found = pattern_of(parse_action(citation.action.text), abstraction)
    if len(arguments_of(found)) == 1 and shown[0].pattern == _anywhere(found):
        found = shown[0].pattern  # where a thing was found, which may be a place of the task too
    named = {word for one in skill.steps for word in one.pattern if word.startswith("[") and word != ANY}
    return "ok" if _equals(step.pattern, found, named, is_loose=experience.kind != "repeat") else "other_step"


def check_skill(
    skill: Skill,
    experiences: Mapping[str, Experience],
    sessions: Mapping[str, TaskSession],
    abstractions: Mapping[str, Abstraction],
) -> Iterator[tuple[SkillStep, CitationVerdict]]:
    """Each step of a skill, its reactions too, with the verdict of its citation."""
    for step in (*skill.steps, *(reaction.step for reaction in skill.reactions)):
        yield step, check_citation(skill, step, step.citation, experiences, sessions, abstractions)


def _anywhere(pattern: Pattern) -> Pattern:
    return tuple(ANY if is_argument(word) else word for word in pattern)


def _equals(step: Pattern, found: Pattern, named: Collection[str], *, is_loose: bool) -> bool:
    """The same words; "[*]" is any place but those that the skill names.

    Of a remedy or reaction the slots' ordinals and places may differ.
    """
    if len(step) != len(found):
        return False
    for word, other in zip(step, found, strict=True):
        if word == other or (word == ANY and other.startswith("[") and other not in named):
            continue
        if is_loose and (word == ANY or _NTH.sub(r"{\1}", word) == _NTH.sub(r"{\1}", other)):
            continue
        return False
    return True
