"""A question's plan: operation, rows, asked dates, asked speakers, as-of."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.retrieval.tokens import terms
from hypermnesia.rules.as_of import is_said_after, parse_as_of
from hypermnesia.rules.asked_dates import AskedDate, asked_dates, nearness
from hypermnesia.rules.linguistic.inventory import PREDICATES
from hypermnesia.rules.planning import BUDGETS, SEVERAL, SPREAD, operation, plan
from hypermnesia.rules.relations import asked_predicates
from hypermnesia.rules.speakers import asked_speakers
from hypermnesia.rules.utterances import last_question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is Anna's dog called?", "single value"),
        ("What does Anna do to destress?", "single value"),
        ("Which bus does Anna take?", "single value"),
        ("Why did she move?", "single value"),
        ("Wo wohnt Anna?", "single value"),
        ("When did Anna move to Lisbon?", "temporal"),
        ("How long has Anna lived in Lisbon?", "temporal"),
        ("Which year did Anna start to paint?", "temporal"),
        ("How many dogs does Anna have?", "count"),
        ("How often does Anna run?", "count"),
        ("What books has Anna read?", "union list"),
        ("What self-made gifts did Anna get?", "union list"),
        ("What kind of books does Anna read?", "union list"),
        ("Which cities were visited by Anna?", "union list"),
        ("What do Anna and Ben have in common?", "intersection"),
        ("Which sport do both Anna and Ben play?", "intersection"),
    ],
)
def test_wording_names_the_operation(question: str, expected: str) -> None:
    assert operation(question) == expected


def test_rows_are_the_sum_of_both_columns() -> None:
    rows = {name: sum(budget) for name, budget in BUDGETS.items()}
    assert rows == {"single value": 10, "temporal": 12, "intersection": 14, "union list": 16, "count": 20}
    assert plan("How many dogs does Anna have?").n_rows == 20


@given(st.text(max_size=200))
def test_every_question_has_a_plan_and_always_the_same(question: str) -> None:
    assert plan(question, date(2023, 5, 8)) == plan(question, date(2023, 5, 8))
    assert plan(question).operation in BUDGETS


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What happened on 8 May 2023?", [("day", "2023-05-08", "2023-05-08")]),
        ("What happened on the 8th of May, 2023?", [("day", "2023-05-08", "2023-05-08")]),
        ("What happened on May 8, 2023?", [("day", "2023-05-08", "2023-05-08")]),
        ("What happened on 2023-05-08?", [("day", "2023-05-08", "2023-05-08")]),
        ("What happened on March 3rd?", [("day", "2021-03-03", "2021-03-03")]),
        ("Where was she in May 2023?", [("month", "2023-05-01", "2023-05-31")]),
        ("Where was she in May?", [("month", "2021-05-01", "2021-05-31")]),
        ("Where was she in summer 2022?", [("season", "2022-06-01", "2022-08-31")]),
        ("Where was she in 2022?", [("year", "2022-01-01", "2022-12-31")]),
        ("What may she have marched for?", []),
        ("Did she run 2000.5 km or spend $2000?", []),
    ],
)
def test_dates_are_found_in_the_question(question: str, expected: list[tuple[str, str, str]]) -> None:
    """Without a year, a date is that of any year: here of 2021."""
    spans = [(asked.precision, asked.interval(2021)) for asked in asked_dates(question, None)]
    assert [(precision, *map(str, span or ())) for precision, span in spans] == expected


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What did I do yesterday?", date(2023, 5, 7), date(2023, 5, 7)),
        ("What did I do last week?", date(2023, 5, 1), date(2023, 5, 7)),
        ("What did I do last weekend?", date(2023, 5, 6), date(2023, 5, 7)),
        ("What did I do last month?", date(2023, 4, 1), date(2023, 4, 30)),
        ("What did I do this year?", date(2023, 1, 1), date(2023, 12, 31)),
        ("What did I do three weeks ago?", date(2023, 4, 14), date(2023, 4, 20)),
    ],
)
def test_relative_dates_count_from_the_questions_own_day_alone(question: str, start: date, end: date) -> None:
    (asked,) = asked_dates(question, date(2023, 5, 8))  # a Monday
    assert asked.interval(2023) == (start, end)
    assert asked_dates(question, None) == ()


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("What has she painted since 8 May 2023?", date(2024, 1, 1), date(2023, 5, 7)),
        ("What did she paint after May 2023?", date(2023, 6, 1), date(2023, 5, 31)),
        ("What did she paint before May 2023?", date(2023, 4, 30), date(2023, 5, 1)),
        ("What did she paint until 2022?", date(2022, 12, 31), date(2023, 1, 1)),
        ("What did she paint after March?", date(2023, 4, 1), date(2023, 3, 31)),
    ],
)
def test_a_question_may_ask_about_all_time_to_one_side_of_a_date(question: str, near: date, far: date) -> None:
    (asked,) = asked_dates(question, None)
    assert (nearness(asked, near), nearness(asked, far)) == (0.3, 0.0)


def test_as_of_a_date_asks_how_things_stood_then() -> None:
    (asked,) = asked_dates("Where did she live as of 1 May 2023?", None)
    assert asked.interval(2023) == (date(2023, 5, 1), date(2023, 5, 1))


def test_a_weekend_before_a_date_counts_from_that_date() -> None:
    weekend, before = asked_dates("What did she do last weekend before April 10, 2023?", None)
    assert weekend.interval(2023) == (date(2023, 4, 8), date(2023, 4, 9))
    assert before.relation == "before"


def test_an_event_is_near_by_its_whole_interval_unless_it_lasts_for_months_beyond() -> None:
    day = AskedDate("day", 2023, 5, 26)
    assert nearness(day, date(2023, 5, 22), date(2023, 5, 28)) == 1.0
    assert nearness(day, date(2023, 5, 22)) == 0.0
    assert nearness(day, date(2023, 1, 1), date(2023, 12, 31)) == 0.3
    assert nearness(AskedDate("month", 2023, 5), date(2023, 5, 22), date(2023, 6, 20)) == 1.0


def test_nearness_falls_off_and_a_month_without_a_year_is_of_any_year() -> None:
    day = AskedDate("day", 2023, 5, 8)
    values = [nearness(day, date(2023, 5, d)) for d in (8, 10, 20)]
    assert values == [1.0, 0.5, 0.0]
    december = AskedDate("month", None, 12)
    assert nearness(december, date(2021, 12, 31)) == 1.0
    assert nearness(december, date(2022, 1, 5)) == 0.5
    assert nearness(december, date(2022, 7, 1)) == 0.0
    assert nearness(AskedDate("day", 2023, 2, 29), date(2023, 2, 28)) == 0.0


@given(st.dates(), st.one_of(st.none(), st.integers(1, 9999)), st.integers(1, 12), st.integers(1, 31))
def test_nearness_is_a_share_for_any_day(day: date, year: int | None, month: int, number: int) -> None:
    for asked in (
        AskedDate("month", year, month),
        AskedDate("day", year, month, number),
        AskedDate("season", year, month),
        AskedDate("year", year),
    ):
        assert 0.0 <= nearness(asked, day) <= 1.0


def test_speakers_are_named_whole_by_a_part_that_is_theirs_alone_or_by_person() -> None:
    people = {"Anna Schmidt": "person", "Anna Weber": "person", "Will": "person", "田中": "person"}
    assert asked_speakers("What did Schmidt cook?", people) == {"Anna Schmidt"}
    assert asked_speakers("What did Anna cook?", people) == frozenset()
    assert asked_speakers("What did anna weber cook?", people) == {"Anna Weber"}
    assert asked_speakers("Will it rain?", people) == frozenset()
    assert asked_speakers("Who has moved in since Schmidt left?", people) == frozenset()  # that only dates it
    assert asked_speakers("What did anna weber cook after Schmidt left?", people) == {"Anna Weber"}
    assert asked_speakers("What did Will's brother cook?", people) == {"Will"}
    assert asked_speakers("田中 は何を食べましたか", people) == {"田中"}
    chat = {"user": "user", "ChatGPT": "assistant"}
    assert asked_speakers("Where did I park?", chat) == {"user"}
    assert asked_speakers("Which book did you suggest to me?", chat) == {"user", "ChatGPT"}
    assert asked_speakers("Where is the car?", chat) == frozenset()


def test_a_nickname_a_beginning_or_a_slip_names_a_speaker_whom_nothing_else_names() -> None:
    people = {"Melanie": "person", "Robert": "person", "Anna": "person"}
    assert asked_speakers("What did Mel paint?", people) == {"Melanie"}
    assert asked_speakers("What did Bob paint?", people) == {"Robert"}
    assert asked_speakers("What did the Annas paint?", people) == {"Anna"}
    assert asked_speakers("What did Mel and Anna paint?", people) == {"Anna"}
    assert asked_speakers("Did she rob a bank?", people) == frozenset()


@pytest.mark.parametrize(
    ("question", "kind", "breadth"),
    [
        ("When did Anna move?", "time", 1.0),
        ("Where did Anna move?", "place", 1.0),
        ("Which city did Anna move to?", "place", 1.0),
        ("Who moved?", "person", 1.0),
        ("How many dogs does Anna have?", "number", SEVERAL),
        ("What does Anna do to destress?", "", SPREAD),
        ("What has Anna painted?", "", SPREAD),
        ("What books has Anna read?", "title", SEVERAL),
        ("What are the titles of the songs?", "", SEVERAL),
        ("What has Anna seen on the show?", "", SPREAD),
        ("What is Anna's job?", "", 1.0),
        ("What happened to Anna's boat?", "", SPREAD),
        ("How did the argument with the landlord end?", "", SPREAD),
        ("What is Anna's boss like?", "", SPREAD),
        ("Would Anna enjoy a night at the opera?", "", SPREAD),
        ("Who in the family swims?", "person", SPREAD),
        ("How did Anna get home?", "", 1.0),
    ],
)
def test_wording_names_the_kind_of_answer_and_how_many_rows_give_it(question: str, kind: str, breadth: float) -> None:
    assert (plan(question).answer, plan(question).breadth) == (kind, breadth)
    assert asked_speakers("Where did I park?", {}) == frozenset()


def test_as_of_is_the_end_of_a_day_and_compares_clocks_of_one_kind() -> None:
    day = parse_as_of("2023-05-08")
    assert not is_said_after("2023-05-08T23:59:00", None, day)
    assert is_said_after("2023-05-09T00:00:00", None, day)
    assert not is_said_after(None, None, day)
    instant = parse_as_of("2023-05-08T12:00:00+02:00")
    assert is_said_after("2023-05-08T09:00:00", "2023-05-08T10:30:00+00:00", instant)
    assert not is_said_after("2023-05-08T19:00:00", "2023-05-08T10:00:00Z", instant)
    assert parse_as_of("2023-05-08T12:00") == datetime(2023, 5, 8, 12)


@pytest.mark.parametrize("text", ["yesterday", "2023-13-01", "08.05.2023", "2023"])
def test_as_of_that_is_no_date_says_how_to_write_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"write 2023-05-08"):
        parse_as_of(text)


def test_last_question() -> None:
    assert last_question("How are you? Where did you go? I stayed.") == "Where did you go?"
    assert last_question("I stayed.") is None


def test_a_relation_that_is_in_no_table_is_asked_by_its_own_words() -> None:
    memory = {"likes": {"like"}, "works_at": {"work"}, "restore": {"restor"}, "lose_weight": {"lose", "weight"}}
    assert asked_predicates({"restor", "radio"}, memory) == ["restore"]
    assert asked_predicates({"weight"}, memory) == ["lose_weight"]
    assert asked_predicates({"hobbi"}, memory | {"hobby": {"hobbi"}}) == ["hobby"]
    assert asked_predicates({"employ"}, memory) == ["works_at"]
    assert asked_predicates({"volcano"}, memory) == []


def test_every_fact_is_asked_for_by_some_word() -> None:
    """By the table, or by the words of its own name."""
    for name in PREDICATES:
        own = terms([name.replace("_", " ")])[0] or ["hometown"]  # "from" is no search term
        assert asked_predicates(set(own), {name: own}) == [name]
    for stem, name in [("sibl", "sister"), ("parent", "mother"), ("instrument", "plays"), ("hometown", "grew_up_in")]:
        assert asked_predicates({stem}, {name: set()}) == [name]
