"""Which clause of a turn each expression of time belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypermnesia.rules.extraction import EventTime, Turn
from hypermnesia.rules.linguistic.frames import Frame
from hypermnesia.rules.linguistic.parse import Sentence, between
from hypermnesia.rules.time import TimeExpression
from hypermnesia.rules.time_intervals import PRECISIONS

#: How an expression may stand to an event whose time it is.
_OF_THE_EVENT = frozenset({"at", "since"})


@dataclass(frozen=True, slots=True)
class TimedFrame:
    """A frame with the time of its clause, and the sentence that it is from."""

    frame: Frame
    sentence: Sentence
    time: EventTime | None


def timed(
    sentence: Sentence, frames: Sequence[Frame], expressions: Sequence[TimeExpression], turn: Turn
) -> list[TimedFrame]:
    """The frames of a sentence with their times; what is under way and lies ahead is planned."""
    times: dict[int, EventTime] = {}
    for expression in expressions:
        time = event_time(expression, turn)
        if time is None or not sentence.start <= expression.start < sentence.end or not frames:
            continue
        place = _frame_at(sentence, frames, expression)
        if place not in times or is_clearer(time, times[place]):
            times[place] = time
    return [
        TimedFrame(_ahead(sentence, frame, times.get(i), turn), sentence, times.get(i))
        for i, frame in enumerate(frames)
    ]


def event_time(expression: TimeExpression, turn: Turn) -> EventTime | None:
    """The interval of an expression in the author's zone; None for what recurs, is unknown or only bounds."""
    interval = expression.interval
    if interval is None or expression.is_recurring or expression.relation not in _OF_THE_EVENT:
        return None
    return EventTime(interval.start, interval.end, interval.precision, turn.timezone, turn.is_tz_known)


def is_clearer(time: EventTime, other: EventTime) -> bool:
    """Whether it is known more finely than the other."""
    return PRECISIONS.index(time.precision) < PRECISIONS.index(other.precision)


def _frame_at(sentence: Sentence, frames: Sequence[Frame], expression: TimeExpression) -> int:
    """The frame of the nearest verb above the words; else the first below that verb; else the first."""
    places = {frame.verb.index: i for i, frame in reversed(list(enumerate(frames))) if frame.verb}
    words = between(sentence.tokens, expression.start, expression.end)
    if not words:
        return 0
    top = min(words, key=lambda t: sum(1 for _ in sentence.above(t)))
    for token in (top, *sentence.above(top)):
        if token.index in places:
            return places[token.index]
        if token.pos in ("VERB", "AUX"):
            below = [t.index for t in sentence.subtree(token.index) if t.index in places]
            if below:
                return places[below[0]]
    return 0


def _ahead(sentence: Sentence, frame: Frame, time: EventTime | None, turn: Turn) -> Frame:
    verb = frame.verb
    if verb is None or time is None or time.start is None or frame.modality != "done" or turn.said_local is None:
        return frame
    helpers = {k.lower for k in sentence.kids(verb.index, "aux", "auxpass")}
    is_under_way = verb.tag in ("VBG", "VBN") and helpers & {"am", "'m", "is", "'s", "are", "'re"}
    is_later = time.start[:10] > turn.said_local.date().isoformat()
    return replace(frame, modality="planned") if is_under_way and is_later else frame
