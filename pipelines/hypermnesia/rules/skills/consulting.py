"""A night with a model: it is asked about each new session, then about each kind of task that is ripe (DESIGN 6).

What it said goes into the night as it is; what is made of it is decided again wherever the night is learned from,
for the replay of held-out sessions too. So nothing but the answers has to be kept.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypermnesia.rules.model_calls import Failure
from hypermnesia.rules.skills.abstraction import abstract, read_lexicon
from hypermnesia.rules.skills.asking import AskAbout, SkillPrompts, ask_session, ask_skill
from hypermnesia.rules.skills.drafts import open_groups
from hypermnesia.rules.skills.evidence import gather_evidence
from hypermnesia.rules.skills.proposed_edits import GroupAnswers, shown_group
from hypermnesia.rules.skills.verifying import Night, Said
from hypermnesia.rules.skills.versions import newest, varying_places


async def consult(night: Night, prompts: SkillPrompts, ask: AskAbout) -> Night:
    """The night with what the model says. Sessions about which nobody answered wait: they count as context alone."""
    lexicon = read_lexicon([*night.sessions, *night.earlier], varying_places(newest(night.skills)))
    answers = await asyncio.gather(*(ask_session(prompts, s, abstract(s, lexicon), ask) for s in night.sessions))
    pairs = list(zip(night.sessions, answers, strict=True))
    waiting = [session for session, answer in pairs if is_missing(answer)]
    said = {session.session_id: answer for session, answer in pairs if not is_missing(answer)}
    read = [session for session, answer in pairs if not is_missing(answer)]
    night = replace(night, sessions=read, earlier=[*night.earlier, *waiting], said=Said(said, {}))
    return replace(night, said=Said(said, await _ask_groups(night, prompts, ask)))


def is_missing(answer: object) -> bool:
    """Whether nobody answered, which another night may mend."""
    return isinstance(answer, Failure) and answer.is_transient


async def _ask_groups(night: Night, prompts: SkillPrompts, ask: AskAbout) -> GroupAnswers:
    _, pending, past, tallies = night.distil(night.sessions)
    current = newest(night.skills)
    evidence = gather_evidence(pending, past, current, tallies)
    ripe = [one for one in open_groups(evidence, current) if one.is_ripe]
    shown = [shown_group(one, evidence, current) for one in ripe]
    answers = await asyncio.gather(*(ask_skill(prompts, group, ask) for group in shown))
    return {
        template: (group, answer)
        for one, group, answer in zip(ripe, shown, answers, strict=True)
        if not is_missing(answer)
        for template in one.group.templates
    }
