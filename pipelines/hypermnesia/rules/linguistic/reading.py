"""One passage with its parse becomes a reading: episodic records with frames, stable facts, procedures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypermnesia.rules.extraction import (
    PROCEDURAL,
    SEMANTIC,
    Assertion,
    EventTime,
    Made,
    Mention,
    Passage,
    Reading,
    Turn,
)
from hypermnesia.rules.linguistic.clauses import is_passive
from hypermnesia.rules.linguistic.clock import TimedFrame, timed
from hypermnesia.rules.linguistic.facts import Fact, facts_of
from hypermnesia.rules.linguistic.frames import (
    MENTION,
    SHOW,
    Frame,
    clauses_of,
    frames_of,
    has_two_anchors,
    mentions_of,
)
from hypermnesia.rules.linguistic.inventory import predicate_of
from hypermnesia.rules.linguistic.language import is_english
from hypermnesia.rules.linguistic.nominals import Nominal, NominalReader, Span
from hypermnesia.rules.linguistic.own_words import own_words, quotations, titles
from hypermnesia.rules.linguistic.parse import Sentence
from hypermnesia.rules.linguistic.people import Cast, cast_of, vocatives
from hypermnesia.rules.linguistic.procedures import Procedure, procedure_in
from hypermnesia.rules.linguistic.statements import Statement, sentence_mood, statement_of
from hypermnesia.rules.time import find_times
from hypermnesia.rules.verbatim import TRUST, said_record, turns_before, why_no_record

VERSION = "linguistic-1"
_PEOPLE = ("user", "person")
_PICTURES = frozenset({"photo", "photography", "picture", "image", "photograph", "screenshot", "close", "view"})


@dataclass(frozen=True, slots=True)
class Parse:
    """A turn's sentences, and those of its captions (whose offsets count in no text of the turn)."""

    sentences: tuple[Sentence, ...] = ()
    captions: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """What a turn says; nothing where it was not parsed."""

    frames: Sequence[TimedFrame] = ()
    facts: Sequence[Fact] = ()
    statement: Statement | None = None


def text_to_parse(turn: Turn) -> str:
    """The running text of a turn that a parser should see, at the turn's offsets; empty where none should."""
    is_talk = turn.role in (*_PEOPLE, "assistant") and turn.kind == "utterance"
    return own_words(turn.text) if is_talk and not why_no_record(turn) and is_english(turn.text) else ""


def caption_to_parse(turn: Turn) -> str:
    """What came with a person's turn in words: its captions."""
    is_shown = turn.role in _PEOPLE and turn.kind == "utterance"
    return own_words("\n".join(turn.parts[1:])) if is_shown else ""


def read_passage(passage: Passage, parses: Sequence[Parse]) -> Reading:
    """The records of a passage's turns, in order; each turn's own record comes before its facts."""
    reading = Reading()
    turns = zip(passage.turns, turns_before(passage), parses, strict=True)
    for place, (turn, before, parse) in enumerate(turns):
        if reason := why_no_record(turn):
            reading.left_out[place] = reason
        else:
            reading.made += _read_turn(passage, place, turn, parse, before)
    return reading


def _read_turn(passage: Passage, place: int, turn: Turn, parse: Parse, before: Turn | None) -> list[Made]:
    record = said_record(turn, place, before)
    if not (parse.sentences or parse.captions):
        return [record]
    cast = cast_of(turn.text, turn.speaker, passage.people)
    said = _said(turn, parse, cast)
    made = [_with_frames(record, place, said, _shown(parse, cast))]
    made += [_semantic(place, turn, fact) for fact in dict.fromkeys(said.facts)]
    made = _typed(made, said.facts)
    procedure = procedure_in(turn.text) if parse.sentences else None
    return [*made, _procedural(place, turn, procedure)] if procedure else made


def _typed(made: list[Made], facts: Sequence[Fact]) -> list[Made]:
    """The turn's records with the types that its facts' predicates give to names: one name is one type in a turn."""
    types = {
        noun.surface: value_type
        for fact in facts
        for noun in fact.values
        if (value_type := predicate_of(fact.predicate).value_type) is not None
    }
    if not types:
        return made
    return [
        replace(record, mentions=tuple(replace(m, type=types.get(m.surface, m.type)) for m in record.mentions))
        for record in made
    ]


def _said(turn: Turn, parse: Parse, cast: Cast) -> _Said:
    """What a turn's sentences say, one by one."""
    if not parse.sentences:
        return _Said()
    expressions = find_times(turn.text, turn.said_local)
    names, quoted = titles(turn.text), quotations(turn.text)
    called = vocatives(turn.text, [p for p in cast.people if p != cast.speaker])
    readers = [(s, NominalReader(s, turn.text, cast, names, called, quoted)) for s in parse.sentences]
    frames: list[TimedFrame] = []
    told: list[TimedFrame] = []
    facts: list[Fact] = []
    for sentence, reader in readers:
        clauses = clauses_of(sentence, reader, quoted)
        kept = [f for f in frames_of(sentence, clauses, reader) if _is_theirs_to_say(turn, f, cast)]
        kept = [_with_mood(f, sentence, quoted) for f in kept]
        frames += timed(sentence, kept, expressions, turn)
        every = timed(sentence, clauses, expressions, turn)
        told += every
        if turn.role in _PEOPLE:
            facts += facts_of(sentence, every, reader, quoted)
    if not any(_says_who(f) for f in frames):
        # "It enabled repairs": who named the repairs is known, what enabled them is not.
        for sentence, reader in readers:
            named = [] if sentence.is_question else mentions_of(sentence, reader)
            frames += timed(sentence, [f for f in named if _is_theirs_to_say(turn, f, cast)], expressions, turn)
    return _Said(frames, facts, statement_of(turn, parse.sentences, [*frames, *told], expressions, quoted))


