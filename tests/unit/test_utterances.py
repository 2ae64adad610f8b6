"""What one utterance says of itself by its marks and words."""

from __future__ import annotations

import pytest

from hypermnesia.rules.utterances import facts_of, last_question


@pytest.mark.parametrize("text", ["I went.", "so i'm late", "We\u2019re late", "It's mine", "OUR dog", "Ask us?"])
def test_who_says_i_or_we_speaks_of_themselves(text: str) -> None:
    assert facts_of(text).is_first_person


@pytest.mark.parametrize("text", ["", "Ivy went.", "the weir", "Usual hours", "Mention it", "He's here"])
def test_words_that_only_begin_so_do_not_count(text: str) -> None:
    assert not facts_of(text).is_first_person


def test_an_image_is_no_end_of_a_question() -> None:
    assert facts_of("Like it?\n[image: a dog]").ends_asking
    assert not facts_of("Like it? I do.").ends_asking
    assert not facts_of("").ends_asking


def test_the_last_question_is_the_last_sentence_that_asks() -> None:
    assert last_question("Why? Because. Where to? Home.") == "Where to?"
    assert last_question("Home. ???") is None
    assert last_question("Home.") is None
