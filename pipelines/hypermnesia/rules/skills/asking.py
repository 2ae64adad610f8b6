"""What a model is asked about a session, and about one kind of task: numbered lines, each as long as it may be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from hypermnesia.contracts.skill_answers import MOST_LINES, SessionAnswer, SkillAnswer
from hypermnesia.rules.model_calls import Asked, Failure, Said, once
from hypermnesia.rules.prompting import Prompt, material_call
from hypermnesia.rules.skills.abstraction import Abstraction
from hypermnesia.rules.skills.proposed_edits import ShownGroup
from hypermnesia.rules.skills.sessions import Message, TaskSession

SESSION, SKILL = "distill_skills", "curate_skills"

#: The characters of one message, and of all of them: an answer of a page says what it says in its beginning.
MOST_OF_ONE, MOST_OF_ALL = 1_200, 12_000
MOST_SHOWN_LINES = 160
_LEAST_OF_ONE = 60

#: Asks one call about a session or a kind of task; None where there is no answer now.
AskAbout = Callable[[str, Asked], Awaitable[Said | None]]


@dataclass(frozen=True)
class SkillPrompts:
    """The distiller's and the curator's prompt."""

    session: Prompt
    skill: Prompt

    @classmethod
    def of(cls, prompts: Mapping[str, Prompt]) -> SkillPrompts:
        """Those among all prompts."""
        return cls(prompts[SESSION], prompts[SKILL])

    @property
    def all(self) -> tuple[Prompt, Prompt]:
        """Both."""
        return self.session, self.skill


async def ask_session(
    prompts: SkillPrompts, session: TaskSession, abstraction: Abstraction, ask: AskAbout
) -> SessionAnswer | Failure:
    """What the model says of a session; an answer that was cut is asked for once more, with a larger budget."""
    call = material_call(prompts.session, list(_session_lines(session, abstraction)))
    answer = await once(partial(ask, session.session_id), Asked(prompts.session, call, 0, len(session.messages)))
    assert isinstance(answer, SessionAnswer | Failure)
    return answer


async def ask_skill(prompts: SkillPrompts, shown: ShownGroup, ask: AskAbout) -> SkillAnswer | Failure:
    """What the model makes of one kind of task."""
    call = material_call(prompts.skill, list(_group_lines(shown)))
    asked = Asked(prompts.skill, call, 0, len(shown.experiences))
    answer = await once(partial(ask, shown.experiences[0].experience_id), asked)
    assert isinstance(answer, SkillAnswer | Failure)
    return answer


def _session_lines(session: TaskSession, abstraction: Abstraction) -> Iterator[str]:
    slots = ", ".join(f"{{{slot}}} = {kind}" for kind, slot in abstraction.slots.items())
    yield f"Task: {session.task}"
    yield f"Template: {abstraction.template}" + (f" ({slots})" if slots else "")
    numbered = list(enumerate(session.messages, start=1))[:MOST_LINES]
    if len(numbered) > MOST_SHOWN_LINES:  # how it began and how it ended
        half = MOST_SHOWN_LINES // 2
        numbered = [*numbered[:half], *numbered[-half:]]
    longest = max(_LEAST_OF_ONE, min(MOST_OF_ONE, MOST_OF_ALL // max(1, len(numbered))))
    for n, message in numbered:
        yield f"[{n}] {_who(message)}: {message.text[:longest]}"


def _who(message: Message) -> str:
    return {"tool_call": "action", "tool_result": "answer"}.get(message.kind, message.role)


def _group_lines(shown: ShownGroup) -> Iterator[str]:
    for n, skill in enumerate(shown.skills, start=1):
        yield f"Skill {n}: {' | '.join(skill.triggers)}: {' ; '.join(step.text for step in skill.steps)}"
    for n, one in enumerate(shown.experiences, start=1):
        steps = " ; ".join(" ".join(pattern) for pattern in shown.patterns[n - 1])
        word = f', where the answer says "{one.word}"' if one.word else ""
        times = f" ({shown.alike[n - 1]} sessions)" if shown.alike[n - 1] > 1 else ""
        yield f"Experience {n}: {one.kind}, {one.found.template}{times}: {steps}{word}"
    for step in shown.sometimes:
        said, others = (", ".join(words) or "nothing" for words in (step.before, step.before_others))
        share = f"{step.n_with} of {step.n_runs} successes"
        yield f"Sometimes: {' '.join(step.pattern)}: {share}; before it the answer says {said}; else {others}"
