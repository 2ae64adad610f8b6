"""One passage as a model reads it: router, writers, grounding, one repair, frames (DESIGN 5.3).

The same function runs where the model is asked and where its stored answers are read again, so a change of the
parser or of grounding needs no model, and what is read is what was asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hypermnesia.contracts.answers import Answer, FramesAnswer, RepairAnswer, RouterAnswer
from hypermnesia.rules import grounding_reasons as reasons
from hypermnesia.rules import injection_check
from hypermnesia.rules.answer_reading import (
    AnswerReading,
    is_suspicious,
    joined,
    moved,
    read_records,
    read_repairs,
    routed,
    uncited,
)
from hypermnesia.rules.extraction import EPISODIC, MEMORY_TYPES, SEMANTIC, Made, Passage, Reading, Refused
from hypermnesia.rules.frame_reading import read_frames
from hypermnesia.rules.grounding import Grounded
from hypermnesia.rules.grounding_reasons import refused
from hypermnesia.rules.model_calls import (
    SMALLER,
    TOO_MUCH,
    Ask,
    Asked,
    Failure,
    Result,
    best,
    in_windows,
    of_each,
    once,
    says_anything,
    smaller,
)
from hypermnesia.rules.prompting import (
    WINDOW_LEAD,
    WINDOW_TURNS,
    Call,
    Prompt,
    Window,
    frames_call,
    passage_call,
    repair_call,
)

#: The parser's and the grounding's; part of the extractor's version, so that a change of them reads again.
VERSION = "1"

#: How a passage is asked about: a writer a memory type, all types in one call, or windows of two messages.
WRITERS, SINGLE, SMALL = "writers", "single", "small"
_ROUTER, _REPAIR, _FRAMES = "router", "repair", "frames"
_FRAMED = (EPISODIC, SEMANTIC)


def prompts_of(mode: str) -> tuple[str, ...]:
    """The prompts that a mode asks, by name."""
    writers = (SINGLE,) if mode == SINGLE else (_ROUTER, *MEMORY_TYPES)
    return (*writers, _REPAIR, _FRAMES)


async def read_with_model(passage: Passage, prompts: Mapping[str, Prompt], ask: Ask, mode: str = WRITERS) -> Reading:
    """The passage's records, and a reason for each turn that gives none.

    A call that nobody answers leaves the passage unread. An answer that can't be read is refused with the turns
    that it was about, and a memory type of which no answer could be read is not covered. Where `prompts` has the
    injection check, records of a message that it finds guilty are refused.
    """
    reader = _PassageReader(passage, prompts, ask, mode)
    if not says_anything(passage):
        return Reading(left_out=uncited(AnswerReading(), passage))
    return await reader.read()


@dataclass(slots=True)
class _Written:
    """What the writers gave over one piece of the passage, by window."""

    piece: Window
    results: list[tuple[Window, Result]]

    def grounded(self) -> AnswerReading:
        """The answers' records, in the places of the piece."""
        by_window: dict[tuple[int, int], tuple[Window, list[Answer]]] = {}
        for window, result in self.results:
            if not isinstance(result, Failure):
                key = (window.first, len(window.passage.turns))
                by_window.setdefault(key, (window, []))[1].append(result)
        return joined(
            [(w.first - self.piece.first, read_records(answers, w.passage)) for w, answers in by_window.values()]
        )


