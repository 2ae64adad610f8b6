"""The guess whether a text is English, and what of a turn is its speaker's own running text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.linguistic.language import is_english
from hypermnesia.rules.linguistic.own_words import own_words, quotations, titles


@pytest.mark.parametrize(
    "text",
    [
        "I went to the market yesterday.",
        "Finished painting bedroom walls!",
        "lol ok",
        "In Brno.",
        "My friend José lives in São Paulo.",
        "Café?",
        "👍👍",
        "42",
        "I moved to Düsseldorf because of the job",
    ],
)
def test_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ich wohne seit drei Jahren in Wien.",
        "Me mudé a Valencia el año pasado.",
        "J'habite à Lyon avec ma sœur.",
        "Abito a Roma con mia sorella.",
        "Moro em Lisboa com a minha irmã.",
        "Ik woon in Utrecht met mijn zus.",
        "Mieszkam w Krakowie z moją siostrą.",
        "Jag bor i Malmö med min syster.",
        "İstanbul'da kız kardeşimle yaşıyorum.",
        "Saya tinggal di Jakarta dengan kakak saya.",
        "Я живу в Киеве с сестрой.",
        "我和姐姐住在上海。",
        "أعيش في القاهرة مع أختي",
        "मैं दिल्ली में रहता हूँ",
        "저는 서울에 살아요",
    ],
)
def test_other_languages(text: str) -> None:
    assert not is_english(text)


@given(st.text(max_size=300))
def test_own_words_keep_every_offset(text: str) -> None:
    assert len(own_words(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Run `make all` now.", "Run            now."),
        ("> I own a boat.\nNo.", "               \nNo."),
        ("See https://a.example/x ok", "See                     ok"),
        ("Met with Ana.", "met with Ana."),
        ("Ahmed went home.", "Ahmed went home."),
        ("It\u2019s fine", "It's fine"),
    ],
)
def test_what_is_not_said_is_blanked(text: str, kept: str) -> None:
    assert own_words(text) == kept


def test_titles_and_quotations_are_told_apart() -> None:
    text = 'I read "The Long Way" and she said "I will move to Rome soon".'
    assert [text[a:b] for a, b in titles(text)] == ["The Long Way"]
    assert [text[a:b] for a, b in quotations(text)] == ["I will move to Rome soon"]
