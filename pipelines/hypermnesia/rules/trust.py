"""Trust is the wall (DESIGN 5, notes/governance.md row 10): what a text may become, by who said it.

Text that is pasted, from tools, assistants or other people never becomes a standing instruction, a fact about
the user, or a skill, whether a filter fires or not. It stays evidence: episodic and resource records say who
said it.
"""

from __future__ import annotations

from collections.abc import Iterable

from hypermnesia.rules.extraction import CORE, PROCEDURAL, Made, Turn
from hypermnesia.rules.verbatim import TRUST

USER, OTHER_PERSON, ASSISTANT, PASTED, TOOL = "user", "other_person", "assistant", "pasted", "tool"
#: From most to least trusted: a record is trusted as its least trusted citation.
ORDER = (USER, OTHER_PERSON, ASSISTANT, PASTED, TOOL)

#: What only the user's own words may become; anything else is evidence.
INSTRUCTION, USER_FACT, SKILL, EVIDENCE = "instruction", "user_fact", "skill", "evidence"
WALLED = (INSTRUCTION, USER_FACT, SKILL)

_WHO = {
    OTHER_PERSON: "another person said",
    ASSISTANT: "an assistant said",
    PASTED: "was pasted",
    TOOL: "a tool gave",
}
_WHAT = {INSTRUCTION: "a standing instruction", USER_FACT: "a fact about the user", SKILL: "a skill"}


def trust_of(turn: Turn) -> str:
    """How a turn is trusted, by who spoke; a document was sent, not said. What nobody knows is a tool's."""
    return PASTED if turn.kind == "document" else TRUST.get(turn.role, TOOL)


def least_trusted(trusts: Iterable[str]) -> str:
    """The least trusted of several; of none a tool's."""
    return max(trusts, key=_rank, default=TOOL)


def _rank(trust: str) -> int:
    return ORDER.index(trust) if trust in ORDER else len(ORDER)


def may_become(record: Made, trust: str, kind: str) -> str | None:
    """Why a record may not become `kind`, or None where it may.

    `trust` is that of whoever asks; the record's own trust counts too, and the worse of both decides. A core
    record is read as a fact about the user, whatever `kind` says. A procedure is how somebody says that a thing is
    done: a person's or an assistant's is evidence, with its trust; of pasted text or a tool's it would be an order.
    """
    kinds = {kind} | ({USER_FACT} if record.memory_type == CORE else set())
    worse = least_trusted((trust, record.trust))
    if record.memory_type == PROCEDURAL and worse in (PASTED, TOOL):
        kinds |= {SKILL}
    walled = [k for k in WALLED if k in kinds]
    if not walled or worse == USER:
        return None
    return f"what {_WHO.get(worse, 'an unknown source gave')} never becomes {_WHAT[walled[0]]}"
