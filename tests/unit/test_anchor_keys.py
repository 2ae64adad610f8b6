"""The anchor key: one key for one name however it is written, and never one key for two names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.anchor_keys import anchor_key, fold, has_content, why_no_anchor

TEXT = st.text(max_size=40)


@given(TEXT)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(TEXT)
def test_a_key_is_a_key_of_itself_and_never_empty(text: str) -> None:
    key = anchor_key(text)
    assert (key is None) == (why_no_anchor(text) is not None)
    if key is not None:
        assert has_content(key)
        assert anchor_key(key) == key


@given(TEXT, st.sampled_from((str.upper, str.title, lambda t: f"  {t}\u200b ", lambda t: t.replace(" ", "\u00a0 "))))
def test_case_and_space_never_matter(text: str, written: object) -> None:
    plain = "".join(c for c in text if c.isascii() and c not in "\x1c\x1d\x1e\x1f")
    assert anchor_key(written(plain)) == anchor_key(plain)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Anna Kowalska", "  anna\u00a0KOWALSKA "),
        ("O\u2019Neil", "O'Neil"),
        ("e\u2011mail", "e-mail"),
        ("\ufb01lm club", "film club"),
        ("Ｃ＋＋", "C++"),
        ("“Dune”", "Dune"),
        ("Caf\u00e9", "Cafe\u0301"),
        ("tele\u00adphone", "telephone"),
    ],
)
def test_one_key(a: str, b: str) -> None:
    assert anchor_key(a) == anchor_key(b) is not None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("C++", "C#"),
        ("C++", "C"),
        ("A+", "A-"),
        (".NET", "NET"),
        ("iOS 1", "iOS 1.1"),
        ("11-11", "11"),
        ("11-11", "1111"),
        ("milk chocolate", "chocolate milk"),
        ("good", "goods"),
        ("茶壶", "雨伞"),
        ("京都 Library", "奈良 Library"),
        ("Renée", "Renee"),
        ("Jönsson", "Jonsson"),
        ("🐶", "🐱"),
    ],
)
def test_two_keys(a: str, b: str) -> None:
    assert None not in (anchor_key(a), anchor_key(b))
    assert anchor_key(a) != anchor_key(b)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "empty"),
        (" \u200b ", "empty"),
        ("...", "empty"),
        ("---", "empty"),
        ("\u2019\u2019", "empty"),
        ("User", "dialogue_role"),
        ("the assistant", "dialogue_role"),
        ("Speaker 2", "dialogue_role"),
        ("information", "generic_word"),
        ("a suggestion", "generic_word"),
        ("Some things", "generic_word"),
        ("you", "pronoun"),
        ("Everyone", "pronoun"),
    ],
)
def test_no_anchor(name: str, reason: str) -> None:
    assert why_no_anchor(name) == reason
    assert anchor_key(name) is None


@pytest.mark.parametrize("name", ["US", "IT", "WHO", "Will", "Thing Theory", "Information Desk", "11", "user guide"])
def test_names_that_look_generic_are_anchors(name: str) -> None:
    assert anchor_key(name) is not None
