"""The grammar of time expressions: a golden table written by hand, and what must hold for any text and clock."""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.time import RELATIONS, TimeExpression, find_times
from hypermnesia.rules.time_intervals import PRECISIONS, Interval, easter
from hypermnesia.rules.time_reading import Yearless

SAID = datetime(2023, 5, 17, 15, 30)  # a Wednesday

# Text; the words found; start, end, precision. "-" is an expression without a time; a relation other than "at" follows.
GOLDEN = """
I ran yesterday. | yesterday | 2023-05-16 2023-05-16 day
I run today. | today | 2023-05-17 2023-05-17 day
We eat out tonight. | tonight | 2023-05-17 2023-05-17 day
I fly tomorrow. | tomorrow | 2023-05-18 2023-05-18 day
I fly tomorrow morning. | tomorrow morning | 2023-05-18 2023-05-18 day
We met yesterday evening. | yesterday evening | 2023-05-16 2023-05-16 day
Slept badly last night. | last night | 2023-05-16 2023-05-16 day
I swam this morning. | this morning | 2023-05-17 2023-05-17 day
I'm free this afternoon. | this afternoon | 2023-05-17 2023-05-17 day
It rained the day before yesterday. | the day before yesterday | 2023-05-15 2023-05-15 day
We leave the day after tomorrow. | the day after tomorrow | 2023-05-19 2023-05-19 day
We danced the night before last. | the night before last | 2023-05-15 2023-05-15 day
I saw her the other day. | the other day | 2023-05-10 2023-05-16 week
I planted garlic last week. | last week | 2023-05-08 2023-05-14 week
It's busy this week. | this week | 2023-05-15 2023-05-21 week
I start next week. | next week | 2023-05-22 2023-05-28 week
I was ill the past week. | the past week | 2023-05-10 2023-05-17 week
We camped the week before last. | the week before last | 2023-05-01 2023-05-07 week
They return the week after next. | the week after next | 2023-05-29 2023-06-04 week
We camped last week and the week before. | the week before | 2023-05-01 2023-05-07 week
We hiked last weekend. | last weekend | 2023-05-13 2023-05-14 week
We will hike this weekend. | this weekend | 2023-05-20 2023-05-21 week
I had fun this weekend. | this weekend | 2023-05-13 2023-05-14 week
We'll hike next weekend. | next weekend | 2023-05-27 2023-05-28 week
I painted over the weekend. | over the weekend | 2023-05-13 2023-05-14 week
I'm going to paint over the weekend. | over the weekend | 2023-05-20 2023-05-21 week
We moved last month. | last month | 2023-04-01 2023-04-30 month
We move next month. | next month | 2023-06-01 2023-06-30 month
We moved last year. | last year | 2022-01-01 2022-12-31 year
We moved this year. | this year | 2023-01-01 2023-12-31 year
We move next year. | next year | 2024-01-01 2024-12-31 year
We moved two days ago. | two days ago | 2023-05-15 2023-05-15 day
We moved 3 days ago. | 3 days ago | 2023-05-14 2023-05-14 day
We moved about ten days ago. | about ten days ago | 2023-05-04 2023-05-10 week
We moved a week ago. | a week ago | 2023-05-07 2023-05-13 week
We moved two weeks ago. | two weeks ago | 2023-04-30 2023-05-06 week
We moved a fortnight ago. | a fortnight ago | 2023-04-30 2023-05-06 week
We moved three months ago. | three months ago | 2023-02-01 2023-02-28 month
We moved half a year ago. | half a year ago | 2022-11-01 2022-11-30 month
We moved a year and a half ago. | a year and a half ago | 2021-11-01 2021-11-30 month
We moved 5 years ago. | 5 years ago | 2018-01-01 2018-12-31 year
We moved over a year ago. | over a year ago | 2022-01-01 2022-12-31 year before
We moved less than a week ago. | less than a week ago | 2023-05-07 2023-05-17 week
We moved a few days ago. | a few days ago | 2023-05-11 2023-05-15 week
We moved a couple of days ago. | a couple of days ago | 2023-05-14 2023-05-15 week
We moved a few weeks ago. | a few weeks ago | 2023-04-02 2023-05-06 month
We moved a few months ago. | a few months ago | 2022-11-01 2023-03-31 season
We moved a few years ago. | a few years ago | 2017-01-01 2021-12-31 year
We moved a few weeks back. | a few weeks back | 2023-04-02 2023-05-06 month
I called an hour ago. | an hour ago | 2023-05-17 2023-05-17 day
I called 16 hours ago. | 16 hours ago | 2023-05-16 2023-05-16 day
We camped two weekends ago. | two weekends ago | 2023-05-06 2023-05-07 week
We moved a while ago. | a while ago | -
We moved not too long ago. | not too long ago | -
Seven years now! | Seven years now | 2016-05-17 2023-05-17 year for
We'll rest in the coming weeks. | the coming weeks | 2023-05-17 2023-06-28 month
Here is a picture from last Friday. | last Friday | 2023-05-12 2023-05-12 day
I'll work from home from Monday on. | from Monday | 2023-05-22 2023-05-22 day since
I've painted since I was 17. | since I was 17 | - since
We met on the 15th after my trip. | the 15th | 2023-05-15 2023-05-15 day
We move in two weeks. | two weeks | 2023-05-28 2023-06-03 week
See you in three days! | three days | 2023-05-20 2023-05-20 day
We move in a few months. | a few months | 2023-07-01 2023-11-30 season
I built it in three days. | three days | -
Two weeks from now I'm done. | Two weeks from now | 2023-05-28 2023-06-03 week
I read a lot in the last three months. | the last three months | 2023-02-17 2023-05-17 month
I'll read a lot over the next few days. | the next few days | 2023-05-17 2023-05-23 week
We met last Friday. | last Friday | 2023-05-12 2023-05-12 day
We met last Wednesday. | last Wednesday | 2023-05-10 2023-05-10 day
We meet next Friday. | next Friday | 2023-05-26 2023-05-26 day
We meet this Friday. | this Friday | 2023-05-19 2023-05-19 day
We met on Tuesday. | Tuesday | 2023-05-16 2023-05-16 day
We will meet on Tuesday. | Tuesday | 2023-05-23 2023-05-23 day
I'm meeting her on Saturday. | Saturday | 2023-05-20 2023-05-20 day
I have a dentist on Monday morning. | Monday morning | 2023-05-22 2023-05-22 day
We met last Tues. | last Tues | 2023-05-16 2023-05-16 day
How about Friday at 5? | Friday | 2023-05-19 2023-05-19 day
Any plans for the summer? | summer | 2023-06-01 2023-08-31 season
I haven't seen her in a few days. | a few days | 2023-05-11 2023-05-17 week for
We met on Sat. | Sat | 2023-05-13 2023-05-13 day
We met the Friday before last. | the Friday before last | 2023-05-05 2023-05-05 day
Let's meet this coming Friday. | this coming Friday | 2023-05-19 2023-05-19 day
We met on the 3rd. | the 3rd | 2023-05-03 2023-05-03 day
We met on the 28th. | the 28th | 2023-04-28 2023-04-28 day
We will meet on the 3rd. | the 3rd | 2023-06-03 2023-06-03 day
We met on the 3rd of last month. | the 3rd of last month | 2023-04-03 2023-04-03 day
It broke on Friday the 13th. | Friday the 13th | 2023-01-13 2023-01-13 day
We met in May. | May | 2023-05-01 2023-05-31 month
We met in June. | June | 2022-06-01 2022-06-30 month
We will meet in June. | June | 2023-06-01 2023-06-30 month
We met last March. | last March | 2023-03-01 2023-03-31 month
We met last May. | last May | 2022-05-01 2022-05-31 month
We meet next May. | next May | 2024-05-01 2024-05-31 month
We met in August last year. | August last year | 2022-08-01 2022-08-31 month
We met in early May. | early May | 2023-05-01 2023-05-10 month
We met at the end of April. | the end of April | 2023-04-21 2023-04-30 month
We met mid-March. | mid-March | 2023-03-11 2023-03-21 month
We met earlier this week. | earlier this week | 2023-05-15 2023-05-17 week
We meet later this month. | later this month | 2023-05-17 2023-05-31 month
We met in the first week of April. | the first week of April | 2023-04-01 2023-04-07 week
We met on the second Friday of April. | the second Friday of April | 2023-04-14 2023-04-14 day
We met on the last weekend of April. | the last weekend of April | 2023-04-29 2023-04-30 week
We met last summer. | last summer | 2022-06-01 2022-08-31 season
We meet next summer. | next summer | 2023-06-01 2023-08-31 season
We met in the spring. | spring | 2023-03-01 2023-05-31 season
We met in the fall. | fall | 2022-09-01 2022-11-30 season
We met in winter. | winter | 2022-12-01 2023-02-28 season
We will meet in the fall. | fall | 2023-09-01 2023-11-30 season
We met in the summer of 2019. | summer of 2019 | 2019-06-01 2019-08-31 season
We met in summer last year. | summer last year | 2022-06-01 2022-08-31 season
We have been here since 2019. | since 2019 | 2019-01-01 2019-12-31 year since
I've been ill since Monday. | since Monday | 2023-05-15 2023-05-15 day since
I'm away until June. | until June | 2023-06-01 2023-06-30 month until
We lived there until June. | until June | 2022-06-01 2022-06-30 month until
It must be done by Friday. | by Friday | 2023-05-19 2023-05-19 day before
I have lived here for three years. | for three years | 2020-05-17 2023-05-17 year for
for three years | for three years | 2020-05-17 2023-05-17 year for
Married for 5 years already! | for 5 years | 2018-05-17 2023-05-17 year for
I've been sick for a few days. | for a few days | 2023-05-11 2023-05-17 week for
We stayed there for two weeks. | for two weeks | - for
Bake it for 20 minutes. | for 20 minutes | - for
I haven't seen him for ages. | for ages | - for
I was shy when I was 12. | when I was 12 | -
I painted as a kid. | as a kid | -
I cried on my 30th birthday. | my 30th birthday | -
We dined on our anniversary. | our anniversary | -
We met at Christmas. | Christmas | 2022-12-25 2022-12-25 day
We will meet at Christmas. | Christmas | 2023-12-25 2023-12-25 day
We met on New Year's Eve. | New Year's Eve | 2022-12-31 2022-12-31 day
We met last Thanksgiving. | last Thanksgiving | 2022-11-24 2022-11-24 day
We met on Black Friday. | Black Friday | 2022-11-25 2022-11-25 day
We met on Good Friday. | Good Friday | 2023-04-07 2023-04-07 day
We met at Easter 2021. | Easter 2021 | 2021-04-04 2021-04-04 day
We met on Mother's Day. | Mother's Day | -
We met the week before Christmas. | the week before Christmas | 2022-12-18 2022-12-24 week
We met two days after Christmas. | two days after Christmas | 2022-12-27 2022-12-27 day
We met the Friday before 7 May 2023. | the Friday before 7 May 2023 | 2023-05-05 2023-05-05 day
We met on 7 May 2023. | 7 May 2023 | 2023-05-07 2023-05-07 day
We met on May 7th, 2023. | May 7th, 2023 | 2023-05-07 2023-05-07 day
We met on Sunday, May 7, 2023. | Sunday, May 7, 2023 | 2023-05-07 2023-05-07 day
Shared on December 1,2021. | December 1,2021 | 2021-12-01 2021-12-01 day
We met on the 7th of May. | the 7th of May | 2023-05-07 2023-05-07 day
We met on 3 March. | 3 March | 2023-03-03 2023-03-03 day
We met on July 4. | July 4 | 2022-07-04 2022-07-04 day
We will meet on July 4. | July 4 | 2023-07-04 2023-07-04 day
Our leap day was Feb 29th. | Feb 29th | 2020-02-29 2020-02-29 day
We met on 2023-05-07. | 2023-05-07 | 2023-05-07 2023-05-07 day
We met at 2023-05-07T20:15. | 2023-05-07T20:15 | 2023-05-07T20:15:00 2023-05-07T20:15:00 instant
Sent 2023-05-07 20:15:30Z. | 2023-05-07 20:15:30Z | 2023-05-07T20:15:30 2023-05-07T20:15:30 instant
The log of 2023-04 is lost. | 2023-04 | 2023-04-01 2023-04-30 month
We met on 05/07/2023. | 05/07/2023 | -
We met on 05/05/2023. | 05/05/2023 | 2023-05-05 2023-05-05 day
We met on 12/25/2022. | 12/25/2022 | 2022-12-25 2022-12-25 day
We met on 25.12.2022. | 25.12.2022 | 2022-12-25 2022-12-25 day
We met in May 2021. | May 2021 | 2021-05-01 2021-05-31 month
We met in Sept. 2021. | Sept. 2021 | 2021-09-01 2021-09-30 month
We met in 2021. | 2021 | 2021-01-01 2021-12-31 year
We met in '99. | '99 | 1999-01-01 1999-12-31 year
We met around 2015. | around 2015 | 2014-01-01 2016-12-31 year
We met in early 2019. | early 2019 | 2019-01-01 2019-05-01 year
We met in the 1990s. | 1990s | 1990-01-01 1999-12-31 year
We met in the 80s. | 80s | 1980-01-01 1989-12-31 year
We met in the early 2000s. | early 2000s | 2000-01-01 2003-12-31 year
We met in the late nineties. | late nineties | 1997-01-01 1999-12-31 year
We met in the twenties. | twenties | -
We met in Q3 2022. | Q3 2022 | 2022-07-01 2022-09-30 season
I lived there from 2015 to 2019. | 2015 to 2019 | 2015-01-01 2019-12-31 year
I lived there from May to July 2021. | May to July 2021 | 2021-05-01 2021-07-31 month
I was there from 11 August to 2 Sept. 2021. | 11 August to 2 Sept. 2021 | 2021-08-11 2021-09-02 day
I was there from Nov 28 to Jan 3, 2021. | Nov 28 to Jan 3, 2021 | 2020-11-28 2021-01-03 day
Maybe we could go in June instead. | June | 2023-06-01 2023-06-30 month
We met on the weekend of May 6. | the weekend of May 6 | 2023-05-06 2023-05-07 week
We met in the week of May 3. | the week of May 3 | 2023-05-01 2023-05-07 week
We met on the first of May. | the first of May | 2023-05-01 2023-05-01 day
We met on the last day of April. | the last day of April | 2023-04-30 2023-04-30 day
We met two Fridays ago. | two Fridays ago | 2023-05-05 2023-05-05 day
What shall we do this Christmas? | this Christmas | 2023-12-25 2023-12-25 day
My appointment is on the 3rd at 10am. | the 3rd at 10am | 2023-06-03T10:00:00 2023-06-03T10:00:00 instant
It opens 2 weekends from now. | 2 weekends from now | 2023-06-03 2023-06-04 week
We were there July 3-7. | July 3-7 | 2022-07-03 2022-07-07 day
We were there 3 to 7 July 2021. | 3 to 7 July 2021 | 2021-07-03 2021-07-07 day
I'm there from Friday to Sunday. | Friday to Sunday | 2023-05-19 2023-05-21 day
The call is at 8pm today. | 8pm today | 2023-05-17T20:00:00 2023-05-17T20:00:00 instant
The call is tonight at 8:30 pm. | tonight at 8:30 pm | 2023-05-17T20:30:00 2023-05-17T20:30:00 instant
The call is at 8 tonight. | 8 tonight | 2023-05-17T20:00:00 2023-05-17T20:00:00 instant
The call is tomorrow at 14:00. | tomorrow at 14:00 | 2023-05-18T14:00:00 2023-05-18T14:00:00 instant
Sent 1:56 pm on 8 May, 2023. | 1:56 pm on 8 May, 2023 | 2023-05-08T13:56:00 2023-05-08T13:56:00 instant
The call is at 8pm. | 8pm | -
"""