def _with_mood(frame: Frame, sentence: Sentence, quoted: Sequence[Span]) -> Frame:
    """A mention stands to what happened as its sentence does."""
    if frame.predicate != MENTION:
        return frame
    modality, is_denied = sentence_mood(sentence, quoted)
    return replace(frame, modality=modality, is_negated=is_denied)


def _says_who(told: TimedFrame) -> bool:
    """Whether a frame is asserted and no part of it is left open: an agent, an owner, or nobody in a passive."""
    frame = told.frame
    if frame.modality == "question":
        return False
    is_open = frame.verb is not None and not is_passive(told.sentence, frame.verb)
    return bool(frame.fillers("agent") or frame.fillers("owner")) or not is_open


def _is_theirs_to_say(turn: Turn, frame: Frame, cast: Cast) -> bool:
    """An assistant's words about the people it talks to are no support for a frame."""
    if turn.role in _PEOPLE:
        return True
    others = {p for p in cast.people if p != cast.speaker}
    return not any(n.surface in others for _, n in frame.roles)


def _shown(parse: Parse, cast: Cast) -> Frame | None:
    """What the speaker shows in a picture, by its caption."""
    speaker = Nominal(cast.speaker, "person", None, None, "")
    roles = [("agent", speaker)]
    for sentence in parse.captions:
        # Captions stand in no text of the turn: their words have no offsets.
        text = " " * sentence.start + "".join(t.text.ljust(_width(sentence, t.index)) for t in sentence.tokens)
        reader = NominalReader(sentence, text, cast)
        for token in sentence.tokens:
            if (
                token.pos not in ("NOUN", "PROPN")
                or token.dep in ("compound", "nmod", "amod", "poss")
                or token.lemma in _PICTURES
            ):
                continue
            noun = reader.read(token)
            if noun:
                roles.append(("object", Nominal(noun.surface, noun.type, None, None, noun.lemma)))
    if not has_two_anchors(roles, cast.speaker):
        return None
    return Frame(SHOW, tuple(dict.fromkeys(roles)), True, "done", False, (), None)


def _width(sentence: Sentence, index: int) -> int:
    tokens = sentence.tokens
    return (tokens[index + 1].start if index + 1 < len(tokens) else tokens[index].end) - tokens[index].start


def _with_frames(record: Made, place: int, said: _Said, shown: Frame | None) -> Made:
    """What was said, with how it stands to what happened, and the frames that it supports."""
    supported = [(f.frame, f.time) for f in said.frames] + ([(shown, None)] if shown else [])
    mentions, assertions = _assertions(place, supported)
    record = replace(record, mentions=mentions, assertions=assertions)
    if said.statement is None:
        return record
    return replace(
        record, modality=said.statement.modality, is_negated=said.statement.is_negated, time=said.statement.time
    )


def _procedural(place: int, turn: Turn, procedure: Procedure) -> Made:
    return Made(
        memory_type=PROCEDURAL,
        text=procedure.text,
        turns=(place,),
        speaker=turn.speaker,
        trust=TRUST[turn.role],
        quotes=((place, procedure.start, procedure.end),),
        attributes=tuple(("step", step) for step in procedure.steps),
    )


def _semantic(place: int, turn: Turn, fact: Fact) -> Made:
    roles = (("agent", fact.subject), *((fact.role, n) for n in fact.values))
    frame = Frame(fact.predicate, roles, False, "done", fact.is_negated, (), fact.span)
    anchored = has_two_anchors(roles, turn.speaker)
    mentions, assertions = _assertions(place, [(frame, fact.time)] if anchored else [])
    return Made(
        memory_type=SEMANTIC,
        text=fact.text,
        turns=(place,),
        speaker=turn.speaker,
        trust=TRUST[turn.role],
        quotes=((place, *fact.span),),
        modality="done",
        is_negated=fact.is_negated,
        time=fact.time,
        attributes=(("predicate", fact.predicate), ("subject", fact.subject.surface), ("value", fact.value)),
        mentions=mentions,
        assertions=assertions,
    )


def _assertions(
    place: int, frames: Sequence[tuple[Frame, EventTime | None]]
) -> tuple[tuple[Mention, ...], tuple[Assertion, ...]]:
    """Frames over one table of mentions."""
    mentions: dict[Mention, int] = {}
    assertions = []
    for frame, time in frames:
        roles = []
        for role, noun in frame.roles:
            mention = Mention(noun.surface, noun.type, place, noun.start, noun.end)
            roles.append((role, mentions.setdefault(mention, len(mentions))))
        start, end = frame.span or (None, None)
        assertions.append(
            Assertion(
                predicate=frame.predicate,
                roles=tuple(roles),
                is_event=frame.is_event,
                modality=frame.modality,
                is_negated=frame.is_negated,
                time=time,
                attributes=frame.attributes,
                start=start,
                end=end,
            )
        )
    return tuple(mentions), tuple(assertions)
