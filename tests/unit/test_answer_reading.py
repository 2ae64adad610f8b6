"""Answers become records, or counted refusals; the cases of area B by their ids."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.contracts.answers import (
    ANSWERS,
    Answer,
    CoreAnswer,
    EpisodicAnswer,
    FramesAnswer,
    RepairAnswer,
    RouterAnswer,
    SemanticAnswer,
    SingleAnswer,
)
from hypermnesia.rules import grounding_reasons as reasons
from hypermnesia.rules.answer_reading import (
    UnreadableAnswerError,
    claims_of,
    is_suspicious,
    joined,
    parse_answer,
    read_records,
    read_repairs,
    routed,
    uncited,
)
from hypermnesia.rules.extraction import MEMORY_TYPES, Assertion, Made, Mention, Passage
from hypermnesia.rules.frame_reading import entity_named, read_frames
from hypermnesia.rules.prompting import compact, windows
from hypermnesia.rules.verbatim import said_record, turns_before
from tests.fixtures.scripted_answers import ScriptedAnswers
from tests.fixtures.small_passages import passage

RAN = passage(
    ("Maya", "Yesterday I ran 12 km with my sister Vera. I'm allergic to nuts."),
    ("Assistant", "Well done! You could eat oats before long runs."),
)
GOOD = {
    "text": "Maya ran 12 km with her sister Vera.",
    "cites": [1],
    "quote": "Yesterday I ran 12 km with my sister Vera",
    "modality": "done",
    "negated": False,
    "when": "Yesterday",
}


def episodic(*items: dict[str, Any]) -> Answer:
    return parse_answer(compact({"records": list(items)}), EpisodicAnswer)


def semantic(**item: Any) -> Answer:
    return parse_answer(compact({"records": [{"negated": False, "when": ""} | item]}), SemanticAnswer)


def status_of(text: str, model: type[Answer], stopped_by: str = "stop") -> str:
    with pytest.raises(UnreadableAnswerError) as caught:
        parse_answer(text, model, stopped_by)
    return caught.value.status


# From text to answer


@pytest.mark.parametrize(
    ("text", "stopped_by", "status"),
    [
        ('{"records":[', "stop", "unparseable"),
        ('{"records":[' + compact(GOOD), "length", "truncated"),
        ("", "length", "empty"),
        ('{\n"records": [' + " " * 15_000, "length", "whitespace_loop"),
        ("I'm sorry, there is nothing worth remembering here.", "stop", "refusal"),
        ('"category": "correction",', "stop", "unparseable"),
        (json.dumps(EpisodicAnswer.json_schema()), "stop", "schema_echo"),
        (compact({"records": [GOOD | {"mood": "happy"}]}), "stop", "unparseable"),
        (compact({"records": [GOOD | {"cites": []}]}), "stop", "unparseable"),
        (compact({"records": [GOOD | {"text": "x" * 481}]}), "stop", "unparseable"),
        (compact({"records": [GOOD] * 25}), "stop", "unparseable"),
    ],
)
def test_what_is_no_answer_has_a_status(text: str, stopped_by: str, status: str) -> None:
    assert status_of(text, EpisodicAnswer, stopped_by) == status


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_any_json_is_an_answer_or_a_status(value: Any) -> None:
    for model in ANSWERS.values():
        try:
            parse_answer(json.dumps(value), model)
        except UnreadableAnswerError as error:
            assert error.status != "ok"


def test_a_router_names_writers_in_order() -> None:
    answer = RouterAnswer(core=False, episodic=True, semantic=False, procedural=False, resource=True)
    assert routed(answer) == ("episodic", "resource")


def test_only_writers_answers_have_claims() -> None:
    with pytest.raises(TypeError, match="RouterAnswer is no writer's answer"):
        claims_of(RouterAnswer(core=True, episodic=True, semantic=True, procedural=True, resource=True))


# From answer to records


def test_every_item_is_a_record_or_a_refusal() -> None:
    answer = episodic(GOOD, GOOD | {"quote": "I swam"}, GOOD | {"cites": [7]}, GOOD)
    reading = read_records([answer], RAN)
    assert reading.n_items == 4 == len(reading.made) + len(reading.refused)
    assert [r.reason for r in reading.refused] == [
        reasons.QUOTE_NOT_FOUND,
        reasons.UNKNOWN_MESSAGE,
        reasons.REPEATED,
    ]
    assert uncited(reading, RAN) == {1: "no_record"}


def test_turns_without_a_record_say_why() -> None:
    said = passage(("System", "Be kind."), ("Maya", "I ran 12 km."), ("Tom", "Hi."))
    reading = read_records([episodic(GOOD | {"cites": [2], "quote": "I ran 15 km"})], said)
    assert uncited(reading, said) == {0: "not_said_by_anyone", 1: reasons.QUOTE_NOT_FOUND, 2: "no_record"}


def test_repairs_are_taken_where_they_are_grounded() -> None:
    reading = read_records(
        [episodic(GOOD | {"text": "Maya ran with Vera."}, GOOD | {"text": "Maya went running."})], RAN
    )
    answer = RepairAnswer.model_validate(
        {
            "records": [
                {"record": 1, "text": "Maya ran 12 km\nwith Vera."},
                {"record": 2, "text": "Maya ran 99 km."},
                {"record": 3, "text": "Maya slept."},
            ]
        }
    )
    kept, out = read_repairs(answer, reading.grounded, RAN)
    assert [g.made.text for g in kept] == ["Maya ran 12 km with Vera.", "Maya went running."]
    assert [r.reason for r in out] == [reasons.REPAIR_NOT_GROUNDED, reasons.UNKNOWN_RECORD]


def test_windows_of_a_passage_are_joined_at_their_places() -> None:
    said = passage(*[("Maya", f"I read book {n} on the train.") for n in range(5)])
    readings = []
    for window in windows(said):
        items = [
            GOOD | {"text": f"Maya read {t.text[7:14].strip()}.", "cites": [n], "quote": t.text, "when": ""}
            for n, t in enumerate(window.passage.turns, 1)
        ]
        readings.append((window.first, read_records([episodic(*items)], window.passage)))
    whole = joined(readings)
    assert [made.turns for made in whole.made] == [(n,) for n in range(5)]
    assert all(said.turns[t].text[a:b] == said.turns[t].text[:-1] for m in whole.made for t, a, b in m.quotes)
    assert whole.n_items == 5


def test_one_call_for_all_writers_reads_as_the_writers_apart() -> None:
    fact = {"text": "Maya is allergic to nuts.", "cites": [1], "quote": "I'm allergic to nuts", "about": "Maya"}
    core = fact | {"kind": "fact", "negated": False}
    stable = fact | {"negated": False, "when": ""}
    whole = {"core": [core], "episodic": [GOOD], "semantic": [stable], "procedural": [], "resource": []}
    apart = [
        CoreAnswer.model_validate({"records": [core]}),
        EpisodicAnswer.model_validate({"records": [GOOD]}),
        SemanticAnswer.model_validate({"records": [stable]}),
    ]
    assert read_records([SingleAnswer.model_validate(whole)], RAN) == read_records(apart, RAN)
    assert [m.memory_type for m in read_records(apart, RAN).made] == ["core", "episodic", "semantic"]


# Frames


def frames(entities: list[tuple[int, str]], *items: dict[str, Any]) -> FramesAnswer:
    filled = [{"record": 1, "event": False, "attributes": [], "occasion": ""} | item for item in items]
    named = [{"id": n, "name": name, "type": "person"} for n, name in entities]
    return FramesAnswer.model_validate({"entities": named, "frames": filled})


def roles(*pairs: tuple[str, int | str]) -> list[dict[str, Any]]:
    return [{"role": role, "entity": entity} for role, entity in pairs]


def test_frames_get_mentions_with_offsets_and_their_records_time() -> None:
    made = read_records([episodic(GOOD)], RAN).made
    answer = frames(
        [(0, "Maya"), (1, "Vera")],
        {
            "predicate": "Run",
            "event": True,
            "roles": roles(("agent", 0), ("companion", 1)),
            "attributes": [{"key": "distance", "value": "12 km"}],
        },
    )
    (record,), out = read_frames(answer, made, RAN)
    at = RAN.turns[0].text.index("Vera")
    assert out == []
    assert record.mentions == (Mention("Maya", "person", 0), Mention("Vera", "person", 0, at, at + 4))
    assert record.assertions == (
        Assertion(
            "run",
            (("agent", 0), ("companion", 1)),
            is_event=True,
            time=made[0].time,
            attributes=(("distance", "12 km"),),
            start=made[0].quotes[0][1],
            end=made[0].quotes[0][2],
        ),
    )


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ({"predicate": "run", "roles": roles(("agent", 0), ("object", 9))}, reasons.DANGLING_ENDPOINT),
        ({"predicate": "run", "roles": roles(("agent", 0), ("object", "Petra"))}, reasons.DANGLING_ENDPOINT),
        ({"predicate": "run", "roles": roles(("agent", 0), ("object", 2))}, reasons.NO_ANCHOR),
        ({"predicate": "run", "roles": roles(("agent", 0), ("object", 3))}, reasons.INVENTED_NAME),
        ({"predicate": "run", "roles": roles(("agent", 0), ("object", 0))}, reasons.FRAME_TOO_SMALL),
        ({"predicate": "run", "roles": roles(("agent", 0), ("object", 1)), "record": 2}, reasons.UNKNOWN_RECORD),
        (
            {
                "predicate": "run",
                "roles": roles(("agent", 0), ("object", 1)),
                "attributes": [{"key": "distance", "value": "42 km"}],
            },
            reasons.INVENTED_NUMBER,
        ),
    ],
)
def test_a_frame_that_the_text_does_not_bear_is_dropped_and_counted(item: dict[str, Any], why: str) -> None:
    made = read_records([episodic(GOOD)], RAN).made
    answer = frames([(0, "Maya"), (1, "Vera"), (2, "she"), (3, "Zoltan")], item)
    records, out = read_frames(answer, made, RAN)
    assert records == made
    assert [r.reason for r in out] == [why]


# Area B


def test_b06_refusals_and_fragments_are_no_records() -> None:
    assert status_of("I'm sorry, there is nothing worth remembering here.", EpisodicAnswer) == "refusal"
    assert status_of('"category": "correction",', EpisodicAnswer) == "unparseable"
    refusal = GOOD | {"text": "I cannot find any facts.", "quote": "nothing to remember"}
    assert read_records([episodic(refusal)], RAN).made == []


def test_b07_nothing_found_is_not_nothing_returned() -> None:
    said = passage(("Maya", "Tomas moved to Porto in March and adopted a dog."))
    assert status_of("", EpisodicAnswer, "length") == "empty"
    assert status_of('{"records":[]}', EpisodicAnswer, "length") == "truncated"
    reading = read_records([episodic()], said)
    assert is_suspicious(said, reading.n_items)
    assert not is_suspicious(passage(("Maya", "Thanks, bye!")), 0)
    assert not is_suspicious(said, 1)


def test_b09_endpoints_are_ids_or_names_that_one_entity_claims() -> None:
    said = passage(("Maya", "Noor Haddad works at Lumen Labs."))
    quoted = {"text": "Noor Haddad works at Lumen Labs.", "cites": [1], "quote": "Noor Haddad works at Lumen Labs"}
    made = read_records([semantic(**quoted, about="Noor Haddad")], said).made
    answer = frames(
        [(0, "Noor Haddad"), (1, "Lumen Labs")],
        {"predicate": "works_at", "roles": roles(("agent", "Noor"), ("object", 1))},
        {"predicate": "knows", "roles": roles(("agent", 0), ("object", 7))},
    )
    (record,), out = read_frames(answer, made, said)
    assert [(a.predicate, [record.mentions[i].surface for _, i in a.roles]) for a in record.assertions] == [
        ("works_at", ["Noor Haddad", "Lumen Labs"])
    ]
    assert [r.reason for r in out] == [reasons.DANGLING_ENDPOINT]
    two = frames([(0, "Noor Haddad"), (1, "Noor Khan")]).entities
    assert entity_named("Noor", two) == reasons.AMBIGUOUS_ENTITY


def test_b10_attributes_are_pairs_of_words_never_maps() -> None:
    nested = {"predicate": "spend", "roles": roles(("agent", 0), ("object", 1)), "record": 1, "event": False}
    answer = {
        "entities": [{"id": 0, "name": "Ember Fund", "type": "organization"}],
        "frames": [nested | {"occasion": "", "attributes": [{"key": "spend", "value": {"2029": "97"}}]}],
    }
    assert status_of(compact(answer), FramesAnswer) == "unparseable"


def test_b12_assistant_text_is_no_fact_about_the_user() -> None:
    said = passage(
        ("Maya", "How do people store herbs?"), ("Assistant", "Many people dry them.\n\nI prefer freezing them in oil.")
    )
    claimed = {"text": "Maya prefers freezing herbs in oil.", "quote": "I prefer freezing them in oil"}
    answers = [semantic(**claimed, cites=[2], about="Maya"), semantic(**claimed, cites=[1], about="Maya")]
    reading = read_records(answers, said)
    assert reading.made == []
    assert [r.reason for r in reading.refused] == [reasons.WRONG_SPEAKER, reasons.QUOTE_NOT_IN_CITED]


def test_b13_recalled_memory_is_no_evidence_and_its_denial_is() -> None:
    said = passage(("System", "Relevant memories: - The user owns a boat."), ("Maya", "No, I never owned a boat."))
    owns = semantic(text="Maya owns a boat.", cites=[1], quote="The user owns a boat", about="Maya")
    wrong = semantic(text="Maya owns a boat.", cites=[2], quote="I never owned a boat", about="Maya")
    reading = read_records([owns, wrong], said)
    assert [r.reason for r in reading.refused] == [reasons.CITES_SYSTEM]
    assert [made.is_negated for made in reading.made] == [True]  # the text denies it, whatever the answer says


# The perfect answerer


def verbatim_records(said: Passage) -> list[Made]:
    return [
        said_record(turn, place, before)
        for place, (turn, before) in enumerate(zip(said.turns, turns_before(said), strict=True))
    ]


def test_right_answers_give_the_records_that_they_were_made_of() -> None:
    said = passage(
        ("Tom", "Did you see the Golden Heron in Porto?"),
        ("Maya", "Yes, twice."),
        ("Maya", "Last Friday I paid 40 euros for it, Tom."),
        lead=[("Tom", "Hi!")],
    )
    made = verbatim_records(said)
    script = ScriptedAnswers(said, made)
    assert routed(parse_answer(script.answer("router"), RouterAnswer)) == ("episodic",)  # type: ignore[arg-type]
    reading = read_records([parse_answer(script.answer("episodic"), EpisodicAnswer)], said)
    assert reading.refused == []
    for mine, wanted in zip(reading.made, made, strict=True):
        for field in ("memory_type", "text", "turns", "speaker", "trust", "context"):
            assert getattr(mine, field) == getattr(wanted, field)
        assert len(mine.quotes) == 1
    assert read_records([parse_answer(script.answer("single"), SingleAnswer)], said) == reading


def test_scripted_frames_come_back_as_they_went_in() -> None:
    made = read_records([episodic(GOOD)], RAN).made
    answer = frames([(0, "Maya"), (1, "Vera")], {"predicate": "run", "roles": roles(("agent", 0), ("companion", 1))})
    framed, _ = read_frames(answer, made, RAN)
    script = ScriptedAnswers(RAN, framed)
    again = parse_answer(script.answer("frames"), FramesAnswer)
    assert isinstance(again, FramesAnswer)
    assert read_frames(again, made, RAN) == (framed, [])


def test_the_script_answers_every_prompt_that_reads_a_passage() -> None:
    script = ScriptedAnswers(RAN, verbatim_records(RAN))
    for name in ("router", "single", "frames", "repair", *MEMORY_TYPES):
        json.loads(script.answer(name))
    with pytest.raises(KeyError, match="same_entity"):
        script.answer("same_entity")