class _PassageReader:
    def __init__(self, passage: Passage, prompts: Mapping[str, Prompt], ask: Ask, mode: str) -> None:
        self._passage = passage
        self._prompts = prompts
        self._ask = ask
        self._mode = mode
        self._failures: list[tuple[Failure, tuple[int, ...]]] = []
        self._tried: set[str] = set()
        self._read_types: set[str] = set()

    async def read(self) -> Reading:
        reading, guilty = await asyncio.gather(self._records(), self._guilty())
        return self._whole(_without(guilty, reading))

    async def _guilty(self) -> Mapping[int, str]:
        """The messages that instruct their reader, by a model's look at those that the filter doubts."""
        if injection_check.PROMPT not in self._prompts:
            return {}
        prompt = self._prompts[injection_check.PROMPT]
        guilty, failures = await injection_check.check(self._passage, prompt, self._ask)
        self._failures += [(failure, (place,)) for failure, place in failures if failure.is_transient]
        return guilty

    async def _records(self) -> AnswerReading:
        whole = Window(self._passage, 0)
        pieces = in_windows(self._passage, WINDOW_TURNS, WINDOW_LEAD) if self._mode == SMALL else [whole]
        written = await asyncio.gather(*map(self._written, pieces))
        readings = [part.grounded() for part in written]
        n_items = sum(reading.n_items for reading in readings)
        if is_suspicious(self._passage, n_items) and not self._failures:
            written, readings = await self._again(pieces, written, readings)
        finished = await asyncio.gather(
            *(self._finished(part.piece, reading) for part, reading in zip(written, readings, strict=True))
        )
        return joined([(p.piece.first, reading) for p, reading in zip(written, finished, strict=True)])

    async def _written(self, piece: Window) -> _Written:
        """Every writer that the router names, at once."""
        names = [SINGLE] if self._mode == SINGLE else await self._routed(piece)
        found = await asyncio.gather(*(best(self._ask, self._prompts[name], piece) for name in names))
        return self._noted(piece, names, found)

    async def _routed(self, piece: Window) -> list[str]:
        """The router's choice; all writers where it can't say."""
        call = passage_call(self._prompts[_ROUTER], piece.passage)
        result = await once(self._ask, self._asked(_ROUTER, call, piece))
        if isinstance(result, RouterAnswer):
            return list(routed(result))
        if isinstance(result, Failure) and result.is_transient:
            self._fail(result, piece)
            return []
        return list(MEMORY_TYPES)

    async def _again(
        self, pieces: Sequence[Window], written: list[_Written], readings: list[AnswerReading]
    ) -> tuple[list[_Written], list[AnswerReading]]:
        """Nothing was found where people said more than a greeting: smaller pieces, for what happened (B07)."""
        name = SINGLE if self._mode == SINGLE else EPISODIC
        parts = [part for piece in pieces for part in smaller(piece)]
        found = await of_each(self._ask, self._prompts[name], parts)
        again = [self._noted(part, [name], [[pair]]) for part, pair in zip(parts, found, strict=True)]
        fresh = [part.grounded() for part in again]
        if is_suspicious(self._passage, sum(reading.n_items for reading in fresh)) and not self._failures:
            self._fail(Failure(name, reasons.SUSPICIOUS_EMPTY, ""), Window(self._passage, 0))
        return (again, fresh) if again else (written, readings)

    def _noted(self, piece: Window, names: Sequence[str], found: Sequence[list[tuple[Window, Result]]]) -> _Written:
        """Takes note of what was read of which type, and of what failed."""
        results = []
        for name, parts in zip(names, found, strict=True):
            types = MEMORY_TYPES if name == SINGLE else (name,)
            self._tried.update(types)
            for window, result in parts:
                results.append((window, result))
                if isinstance(result, Failure):
                    self._fail(result, window)
                else:
                    self._read_types.update(types)
        return _Written(piece, results)

    async def _finished(self, piece: Window, reading: AnswerReading) -> AnswerReading:
        """The piece's records, repaired once where they dropped words, with their frames."""
        grounded, out = await self._repaired(piece, reading.grounded)
        framed = [g.made for g in grounded if g.made.memory_type in _FRAMED]
        made = iter(await self._framed(piece, framed, out) if framed else [])
        done = [replace(g, made=next(made)) if g.made.memory_type in _FRAMED else g for g in grounded]
        return AnswerReading(done, [*reading.refused, *out], reading.n_items)

    async def _repaired(self, piece: Window, grounded: list[Grounded]) -> tuple[list[Grounded], list[Refused]]:
        gaps = [g for g in grounded if g.dropped]
        if not gaps:
            return grounded, []
        call = repair_call(self._prompts[_REPAIR], piece.passage, [(g.made, g.dropped) for g in gaps])
        result = await once(self._ask, self._asked(_REPAIR, call, piece, [g.made for g in gaps]))
        if not isinstance(result, RepairAnswer):
            assert isinstance(result, Failure)
            if result.is_transient:  # any other failure leaves the records as they are: its row says so
                self._fail(result, piece)
            return grounded, []
        repaired, out = read_repairs(result, gaps, piece.passage)
        by_gap = iter(repaired)
        return [next(by_gap) if g.dropped else g for g in grounded], out

    async def _framed(
        self, piece: Window, made: list[Made], out: list[Refused], *, is_part: bool = False
    ) -> list[Made]:
        """The records with their frames; what is dropped of the answer goes to `out`."""
        asked = self._asked(_FRAMES, frames_call(self._prompts[_FRAMES], piece.passage, made), piece, made)
        result = await once(self._ask, replace(asked, attempt=2, change=SMALLER) if is_part else asked)
        if isinstance(result, FramesAnswer):
            framed, dropped = read_frames(result, made, piece.passage)
            out += dropped
            return framed
        assert isinstance(result, Failure)
        parts = smaller(piece) if result.status in TOO_MUCH and not is_part else []
        if not parts:
            turns = tuple(dict.fromkeys(t + piece.first for record in made for t in record.turns))
            self._failures.append((result, turns))
            return made
        return await self._framed_in_parts(piece, parts, made, out)

    async def _framed_in_parts(
        self, piece: Window, parts: Sequence[Window], made: list[Made], out: list[Refused]
    ) -> list[Made]:
        """Each window asks about the records that cite its turns alone; others stay without frames."""
        framed = list(made)
        for part in parts:
            first = part.first - piece.first
            inside = range(first, first + len(part.passage.turns))
            places = [n for n, record in enumerate(made) if all(turn in inside for turn in record.turns)]
            if places:
                dropped: list[Refused] = []
                records = [moved(made[n], -first) for n in places]
                for n, record in zip(places, await self._framed(part, records, dropped, is_part=True), strict=True):
                    framed[n] = moved(record, first)
                out += [replace(r, turns=tuple(t + first for t in r.turns)) for r in dropped]
        return framed

    def _asked(self, name: str, call: Call, piece: Window, made: Sequence[Made] = ()) -> Asked:
        about = tuple(record.text for record in made)
        return Asked(self._prompts[name], call, piece.first, len(piece.passage.turns), about=about)

    def _fail(self, failure: Failure, window: Window) -> None:
        self._failures.append((failure, tuple(range(window.first, window.first + len(window.passage.turns)))))

    def _whole(self, reading: AnswerReading) -> Reading:
        transient = [failure for failure, _ in self._failures if failure.is_transient]
        if transient:
            prompts = ", ".join(sorted({failure.prompt for failure in transient}))
            return Reading(unread=refused(reasons.NO_ANSWER, f"{prompts}: {transient[0].detail}"))
        reading.refused += [
            refused(failure.status, f"{failure.prompt}: {failure.detail}", turns) for failure, turns in self._failures
        ]
        lost = self._tried - self._read_types
        covered = tuple(kind for kind in MEMORY_TYPES if kind not in lost)
        if any(failure.status == reasons.SUSPICIOUS_EMPTY for failure, _ in self._failures):
            covered = ()
        return Reading(reading.made, uncited(reading, self._passage), reading.refused, covered)


def _without(guilty: Mapping[int, str], reading: AnswerReading) -> AnswerReading:
    """The reading without records that stand on a message which instructs its reader."""
    kept, out = [], []
    for grounded in reading.grounded:
        made = grounded.made
        if injection_check.is_guilty(made, guilty):
            kinds = ", ".join(sorted({guilty[turn] for turn in made.turns if turn in guilty}))
            out.append(refused(reasons.INJECTION, f"by a model: {kinds}", made.turns))
        else:
            kept.append(grounded)
    return AnswerReading(kept, [*reading.refused, *out], reading.n_items)
