"""The items of a large JSON array: cut at any place, broken ones cost themselves, nothing is passed over."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.archives import json_items
from hypermnesia.archives.json_items import read_items
from hypermnesia.ports import Refusal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('ab"\\[]{},:\n é😀'), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES, max_size=3)


def read(text: str, *cuts: int) -> list[Any]:
    """The items of a text that comes in pieces."""
    ends = [0, *sorted(cuts), len(text)]
    return list(read_items(text[a:b] for a, b in itertools.pairwise(ends)))


def told(text: str) -> list[Any]:
    """Values, and refusals as (reason, locator)."""
    return [(i.reason, i.locator) if isinstance(i, Refusal) else i[1] for i in read(text)]


@given(st.lists(OBJECTS, max_size=4), st.booleans(), st.sampled_from([None, 1]), st.data())
def test_items_do_not_depend_on_where_the_pieces_end(
    items: list[Any], is_ascii: bool, indent: int | None, data: st.DataObject
) -> None:
    text = json.dumps(items, ensure_ascii=is_ascii, indent=indent)
    expected = [(f"item {n}", item) for n, item in enumerate(items, 1)]
    assert read(text) == expected
    assert read(text, *data.draw(st.lists(st.integers(0, len(text)), max_size=6))) == expected


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": "x\\\\\\"]y"}, {"b": [1, {"c": "}"}]}]',
        '\n [ 1, "a,]b\\"", {"a": 1}} , null] {"z": 2} x',
        '{"a": {"b": "\\u005d\\\\"}}',
        '[{"a": 1}, {"b": ',
    ],
)
def test_cut_at_every_place(text: str) -> None:
    whole = read(text)
    assert read(text, *range(len(text))) == whole
    for at in range(len(text)):
        assert read(text, at) == whole


@given(st.lists(OBJECTS | st.integers() | st.text(max_size=4) | st.none() | st.floats(allow_nan=False), max_size=5))
def test_each_element_is_an_item_or_a_refusal(elements: list[Any]) -> None:
    expected = [e if isinstance(e, dict) else ("not_an_item", f"item {n}") for n, e in enumerate(elements, 1)]
    assert told(json.dumps(elements)) == expected


@given(st.text(st.sampled_from('[]{},:" \\a1\n'), max_size=25))
def test_no_text_is_passed_over(text: str) -> None:
    """Whatever the file holds: an error where it is no JSON, and every piece of it accounted for."""
    found = read(text)
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, list):
        assert len(found) == len(value)
    elif isinstance(value, dict):
        assert found == [("item 1", value)]
    elif re.sub(r"\[[ \n,]*\]", "", text).strip(" \n,"):  # separators alone say nothing, in a list or without
        assert found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('{"a": 1}\n{"b": 2}', [{"a": 1}, {"b": 2}]),
        ("[[1], [2]]", [[1], [2]]),
        ("[]", []),
        ("", [("empty_file", "the end")]),
        (" \n", [("empty_file", "the end")]),
        ("hello", [("not_an_item", "item 1")]),
        ('[{"a": 1}, {"b": tru}, {"c": 3}]', [{"a": 1}, ("broken_json", "item 2"), {"c": 3}]),
        ('[{"a": 1}, {"b": 2], {"c": 3}]', [{"a": 1}, ("broken_json", "item 2"), {"c": 3}]),
        ('[{"a": 1}}, {"b": 2}]', [{"a": 1}, ("not_an_item", "item 2"), {"b": 2}]),
        ('[{"a": 1}], {"b": 2}]', [{"a": 1}, {"b": 2}, ("not_an_item", "item 3")]),
        ('[{"a": 1}, {"b": 2', [{"a": 1}, ("broken_json", "item 2")]),
        ('[{"a": 1}, "b', [{"a": 1}, ("not_an_item", "item 2")]),
        ('[{"a": 1},', [{"a": 1}, ("cut_off", "the end")]),
        ('[{"a": 1}]  trailing', [{"a": 1}, ("not_an_item", "item 2")]),
        ('[{"n": ' + "1" * 5_000 + '}, {"a": 1}]', [("broken_json", "item 1"), {"a": 1}]),
        ("[" + '{"a":' * 100_000 + "1" + "}" * 100_000 + ', {"a": 1}]', [("broken_json", "item 1"), {"a": 1}]),
    ],
)
def test_what_is_broken_costs_itself(text: str, expected: list[Any]) -> None:
    assert told(text) == expected


def test_a_refusal_says_what_to_do() -> None:
    for refusal in read('[1, {"a": tru}, '):
        assert isinstance(refusal, Refusal)
        assert refusal.reason and refusal.locator and refusal.remedy
    assert read("[tru]")[0].detail == ""  # no text of the archive


def test_a_gigantic_item_is_refused_and_the_next_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "MOST_ITEM_CHARACTERS", 50)
    text = json.dumps([{"a": "x" * 40}, {"b": "x" * 60}, {"c": 1}, "y" * 60])
    expected = [("item 1", {"a": "x" * 40}), "item_too_large", ("item 3", {"c": 1}), "item_too_large"]
    for cuts in ((), range(len(text))):
        assert [i.reason if isinstance(i, Refusal) else i for i in read(text, *cuts)] == expected


def test_bytes_that_are_no_text_end_the_file_with_a_refusal() -> None:
    def pieces() -> Any:
        yield '[{"a": 1}, {"b"'
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    first, second = read_items(pieces())
    assert first == ("item 1", {"a": 1})
    assert isinstance(second, Refusal)
    assert (second.reason, second.locator) == ("bad_encoding", "byte 0")