RECURRING = """
every Friday
on weekends
on Fridays
Saturday mornings
every other week
twice a month
daily
each summer
every May
every day
three times a week
"""

# Words of time that tell none.
TRAPS = """
You may be right.
It may rain, and this may help.
They march in step and march on.
Give me a second.
I came second, she was third.
The cat sat on the mat in the sun.
We sat down.
We wed quietly.
I fall asleep and fall down.
In the fall of Rome many died.
Spring rolls and a spring in my step.
Version 2023.1 is out, v3.12 too.
It costs $2019 or 2,019 euros.
Call 555-2019 or +1 555 0305 2020.
We won 3-2.
Open 24/7.
May said hello. I gave May's book to April.
I got a letter from June.
We ate at TGI Fridays.
I went to Sunday school.
I walked 2000 steps and wrote about 2000 words.
The 3rd floor on the 3rd try.
Room 1984 is free.
I love my Christmas tree.
Mon ami, sun and fun.
She is 5 years old.
It was the last day of a long time.
He has a two-year plan.
One day I hope to.
Happy birthday!
I'm inspired by autumn.
Our one-year-old is so cute.
It will be in the 70s with sunny weather.
"""


def _rows(table: str) -> list[str]:
    return [line for line in table.strip().splitlines() if line]


def _of(text: str, words: str) -> TimeExpression:
    found = find_times(text, SAID)
    matching = [e for e in found if e.surface == words]
    assert matching, f"{words!r} not among {[e.surface for e in found]}"
    return matching[0]


