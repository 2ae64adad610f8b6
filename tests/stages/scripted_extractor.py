"""An extractor that reads frames as they are written in a message, for tests of what comes behind it.

"go agent=person:Anna place=location:Lisbon @2024-05-01 planned"
"fact lives_in agent=person:Anna place=location:Lisbon"     is a semantic record as well
"fact know agent=person:Anna object=person:Bo birth_date=1990-05-01"     with an attribute of the frame
"fact birthday agent=person:Anna value=1990-05-01"          a record of one anchor, which has no frame
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from hypermnesia.contracts.answers import Modality
from hypermnesia.rules.extraction import (
    EPISODIC,
    RESOURCE,
    SEMANTIC,
    Assertion,
    EventTime,
    Made,
    Mention,
    Passage,
    Reading,
)
from hypermnesia.rules.verbatim import VERSION, VerbatimExtractor


class ScriptedExtractor:
    """Reads one frame a message."""

    name = "scripted"
    version = VERSION
    memory_types = (EPISODIC, SEMANTIC, RESOURCE)

    def read(self, passages: Sequence[Passage]) -> list[Reading]:
        readings = VerbatimExtractor().read(passages)
        for reading in readings:
            reading.made = [made for record in reading.made for made in _with_frame(record)]
        return readings


def _with_frame(record: Made) -> list[Made]:
    words = record.text.split()
    is_fact = words[0] == "fact"
    predicate, *rest = words[1:] if is_fact else words
    named = [word.split("=", 1) for word in rest if "=" in word and ":" in word]
    if not named:
        return [record]
    mentions, roles = [], []
    for place, (role, name) in enumerate(named):
        kind, surface = name.split(":", 1)
        mentions.append(Mention(surface.replace("_", " "), kind, record.turns[0]))
        roles.append((role, place))
    day = next((word[1:] for word in rest if word.startswith("@")), None)
    time = EventTime(day, day, "day") if day else None
    modality = next((word for word in rest if word in get_args(Modality)), "done")
    attributes = tuple((key, value) for key, value in (w.split("=", 1) for w in rest if "=" in w and ":" not in w))
    frame = Assertion(predicate, tuple(roles), not is_fact, modality, "not" in rest, time, None, attributes)
    common = {"mentions": tuple(mentions), "assertions": (frame,), "time": time, "modality": modality}
    whole = Made(EPISODIC, record.text, record.turns, record.speaker, record.trust, context=record.context, **common)
    said = (("predicate", predicate), ("subject", mentions[0].surface), *attributes)
    about = {"attributes": said, **common} if len(named) == 1 else common
    fact = Made(
        SEMANTIC, f"{record.text}.", record.turns, record.speaker, record.trust, ((record.turns[0], 0, 4),), **about
    )
    return [whole, fact] if is_fact else [whole]
