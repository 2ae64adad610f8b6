from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from milvus_lite.search.filter import parse_expr

from hypermnesia.adapters.generations import LockConflictError, try_lock
from hypermnesia.adapters.milvus_rows import TEXT_BYTES, after, cut, literal, to_entity
from hypermnesia.adapters.milvus_store import Store
from hypermnesia.ports import Source
from tests.fixtures.index_rows import index_row


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("北京大学", 8, "北京"),  # case E01
        ("北京大学", 12, "北京大学"),
        ("abc", 0, ""),
        ("noe\u0308l", 3, "no"),
        ("a👩🏽\u200d🚒", 12, "a"),
        ("🇫🇷🇩🇪", 12, "🇫🇷"),
        ("🇫🇷🇩🇪", 8, "🇫🇷"),
        ("z" + "\u0308" * 100, 101, "z" + "\u0308" * 50),
    ],
)
def test_e01_text_is_cut_between_graphemes_by_bytes(text: str, limit: int, kept: str) -> None:
    assert cut(text, limit) == kept


@given(st.text(), st.integers(0, 40))
def test_a_cut_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert text.startswith(short)
    assert len(short.encode()) <= limit
    assert short == text or len(text.encode()) > limit


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_e04_a_literal_is_read_back_as_the_same_string(value: str) -> None:
    assert parse_expr(after("row_id", value)).right.value == value


def test_e04_the_backslash_is_escaped_first() -> None:
    assert literal('dir\\"') == '"dir\\\\\\""'


def test_e08_a_database_open_elsewhere_is_named(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    path.mkdir()
    lock = try_lock(path / "LOCK")
    assert lock is not None
    with pytest.raises(LockConflictError, match=str(path)):
        Store(path, 4)
    lock.close()


ROW = index_row(
    "r1",
    text="I went running today.",
    sources=(Source("m1", "a.json", "conv", None),),
    signals=("ag:ann",),
    vector=np.ones(2, dtype=np.float32),
    context_vector=np.ones(2, dtype=np.float32),
)


@pytest.mark.parametrize(
    ("changes", "is_cut"),
    [
        ({}, False),
        ({"text": "é" * TEXT_BYTES}, True),
        ({"context": "é" * TEXT_BYTES}, True),
        ({"speaker": "é" * TEXT_BYTES}, True),
        ({"sources": ROW.sources * TEXT_BYTES}, True),
    ],
)
def test_e01_what_was_cut_is_flagged_and_fits(changes: dict[str, object], is_cut: bool) -> None:
    entity = to_entity(dataclasses.replace(ROW, **changes), 2)  # type: ignore[arg-type]
    assert entity["is_cut"] is is_cut
    assert all(len(value.encode()) <= TEXT_BYTES for value in entity.values() if isinstance(value, str))


@pytest.mark.parametrize("name", ["row_id", "user_id", "conversation_id"])
def test_an_id_that_does_not_fit_is_an_error_and_is_never_cut(name: str) -> None:
    with pytest.raises(ValueError, match="bytes"):
        to_entity(dataclasses.replace(ROW, **{name: "x" * (TEXT_BYTES + 1)}), 2)  # type: ignore[arg-type]
