"""Event time and modality of a record, from the words that it stands on: where an answer differs, the text decides."""

from __future__ import annotations

from hypermnesia.rules.extraction import EventTime, Turn
from hypermnesia.rules.grounding_quotes import find_quote, sentences_around, sentences_in
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

    Each sentence that it touches tells it, by the words of the quote and by the whole sentence. An answer that
    agrees with one of them stands; any other gives way to the first's.
    """
    moods: list[str] = []
    denials: list[bool] = []
    for low, high in sentences_in(text, *quote):
        whole, quoted = text[low:high], text[max(low, quote[0]) : min(high, quote[1])]
        mood = sentence_modality(whole)
        moods += [mood] if mood in ("question", "quoted") else [sentence_modality(quoted), mood]
        denials += [is_negated(quoted), is_negated(whole)]
    if not moods:
        return modality or "done", negated
    return (
        modality if modality is not None and modality in moods else moods[0],
        negated if negated in denials else denials[0],
    )