@pytest.mark.parametrize("row", _rows(GOLDEN))
def test_golden(row: str) -> None:
    text, words, meaning = row.split(" | ")
    expected = meaning.split()
    found = _of(text, words)
    assert not found.is_recurring
    if expected[0] == "-":
        assert found.interval is None
        assert found.relation == (expected[1] if len(expected) > 1 else "at")
    else:
        assert found.interval == Interval(*expected[:3])
        assert found.relation == (expected[3] if len(expected) > 3 else "at")


def test_the_golden_table_is_large() -> None:
    assert len(_rows(GOLDEN)) >= 120


@pytest.mark.parametrize("words", _rows(RECURRING))
def test_what_recurs_has_no_event_time(words: str) -> None:
    (found,) = find_times(f"I swim {words}.", SAID)
    assert found.is_recurring
    assert found.interval is None
    assert found.surface in words


@pytest.mark.parametrize("text", ["At Christmas we usually ski.", "I love walks, especially in spring."])
def test_a_habit_is_of_every_year(text: str) -> None:
    (found,) = find_times(text, SAID)
    assert found.is_recurring
    assert found.yearless


@pytest.mark.parametrize("text", _rows(TRAPS))
def test_words_of_time_that_tell_none(text: str) -> None:
    assert [e.surface for e in find_times(text, SAID)] == []


