"""Which concepts together are a cue of an attack on memory, and how much each weighs.

A cue is seen in a sentence that has all its concepts and none that excuse it. Weights add up over the cues of
neighbouring sentences; one cue of weight 1 is never enough (`injection.py` has the thresholds).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypermnesia.rules.injection_concepts import CONCEPTS


@dataclass(frozen=True, slots=True)
class Cue:
    """`needs` and `excused_by` are concepts; `weight` is in points."""

    name: str
    weight: int
    needs: tuple[str, ...]
    excused_by: tuple[str, ...] = ()


CUES = (
    # Orders against the orders that a model has.
    Cue("override", 3, ("override_near", "prior"), ("report",)),
    Cue("override_above", 3, ("the_above",)),
    Cue("instructions_void", 1, ("instructions", "void")),
    Cue("void_for_ai", 1, ("instructions", "void", "write")),
    Cue("new_system_prompt", 2, ("new_system",)),
    # Writing to memory by order, and who it is about.
    Cue("write_that", 1, ("write_that",)),
    Cue("save_that", 1, ("save_that",), ("report", "code")),
    Cue("bare_save", 1, ("bare_save",)),
    Cue("write_to_memory", 2, ("write", "memory")),
    Cue("your_notes", 1, ("write", "your_notes")),
    Cue("the_user", 1, ("the_user",), ("code",)),
    Cue("order_about_user", 1, ("order", "the_user"), ("code", "report")),
    Cue("order_about_memory", 1, ("order", "memory"), ("code", "report", "write")),
    # Lasting control over answers.
    Cue("lasting", 1, ("lasting",)),
    Cue("reply_control", 1, ("reply", "always")),
    Cue("order_reply", 1, ("order", "ai_reply")),
    Cue("always_act", 1, ("always_act", "order")),
    Cue("lasting_reply", 1, ("reply", "lasting")),
    Cue("order_in_chats", 1, ("order", "future_chats")),
    # To whom it speaks, and as whom.
    Cue("speaks_to_ai", 1, ("ai",)),
    Cue("order_to_ai", 1, ("ai", "order")),
    Cue("other_agents", 1, ("other_agents",)),
    Cue("template", 2, ("template",), ("question",)),
    Cue("bio_channel", 3, ("bio_channel",)),
    Cue("system_turn", 1, ("system_turn",)),
    Cue("fake_turn", 1, ("fake_turn",)),
    Cue("claimed_write", 2, ("claimed_write",)),
    Cue("authority", 1, ("authority",)),
    Cue("your_maker", 2, ("your_maker",)),
    # Rights and consent that nobody gave.
    Cue("assigned_right", 1, ("assigned",)),
    Cue("privilege", 1, ("privilege",)),
    Cue("no_guard", 1, ("no_guard",)),
    Cue("privilege_of_user", 1, ("privilege", "the_user")),
    Cue("no_guard_of_user", 1, ("no_guard", "the_user")),
    Cue("consent", 1, ("consent",)),
    Cue("verified_me", 1, ("verified_me",)),
    # Out of the house.
    Cue("send_out", 1, ("send", "address")),
    Cue("send_lasting", 1, ("send", "address", "lasting")),
    Cue("send_private", 1, ("send", "private", "address")),
    Cue("tracking_image", 1, ("tracking_image",)),
    # Later, silently, everywhere.
    Cue("trigger", 1, ("trigger", "act")),
    Cue("propagate", 2, ("copy", "this_text", "into")),
    Cue("propagate_into_agents", 1, ("this_text", "other_agents")),
    Cue("conceal_from_user", 2, ("conceal_user",)),
    Cue("conceal", 1, ("conceal",)),
    Cue("wipe", 2, ("wipe_verb", "wiped"), ("code",)),
    # Bad practice as a lesson.
    Cue("lesson", 1, ("lesson",)),
    Cue("bypass_checks", 1, ("bypass",)),
    Cue("fake_success", 1, ("fake_success",)),
    Cue("execute", 1, ("execute",)),
    # Hatred and harm.
    Cue("demeaning", 1, ("demeaning",)),
    Cue("harm", 1, ("harm",)),
    Cue("harm_by_order", 1, ("harm", "write")),
    Cue("hatred", 1, ("people", "demeaning")),
    # Advertising.
    Cue("recommend", 1, ("recommend", "priority")),
    Cue("exclusive", 1, ("exclusive",)),
)


def cues_in(sentence: str) -> frozenset[str]:
    """The names of the cues in one sentence, given in folded lower case."""
    seen: dict[str, bool] = {}

    def has(concept: str) -> bool:
        if concept not in seen:
            seen[concept] = CONCEPTS[concept].search(sentence) is not None
        return seen[concept]

    return frozenset(cue.name for cue in CUES if all(map(has, cue.needs)) and not any(map(has, cue.excused_by)))


WEIGHTS = {cue.name: cue.weight for cue in CUES}
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")

#: A listing without marks is cut, so that words far apart make no cue.
_LONGEST = re.compile(r".{1,240}(?:\s|$)|.{240}")


def sentences(text: str) -> list[str]:
    """Sentences, in lower case with white space folded; a point inside an address ends none."""
    parts = (" ".join(part.lower().split()) for part in _SENTENCE_END.split(text))
    return [piece for part in parts for piece in _LONGEST.findall(part)]
