"""What a whole turn says: one modality, one negation, one time, of its clearest clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypermnesia.rules.extraction import EventTime, Turn
from hypermnesia.rules.linguistic.clauses import is_going_to
from hypermnesia.rules.linguistic.clock import TimedFrame, event_time, is_clearer
from hypermnesia.rules.linguistic.moods import mood_of
from hypermnesia.rules.linguistic.nominals import Span
from hypermnesia.rules.linguistic.parse import Sentence, Token
from hypermnesia.rules.time import TimeExpression


@dataclass(frozen=True, slots=True)
class Statement:
    """A turn's own modality, negation and event time."""

    modality: str
    is_negated: bool
    time: EventTime | None


def statement_of(
    turn: Turn,
    sentences: Sequence[Sentence],
    frames: Sequence[TimedFrame],
    expressions: Sequence[TimeExpression],
    quotations: Sequence[Span],
) -> Statement:
    """The asserted clause with the clearest time; without any the first sentence that asserts; else a question."""
    asserted = [f for f in frames if f.time and f.frame.modality != "question"]
    if asserted:
        best = asserted[0]
        for other in asserted[1:]:
            if best.time and other.time and is_clearer(other.time, best.time):
                best = other
        if best.frame.verb is not None:
            return Statement(best.frame.modality, best.frame.is_negated, best.time)
    time = _clearest(turn, sentences, expressions)
    telling = [s for s in sentences if not s.is_question]
    if not telling:
        return Statement("question" if sentences else "done", False, None)
    saying = [f.sentence for f in frames if f.frame.verb and not f.sentence.is_question]
    sentence = saying[0] if saying else telling[0]
    modality, is_denied = sentence_mood(sentence, quotations)
    return Statement(modality, is_denied, time)


def sentence_mood(sentence: Sentence, quotations: Sequence[Span] = ()) -> tuple[str, bool]:
    """(modality, is_negated) of a sentence: its root's, or of the clause that the root only introduces."""
    root = next((t for t in sentence.tokens if t.head == t.index and t.pos in ("VERB", "AUX")), None)
    if root is None:
        return ("question" if sentence.is_question else "done"), False
    if is_going_to(sentence, root):
        root = sentence.kids(root.index, "xcomp")[0]
    mood = mood_of(sentence, root, quotations)
    main: Token | None = root
    is_waited_for = root.lemma == "wait" and mood == ("done", True)  # "can't wait to see it"
    while main is not None and (mood == ("done", False) or (main is root and is_waited_for)):
        main = next(iter(_introduced(sentence, main)), None)
        if main is not None:
            mood = mood_of(sentence, main, quotations)
    return mood if mood[0] != "done" or main is not None else ("done", False)


def _introduced(sentence: Sentence, verb: Token) -> list[Token]:
    """Verbs below that the verb leads to: "thinking about adopting", "decided not to sell", "said that ..."."""
    found = [k for k in sentence.kids(verb.index, "xcomp", "ccomp") if k.pos in ("VERB", "AUX")]
    for kid in sentence.kids(verb.index, "prep", "acomp"):
        found += [k for k in sentence.kids(kid.index, "pcomp", "xcomp") if k.pos in ("VERB", "AUX")]
    return found


def _clearest(turn: Turn, sentences: Sequence[Sentence], expressions: Sequence[TimeExpression]) -> EventTime | None:
    asking = [(s.start, s.end) for s in sentences if s.is_question]
    best: EventTime | None = None
    for expression in expressions:
        time = event_time(expression, turn)
        if time is None or any(a <= expression.start < b for a, b in asking):
            continue
        if best is None or is_clearer(time, best):
            best = time
    return best