def test_offsets_point_at_the_words_and_they_are_in_order() -> None:
    text = "Last Friday we met, and since 2019 we’ve gone every May."
    found = find_times(text, SAID)
    assert [e.surface for e in found] == ["Last Friday", "since 2019", "every May"]
    assert [text[e.start : e.end] for e in found] == [e.surface for e in found]


def test_a_clause_after_before_says_no_time() -> None:
    (found,) = find_times("I packed the week before we left.", SAID)
    assert found.interval is None


def test_the_next_day_counts_from_the_time_told_before_it() -> None:
    first, second = find_times("We arrived on 7 May 2023. The next day we swam.", None)
    assert first.interval == Interval("2023-05-07", "2023-05-07", "day")
    assert second.interval == Interval("2023-05-08", "2023-05-08", "day")
    (alone,) = find_times("The next day we swam.", SAID)
    assert alone.interval is None


def test_without_a_clock_only_absolute_times_are_resolved() -> None:
    found = find_times("Yesterday, on 7 May 2023, in June, last week, at Christmas, for two years, in 2019.", None)
    assert [e.surface for e in found if e.interval] == ["7 May 2023", "2019"]
    assert len(found) == 7


def test_the_tense_can_be_told() -> None:
    for tense, year in (("past", "2022"), ("future", "2023"), (None, "2022")):
        (found,) = find_times("in June", SAID, tense=tense)
        assert found.interval is not None
        assert found.interval.start[:4] == year
    assert found.yearless == Yearless("month", 6)
    with pytest.raises(ValueError, match="tense"):
        find_times("in June", SAID, tense="perfect")


