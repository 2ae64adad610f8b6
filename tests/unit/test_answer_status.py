"""What a completion's text is: an answer, or one of the ways in which models fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.ports import STATUSES
from hypermnesia.rules.answer_schemas import first_mismatch, schema_problems
from hypermnesia.rules.answer_status import answer_status, read_answer, unwrapped

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": 4,
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "minLength": 1, "maxLength": 40},
                    "kind": {"enum": ["likes", "lives"]},
                    "n": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 9}, {"type": "null"}]},
                },
                "required": ["text"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}
GOOD = '{"facts":[{"text":"Tomas moved to Porto","kind":"lives","n":3}]}'


@pytest.mark.parametrize(
    ("text", "stopped_by", "status"),
    [
        (GOOD, "stop", "ok"),
        ('{"facts":[]}', "stop", "ok"),
        (f"```json\n{GOOD}\n```", "stop", "ok"),
        (f"<think>who moved? {{}}</think>\n\n{GOOD}\n", "stop", "ok"),
        (GOOD.replace(",", ", \n"), "stop", "ok"),
        (GOOD, "length", "truncated"),
        (GOOD[:-9], "length", "truncated"),
        (GOOD[:-9], "stop", "unparseable"),
        ("", "stop", "empty"),
        (" \n", "stop", "empty"),
        ("<think>the user says that Tomas", "length", "empty"),
        (" " * 400, "length", "whitespace_loop"),
        ('{"facts":[' + "\n " * 100, "repetition", "whitespace_loop"),
        ('{"facts":["ha","ha","ha","ha"', "repetition", "truncated"),
        ('{"facts":[{"text":"' + "\\n" * 400, "length", "whitespace_loop"),
        ('{"facts":[' + "\u00a0" * 400, "length", "whitespace_loop"),
        ("I can't help with that.", "stop", "refusal"),
        ("I\u2019m sorry, but I cannot process this conversation.", "stop", "refusal"),
        ("Es tut mir leid, das kann ich nicht.", "stop", "refusal"),
        ('{"error":"I cannot extract facts from this."}', "stop", "refusal"),
        ("anything", "content_filter", "refusal"),
        (json.dumps(SCHEMA), "stop", "schema_echo"),
        (json.dumps(SCHEMA)[:-1] + ',"facts":[]}', "stop", "schema_echo"),
        ('{"$defs":{},"facts":[]}', "stop", "schema_echo"),
        ('{"facts":[{"text":""}]}', "stop", "unparseable"),
        ('{"facts":[{"text":"x","more":1}]}', "stop", "unparseable"),
        ('{"facts":[{"text":"x","n":true}]}', "stop", "unparseable"),
        ('{"facts":NaN}', "stop", "unparseable"),
        ('["facts"]', "stop", "unparseable"),
        ("[" * 100_000, "stop", "unparseable"),
    ],
)
def test_a_text_and_its_status(text: str, stopped_by: str, status: str) -> None:
    assert answer_status(text, stopped_by, SCHEMA)[0] == status


def test_b03_a_whitespace_loop_is_not_a_truncation() -> None:
    assert answer_status('{\n"facts": [' + " " * 15_000, "length", SCHEMA)[0] == "whitespace_loop"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("I'm sorry, there is nothing worth remembering here.", "refusal"),
        ('"category": "correction",', "unparseable"),
        ("There is nothing to extract.", "refusal"),
        ("No facts found in this chunk", "refusal"),
    ],
)
def test_b06_refusals_and_fragments_are_no_answers(text: str, status: str) -> None:
    assert answer_status(text, "stop", SCHEMA)[0] == status


def test_b07_nothing_returned_is_not_nothing_found() -> None:
    assert answer_status("", "length", SCHEMA)[0] == "empty"
    assert answer_status('{"facts":[]}', "length", SCHEMA)[0] == "truncated", "a list is an answer only where it ended"
    assert answer_status('{"facts":[]}', "stop", SCHEMA)[0] == "ok"


def test_free_text_is_an_answer_unless_it_is_cut_or_refuses() -> None:
    assert answer_status("There are no trains on Sunday.", "stop", None)[0] == "ok"
    assert answer_status("In March, in Por", "length", None)[0] == "truncated"
    assert answer_status("I'm sorry, I can't say.", "stop", None)[0] == "refusal"


@given(st.text(max_size=400), st.sampled_from(["stop", "length", "content_filter", "abort"]))
def test_any_text_has_one_of_the_statuses(text: str, stopped_by: str) -> None:
    for schema in (SCHEMA, None):
        assert answer_status(text, stopped_by, schema)[0] in STATUSES


facts = st.fixed_dictionaries(
    {"text": st.text(min_size=1, max_size=40)}, optional={"kind": st.sampled_from(["likes", "lives"]), "n": st.none()}
)


@given(st.fixed_dictionaries({"facts": st.lists(facts, max_size=4)}), st.sampled_from([None, 1]))
def test_every_value_of_the_schema_is_ok_and_is_read_back(value: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert answer_status(text, "stop", SCHEMA) == ("ok", "")
    assert read_answer(f"```json\n{text}\n```") == value


@given(st.fixed_dictionaries({"facts": st.lists(facts, min_size=1, max_size=4)}), st.data())
def test_a_cut_answer_is_never_ok(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assert answer_status(cut, "length", SCHEMA)[0] not in ("ok", "schema_echo", "refusal")


def test_a_fence_inside_an_answer_stays() -> None:
    text = json.dumps({"facts": [{"text": "```py\nx\n```"}]})
    assert unwrapped(text) == text


def test_b04_a_schema_that_crashes_engines_is_refused_by_its_keyword() -> None:
    schema = {
        "type": "object",
        "properties": {
            "amount": {"type": "integer", "maximum": 20000000000},
            "date": {"type": "string", "pattern": "^(|\\d{4}-\\d{2}-\\d{2})$"},
        },
    }
    found = schema_problems(schema)
    for path in (
        "$.properties.amount.maximum",
        "$.properties.amount.minimum",
        "$.properties.date.pattern",
        "$.properties.date.maxLength",
        "$.additionalProperties",
    ):
        assert any(problem.startswith(f"{path}: ") for problem in found), path


def test_b10_a_map_of_anything_is_no_answer() -> None:
    assert schema_problems({"type": "object", "properties": {}}) == [
        "$.additionalProperties: must be false, else any map is an answer"
    ]


def test_a_small_closed_schema_has_no_problems() -> None:
    assert schema_problems(SCHEMA) == []
    defined = {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/One"}, "$defs": {"One": {"const": 1}}}
    assert schema_problems(defined) == []
    assert first_mismatch([1, 2], defined) == "$[1]: is not 1"
    assert first_mismatch([1, True], defined) == "$[1]: is not 1"
    assert schema_problems({"$ref": "#/$defs/X", "$defs": {"X": {"type": "string"}}}) == [
        "$.$defs.X.maxLength: missing, the text may go on until the tokens are used up"
    ]
