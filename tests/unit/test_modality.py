"""What sentences claim: done, planned, cancelled, hypothetical, quoted, question; and negation apart."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.contracts.answers import Modality
from hypermnesia.rules.modality import is_negated, sentence_modality
from hypermnesia.rules.modality_words import CANCEL_WORDS, PLAN_WORDS, forms

SENTENCES = """
done | I went to the market yesterday.
done | We adopted a puppy.
done | I live in Lisbon.
done | Anna is my sister.
done | I've been painting for years.
done | We hiked up the hill and could see the whole bay.
done | My grandma would always bake on Sundays.
done | She told me that she moved to Rome.
done | We met in May and it was lovely.
done | I pushed with all my might.
done | I read "The Silver Lake" last week.
done | The trip was not cancelled.
done | I can swim.
done | The cat sleeps on the sofa.
done | Wishing you all the best.
planned | I'm planning to go next week.
planned | We will fly to Oslo.
planned | I'll call him.
planned | We're going to paint the fence.
planned | I'm gonna try it.
planned | I want to learn Dutch.
planned | She hopes to open a bakery.
planned | I decided to take the job.
planned | Can't wait to see the whales!
planned | I'm looking forward to the concert.
planned | My show is next month.
planned | I'm flying to Rome tomorrow.
planned | I have to renew my passport.
planned | Let's meet on Friday.
planned | I won't go there again.
planned | I was thinking that I will go.
cancelled | The concert was cancelled.
cancelled | They called off the wedding.
cancelled | They called it off.
cancelled | We had to cancel our trip.
cancelled | I was going to visit Anna but couldn't.
cancelled | We wanted to go hiking, but it rained.
cancelled | I was supposed to fly on Monday, but I got sick.
cancelled | We ended up not going.
cancelled | I decided not to go.
cancelled | The deal fell through.
cancelled | I'm not going to the party anymore.
hypothetical | If it rains, we stay home.
hypothetical | I will go if you come.
hypothetical | I would love to see Peru.
hypothetical | I'd love to see Peru.
hypothetical | It might snow.
hypothetical | We could go by train.
hypothetical | I wish I had a garden.
hypothetical | Maybe I was wrong.
hypothetical | You may be right.
hypothetical | I hope you feel better soon.
hypothetical | We might cancel the trip.
hypothetical | If they had called it off, I would know.
quoted | He said 'I will never leave this town'.
quoted | She said, "I bought a house."
quoted | "I bought a house," she told me.
quoted | "We shall not pass here."
quoted | He asked, "Are you coming home?"
quoted | She was like “I don’t care about it”.
question | Did you go to the market?
question | What would you do?
question | Can you send me the recipe
question | Could you please help me with this.
question | Please send me the file.
question | Tell me about your trip.
question | I wonder why she left.
question | Let me know if you need anything.
question | You went there, right? 😊
"""

NEGATED = """
I didn't go.
I don’t like olives.
We never met.
I am not a doctor.
I have no car.
I can't swim.
Nobody came.
It isn't mine.
I no longer work there.
I cannot come.
She left without her keys, but I stayed.
"""

AFFIRMED = """
I went.
I can't wait to see you!
I couldn't be happier.
We went, but I didn't like it.
Not only did we win, we danced.
No, I went by bus.
No problem, I fixed it.
It's nice, isn't it?
I was going to go but couldn't.
I know a note about knots.
I can't believe we won!
"""


@pytest.mark.parametrize("row", SENTENCES.strip().splitlines())
def test_golden(row: str) -> None:
    expected, sentence = row.split(" | ")
    assert sentence_modality(sentence) == expected


@pytest.mark.parametrize("sentence", NEGATED.strip().splitlines())
def test_negated(sentence: str) -> None:
    assert is_negated(sentence)


@pytest.mark.parametrize("sentence", AFFIRMED.strip().splitlines())
def test_not_negated(sentence: str) -> None:
    assert not is_negated(sentence)


def test_negation_is_apart_from_modality() -> None:
    assert (sentence_modality("I won't sell it."), is_negated("I won't sell it.")) == ("planned", True)
    assert (sentence_modality("Didn't you sell it?"), is_negated("Didn't you sell it?")) == ("question", True)


def test_the_words_are_lemmas_and_have_forms() -> None:
    assert forms(["plan", "hope"]) == ("planning", "planned", "hoping", "hoped", "hopes", "plans", "hope", "plan")
    assert not PLAN_WORDS & CANCEL_WORDS
    assert all(word == word.lower() for word in PLAN_WORDS | CANCEL_WORDS)


@given(st.one_of(st.text(max_size=150), st.lists(st.sampled_from(SENTENCES.split()), max_size=20).map(" ".join)))
def test_every_text_has_one_of_the_modalities(text: str) -> None:
    assert sentence_modality(text) in get_args(Modality)
    assert is_negated(text) in (True, False)
    assert sentence_modality(text.replace("'", "’")) in get_args(Modality)