def test_a_time_of_any_year_says_so_unless_its_words_choose_the_year() -> None:
    for words, yearless in (
        ("in June", Yearless("month", 6)),
        ("on July 4", Yearless("day", 7, 4)),
        ("last May", None),
    ):
        (found,) = find_times(words, SAID)
        assert found.yearless == yearless
    (unknown,) = find_times("last summer", None)
    assert unknown.interval is None
    assert unknown.yearless == Yearless("season", 6)


def test_the_year_of_birth_gives_ages() -> None:
    (age,) = find_times("when I was 12", None, birth_year=1990)
    assert age.interval == Interval("2002-01-01", "2003-12-31", "year")
    (birthday,) = find_times("on my 30th birthday", None, birth_year=1990)
    assert birthday.interval == Interval("2020-01-01", "2020-12-31", "year")
    (hers,) = find_times("when she was 12", None, birth_year=1990)
    assert hers.interval is None


def test_a_clock_with_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="wall clock"):
        find_times("yesterday", datetime.fromisoformat("2023-05-17T15:30:00+02:00"))


@pytest.mark.parametrize("text", ["9999 years ago", "in 9999 years", "May 99", "2023-13-45"])
def test_what_is_out_of_the_calendar_has_no_time(text: str) -> None:
    assert all(e.interval is None for e in find_times(text, SAID))


