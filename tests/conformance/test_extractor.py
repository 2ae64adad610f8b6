"""What every extractor does, whatever is behind it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, get_args

import pytest

from hypermnesia.adapters.spacy import LinguisticExtractor
from hypermnesia.contracts.answers import AnchorType, Modality
from hypermnesia.ports import Extractor
from hypermnesia.rules.extraction import MEMORY_TYPES, SEMANTIC, Passage, Reading, Turn
from hypermnesia.rules.verbatim import VerbatimExtractor

FACTORIES: list[Any] = [
    pytest.param(VerbatimExtractor, id="verbatim"),
    pytest.param(LinguisticExtractor, id="linguistic"),
]
SAID = datetime(2024, 3, 14, 10)
TRUSTED = {"user": "user", "person": "other_person", "assistant": "assistant", "tool": "tool"}


def turn(n: int, speaker: str, text: str, role: str = "person", kind: str = "utterance", caption: str = "") -> Turn:
    ids = (f"m{n}", f"h{n}")
    cited, parts = ((ids, (f"a{n}", "h")), (text, caption)) if caption else ((ids,), (text,))
    record_text = "\n".join(
        [*([text] if any(c.isalnum() for c in text) else []), *([f"[image: {caption}]"] if caption else [])]
    )
    return Turn(*ids, cited, parts, speaker, role, kind, text, record_text, None, SAID)


TALK = (
    turn(1, "Maya", "I moved to Lisbon in 2021, and my sister Anna lives in Porto."),
    turn(2, "Tom", "Wow, Maya! Do you like it there?"),
    turn(3, "Maya", "Yes."),
    turn(4, "Tom", "I can\u2019t stand olives, and we named the dog \u201cMax\u201d \U0001f436 last week."),
    turn(5, "Maya", "Look", caption="a photo of a dog on a beach"),
    turn(6, "Tom", "..."),
    turn(7, "Maya", "Ich wohne seit drei Jahren in Wien."),
    turn(8, "Tom", "First, boil the water. Then add the pasta. Finally, drain it."),
    turn(9, "Maya", "a\x00b \ud83d lone"),
    turn(10, "Tom", "word " * 6_000),
)
CHAT = (
    turn(11, "user", "I'm a nurse and I'm allergic to nuts.", "user"),
    turn(
        12,
        "assistant",
        "You are a doctor and you live in Rome. I prefer tea. My sister Eve lives in Oslo.",
        "assistant",
    ),
    turn(13, "search", '{"user": "lives in Oslo"}', "tool", "tool_result"),
    turn(14, "system", "The user lives in Oslo.", "system", "system"),
    turn(15, "user", "I am from Oslo. I live in Oslo.", "user", "document"),
)
PASSAGES = [
    Passage("owner", "talk", "h", (), TALK, ("Maya", "Tom")),
    Passage("owner", "chat", "h", (), CHAT, ("assistant", "search", "user")),
    Passage("owner", "later", "h", TALK[1:2], TALK[2:4], ("Maya", "Tom")),
    Passage("owner", "empty", "h", (), (), ()),
]


@pytest.fixture(scope="module", params=FACTORIES)
def extractor(request: pytest.FixtureRequest) -> Extractor:
    factory: Callable[[], Extractor] = request.param
    return factory()


@pytest.fixture(scope="module")
def readings(extractor: Extractor) -> list[Reading]:
    return extractor.read(PASSAGES)


def test_a_passage_reads_the_same_in_any_batch(extractor: Extractor, readings: list[Reading]) -> None:
    assert [extractor.read([passage])[0] for passage in PASSAGES] == readings
    assert extractor.read(PASSAGES[::-1])[::-1] == readings
    assert extractor.read(PASSAGES * 3)[len(PASSAGES) : 2 * len(PASSAGES)] == readings
    assert extractor.read([]) == []


def test_every_turn_is_cited_or_left_out_with_a_reason(readings: list[Reading]) -> None:
    for passage, reading in zip(PASSAGES, readings, strict=True):
        cited = {place for made in reading.made for place in made.turns}
        assert cited | set(reading.left_out) == set(range(len(passage.turns)))
        assert not cited & set(reading.left_out) and all(reading.left_out.values())


def test_every_turn_that_says_something_is_kept_word_for_word(readings: list[Reading]) -> None:
    for passage, reading in zip(PASSAGES, readings, strict=True):
        for place in set(range(len(passage.turns))) - set(reading.left_out):
            kept = [m for m in reading.made if m.turns == (place,) and m.text == passage.turns[place].record_text]
            assert len(kept) >= 1 and kept[0].memory_type in ("episodic", "resource")


def test_records_are_of_the_extractors_types_and_vocabulary(extractor: Extractor, readings: list[Reading]) -> None:
    assert set(extractor.memory_types) <= set(MEMORY_TYPES) and extractor.name and extractor.version
    for reading in readings:
        for made in reading.made:
            assert made.memory_type in extractor.memory_types
            assert made.modality is None or made.modality in get_args(Modality)
            assert all(a.modality in get_args(Modality) for a in made.assertions)
            assert all(m.type in get_args(AnchorType) and m.surface.strip() for m in made.mentions)


def test_quotes_mentions_and_assertions_stand_where_they_say(readings: list[Reading]) -> None:
    for passage, reading in zip(PASSAGES, readings, strict=True):
        for made in reading.made:
            for place, start, end in made.quotes:
                assert place in made.turns and 0 <= start < end <= len(passage.turns[place].text)
            for mention in made.mentions:
                assert 0 <= mention.turn < len(passage.turns)
                if mention.start is not None:
                    assert passage.turns[mention.turn].text[mention.start : mention.end] == mention.surface
            for assertion in made.assertions:
                assert assertion.roles and all(0 <= i < len(made.mentions) for _, i in assertion.roles)
                if assertion.start is not None and assertion.end is not None:
                    assert 0 <= assertion.start < assertion.end <= len(passage.turns[made.turns[0]].text)


def test_a_frame_has_two_different_anchors(readings: list[Reading]) -> None:
    for reading in readings:
        for made in reading.made:
            for assertion in made.assertions:
                assert len({made.mentions[i].surface.casefold() for _, i in assertion.roles}) >= 2


def test_trust_is_that_of_who_spoke(readings: list[Reading]) -> None:
    for passage, reading in zip(PASSAGES, readings, strict=True):
        for made in reading.made:
            said = passage.turns[made.turns[0]]
            assert made.trust == ("pasted" if said.kind == "document" else TRUSTED[said.role])
            assert made.speaker == said.speaker


def test_only_people_tell_facts_and_only_of_their_own(readings: list[Reading]) -> None:
    for passage, reading in zip(PASSAGES, readings, strict=True):
        for made in reading.made:
            if made.memory_type != SEMANTIC:
                continue
            said = passage.turns[made.turns[0]]
            assert said.role in ("user", "person") and said.kind == "utterance"
            subject = dict(made.attributes)["subject"]
            assert subject == said.speaker or subject not in passage.people


def test_a_short_answer_keeps_its_question(readings: list[Reading]) -> None:
    answers = [m for r in readings for m in r.made if m.text == "Yes."]
    assert len(answers) == 2 and all(m.context and m.context.endswith("Do you like it there?") for m in answers)
