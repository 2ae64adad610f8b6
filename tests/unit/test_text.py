"""Text is repaired once, before anything is hashed: cases A13 (lone surrogates) and A14 (NUL)."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.text import one_line, repair

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=40) | st.text(
    st.sampled_from("a\x00\ud83d\ude00\ude02e\u0301\ufffd 한각"), max_size=12
)


def test_a13_a_lone_surrogate_is_replaced_and_flagged() -> None:
    assert repair(json.loads('"ok \\ud83d"')) == ("ok \ufffd", True)
    assert repair("\ude02 ok") == ("\ufffd ok", True)


def test_a13_two_three_byte_surrogates_are_one_emoji() -> None:
    text = b"\xed\xa0\xbd\xed\xb8\x82".decode("utf-8", "surrogatepass")
    assert repair(text) == ("\U0001f602", True)


def test_a14_nul_is_removed_and_flagged() -> None:
    assert repair(json.loads('"a\\u0000b"')) == ("ab", True)


def test_a14_a_spelled_out_escape_stays() -> None:
    spelled = json.loads('"a\\\\u0000b"')
    assert repair(spelled) == (spelled, False)
    assert "\\u0000" in spelled


def test_nfc_is_no_repair() -> None:
    assert repair("Tomas\u0301") == ("Tomaś", False)


@given(ANY_TEXT)
def test_repairing_twice_changes_nothing(text: str) -> None:
    once, _ = repair(text)
    assert repair(once) == (once, False)


@given(ANY_TEXT)
def test_every_store_takes_a_repaired_text(text: str) -> None:
    repaired, is_repaired = repair(text)
    repaired.encode("utf-8")
    assert "\x00" not in repaired
    assert unicodedata.is_normalized("NFC", repaired)
    assert is_repaired == ("\x00" in text or any("\ud800" <= c <= "\udfff" for c in text))


@given(ANY_TEXT)
def test_one_writing_of_the_same_letters(text: str) -> None:
    assert repair(unicodedata.normalize("NFD", text))[0] == repair(text)[0]


@pytest.mark.parametrize(
    ("text", "line"), [(" a\n\tb ", "a b"), ("", ""), ("x" * 8, "x" * 8), ("x" * 9, "x" * 7 + "…")]
)
def test_a_line_is_folded_and_cut(text: str, line: str) -> None:
    assert one_line(text, 8) == line