@pytest.mark.parametrize(("year", "expected"), [(2000, "04-23"), (2008, "03-23"), (2019, "04-21"), (2038, "04-25")])
def test_easter(year: int, expected: str) -> None:
    assert easter(year) == date.fromisoformat(f"{year}-{expected}")


CLOCKS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1))
SLIDING = st.sampled_from(
    ["yesterday", "today", "tomorrow", "two days ago", "a week ago", "a few days ago", "the other day", "last night",
     "in three weeks", "the day before yesterday", "about ten days ago", "a couple of weeks ago", "this morning"]
)  # fmt: skip
PHRASES = [row.split(" | ")[0] for row in _rows(GOLDEN)] + _rows(RECURRING) + _rows(TRAPS)
TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(st.sampled_from(PHRASES), max_size=4).map(" ".join),
    st.lists(st.sampled_from(" ".join(PHRASES).split()), max_size=25).map(" ".join),
)


@given(SLIDING, CLOCKS, st.integers(-400, 400))
def test_a_later_message_moves_what_counts_in_days_by_as_many(words: str, said: datetime, n_days: int) -> None:
    (now,), (later,) = find_times(words, said), find_times(words, said + timedelta(days=n_days))
    assert now.interval and later.interval
    assert later.interval.first - now.interval.first == timedelta(days=n_days)
    assert later.interval.last - now.interval.last == timedelta(days=n_days)


@given(st.sampled_from(["last week", "next weekend", "last Friday", "next Monday"]), CLOCKS, st.integers(-60, 60))
def test_a_message_whole_weeks_later_moves_weeks_and_weekdays(words: str, said: datetime, n_weeks: int) -> None:
    (now,), (later,) = find_times(words, said), find_times(words, said + timedelta(weeks=n_weeks))
    assert now.interval and later.interval
    assert later.interval.first - now.interval.first == timedelta(weeks=n_weeks)


@given(TEXTS, st.one_of(st.none(), CLOCKS))
def test_every_expression_is_sound(text: str, said: datetime | None) -> None:
    end = 0
    for found in find_times(text, said):
        assert end <= found.start < found.end
        assert text[found.start : found.end].replace("’", "'") == found.surface.replace("’", "'")
        assert found.relation in RELATIONS
        assert not (found.is_recurring and found.interval)
        if found.interval:
            assert found.interval.precision in PRECISIONS
            assert found.interval.start <= found.interval.end
            assert (found.interval.precision == "instant") == ("T" in found.interval.start)
            assert found.interval.precision == "instant" or found.interval.first <= found.interval.last
        end = found.end


@given(
    st.sampled_from([("month", "two months ago"), ("year", "last year"), ("week", "last week"), ("season", "last fall"),
                     ("month", "next month"), ("year", "in 2019"), ("month", "in May"), ("year", "in the 1990s")]),
    CLOCKS,
)  # fmt: skip
def test_precision_is_never_finer_than_the_words(case: tuple[str, str], said: datetime) -> None:
    precision, words = case
    (found,) = find_times(words, said)
    assert found.interval
    n_days = (found.interval.last - found.interval.first).days + 1
    assert found.interval.precision == precision
    assert n_days >= {"week": 7, "month": 28, "season": 89, "year": 365}[precision]


def test_the_zone_of_the_worker_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [row.split(" | ")[0] for row in _rows(GOLDEN)]
    late = SAID.replace(hour=23, minute=59)
    answers = []
    for zone in ("UTC", "Pacific/Kiritimati", "America/Denver", "Asia/Kathmandu", "Etc/GMT+12"):
        monkeypatch.setenv("TZ", zone)
        monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
        time.tzset()
        answers.append([find_times(text, late) for text in texts])
    monkeypatch.undo()
    time.tzset()
    assert all(answer == answers[0] for answer in answers)
