"""A document walked along chosen paths gives what parsing it whole gives, in pieces of any size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.archives import json_tree
from hypermnesia.archives.json_tree import Path, read_tree
from hypermnesia.ports import Refusal

OPENED = {(), ("messages",), ("chats",), ("chats", "*"), ("chats", "*", "messages")}

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab"\\{}[],: é😀\n', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('k"\\:,', max_size=3), inner, max_size=3),
    max_leaves=8,
)
chats = st.lists(values | st.fixed_dictionaries({"name": values, "messages": st.lists(values, max_size=3)}), max_size=3)
documents = st.fixed_dictionaries({"name": values, "messages": values, "chats": chats | values})


def opened_values(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    pattern = tuple("*" if isinstance(step, int) else step for step in path)
    if pattern in OPENED and isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from opened_values(inner, (*path, step))
    else:
        yield path, value


def walk(text: str, size: int = 10_000) -> list[tuple[Path, Any] | Refusal]:
    return list(read_tree((text[at : at + size] for at in range(0, len(text), size)), OPENED))


@given(documents, st.booleans(), st.sampled_from([1, 2, 3, 7, 10_000]), st.sampled_from([None, 1]))
def test_it_gives_what_parsing_gives(document: Any, is_ascii: bool, size: int, indent: int | None) -> None:
    text = json.dumps(document, ensure_ascii=is_ascii, indent=indent)
    assert walk(text, size) == list(opened_values(document))


@given(documents, st.data())
def test_broken_documents_end_and_never_raise(document: Any, data: st.DataObject) -> None:
    text = json.dumps(document)
    at = data.draw(st.integers(0, len(text)))
    mended = text[:at] + data.draw(st.sampled_from(["", "]", "}", "{", "[", '"', "\\", ",", "x"])) + text[at + 1 :]
    cut = mended[: data.draw(st.integers(0, len(mended)))]
    for broken in (mended, cut):
        found = walk(broken, data.draw(st.sampled_from([1, 5, 1_000])))
        assert all(r.reason and r.locator and r.remedy for r in found if isinstance(r, Refusal))
    assert any(isinstance(f, Refusal) for f in walk(text[: at - 1]))


@pytest.mark.parametrize(
    ("text", "found", "refused"),
    [
        ('{"messages": [1, tru, 3]}', [1, 3], [("broken_json", "messages 2")]),
        ('{"messages": [1, }, 3]}', [1, 3], [("broken_json", "messages 2")]),
        ('{"messages": [1, {"a": [}, 3]}', [1], [("broken_json", "messages 2")]),
        ('{"messages": [1, 2', [1, 2], [("cut_off", "the end")]),
        ('{"messages": [1, {"a": 2', [1], [("broken_json", "messages 2")]),
        ('{"name": , "messages": [1]}', [1], [("broken_json", "name")]),
        ('{"name": }', [], [("broken_json", "name")]),
        ('{7: 1, "messages": [1]}', [1], [("broken_json", "document")]),
        ('{"messages": [1]} {}', [1], [("broken_json", "behind the end")]),
        (" \n", [], [("empty_file", "the end")]),
        ("7", [7], []),
    ],
)
def test_what_is_broken_costs_itself(text: str, found: list[Any], refused: list[tuple[str, str]]) -> None:
    items = walk(text)
    assert [(r.reason, r.locator) for r in items if isinstance(r, Refusal)][: len(refused)] == refused
    assert [item[1] for item in items if not isinstance(item, Refusal)] == found


def test_a_gigantic_value_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_tree, "MOST_ITEM_CHARACTERS", 50)
    items = walk(json.dumps({"messages": ["a" * 100, 2]}), 7)
    assert [i.reason if isinstance(i, Refusal) else i for i in items] == ["item_too_large", (("messages", 1), 2)]
