"""Event time and modality of a record, from the words that it stands on: where an answer differs, the text decides."""

from __future__ import annotations

from hypermnesia.rules.extraction import EventTime, Turn
from hypermnesia.rules.grounding_quotes import find_quote, sentences_around
from hypermnesia.rules.linguistic.clock import event_time, is_clearer
from hypermnesia.rules.modality import is_negated, sentence_modality
from hypermnesia.rules.time import find_times

Span = tuple[int, int]


def said_time(turn: Turn, quote: Span, when: str) -> EventTime | None:
    """The time of a quote, resolved against its message's own clock.

    The expression that the answer's `when` names counts, else the clearest inside the quote, else the clearest
    of its sentences; None where they tell no time of the event.
    """
    low, high = sentences_around(turn.text, *quote)
    found = [e for e in find_times(turn.text, turn.said_local) if low <= e.start < high]
    named = find_quote(turn.text[low:high], when) if when else None
    for span in ((low + named[0], low + named[1]) if named else None, quote, (low, high)):
        if span is None:
            continue
        times = [event_time(e, turn) for e in found if e.start < span[1] and span[0] < e.end]
        known = [time for time in times if time is not None]
        if known:
            return _clearest(known)
    return None


def _clearest(times: list[EventTime]) -> EventTime:
    best = times[0]
    for time in times[1:]:
        if is_clearer(time, best):
            best = time
    return best


def said_mood(text: str, quote: Span, modality: str | None, negated: bool) -> tuple[str, bool]:
    """(modality, is_negated) of a quote by its text.

    Words tell it of the quote alone and of its sentences; an answer that agrees with one of them stands, any
    other gives way to the quote's.
    """
    low, high = sentences_around(text, *quote)
    readings = [text[slice(*quote)], text[low:high]]
    moods = [sentence_modality(part) for part in readings]
    if moods[1] in ("question", "quoted"):
        moods[0] = moods[1]
    denials = [is_negated(part) for part in readings]
    return (
        modality if modality is not None and modality in moods else moods[0],
        negated if negated in denials else denials[0],
    )
