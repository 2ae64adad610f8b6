"""How much of what tells messages apart is counted, and found again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.survival import KINDS, distinctive, survival

TEXT = 'On 3 May 2021 we met Ana Lima at Blue Door and paid $45 for 12 copies of "Dune".'


def test_names_numbers_dates_and_quoted_strings_are_distinctive() -> None:
    assert distinctive(TEXT) == {
        "name": ["Ana Lima", "Blue Door"],
        "number": ["$45", "12"],
        "date": ["3 May 2021"],
        "quoted": ["Dune"],
    }


def test_a_verbatim_record_keeps_all() -> None:
    assert survival(TEXT, [TEXT]) == {"name": (2, 2), "number": (2, 2), "date": (1, 1), "quoted": (1, 1)}


def test_what_a_record_drops_is_counted_by_kind() -> None:
    kept = survival(TEXT, ["They met Ana Lima.", "They bought 12 books."])
    assert kept == {"name": (2, 1), "number": (2, 1), "date": (1, 0), "quoted": (1, 0)}


def test_a_number_is_found_as_a_whole() -> None:
    assert survival("We need 5 chairs.", ["There are 25 chairs."])["number"] == (1, 0)


@given(st.text(max_size=200))
def test_a_text_survives_in_itself_and_not_in_nothing(text: str) -> None:
    assert all(n == n_kept for n, n_kept in survival(text, [text]).values())
    assert all(n_kept == 0 for _, n_kept in survival(text, []).values())
    assert tuple(survival(text, [])) == KINDS
