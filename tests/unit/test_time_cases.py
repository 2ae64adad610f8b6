"""Field failures about time (area H of the cases): what the grammar of time expressions has to do with each.

H02 and H05 do not exist. H04, H06 and H07 are also about facts that change; here stands their part about times.
"""

from __future__ import annotations

import itertools
import time
from datetime import datetime

import pytest

from hypermnesia.rules.time import find_times
from hypermnesia.rules.time_intervals import Interval, cover
from hypermnesia.rules.times import said_time


def _only(text: str, said: datetime | None) -> Interval | None:
    (found,) = find_times(text, said)
    return found.interval


def test_h01_a_relative_date_counts_from_the_message_never_from_now() -> None:
    said = datetime.fromisoformat("2019-11-06T18:30:00")
    assert _only("I planted garlic last week", said) == Interval("2019-10-28", "2019-11-03", "week")
    assert _only("I planted garlic last week", None) is None


@pytest.mark.parametrize("worker", ["UTC", "America/Denver", "Pacific/Kiritimati"])
def test_h03_a_day_is_that_of_the_author_in_every_zone_of_the_worker(
    worker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", worker)
        time.tzset()
        said = said_time("2031-07-30T01:00:00Z", "America/Denver", None)
        today = _only("I ran 5 km today", datetime.fromisoformat(said.local))
        unknown = said_time("2031-07-30T01:00:00", None, None)
    time.tzset()
    assert today == Interval("2031-07-29", "2031-07-29", "day")
    assert (said.timezone, said.is_tz_known) == ("America/Denver", True)
    assert not unknown.is_tz_known
    loose = _only("I ran 5 km today", datetime.fromisoformat(unknown.local))
    assert loose == Interval("2031-07-30", "2031-07-30", "day"), "without a zone, as it was written"


def test_h04_two_stays_are_two_intervals_unless_they_touch() -> None:
    first = _only("Ines rents a desk at Loft 9 from January to March 2029", None)
    again = _only("Ines rents a desk at Loft 9 again in June 2030", None)
    april = _only("Ines rents a desk at Loft 9 in April 2029", None)
    assert first and again and april
    assert first == Interval("2029-01-01", "2029-03-31", "month")
    assert cover([first, april]) == Interval("2029-01-01", "2029-04-30", "month")


def test_h06_a_corrected_date_is_another_day() -> None:
    old = _only("open day on 3 March with 40 chairs", datetime(2023, 3, 1))
    new = _only("moved to 10 March", datetime(2023, 3, 2))
    assert old and new
    # No verb tells that they are to come, so each is the last one; a hint settles it.
    assert (old.start, new.start) == ("2022-03-03", "2022-03-10")
    planned = [
        find_times(text, datetime(2023, 3, 2), tense="future")[0].interval
        for text in ("open day on 3 March with 40 chairs", "moved to 10 March")
    ]
    assert planned == [Interval("2023-03-03", "2023-03-03", "day"), Interval("2023-03-10", "2023-03-10", "day")]
    assert find_times("25 chairs, not 40", datetime(2023, 3, 3)) == []


def test_h07_what_a_message_means_does_not_depend_on_the_order_of_arrival() -> None:
    messages = [
        ("Since last year I commute by bike", datetime(2030, 5, 1)),
        ("Since last year I commute by tram", datetime(2028, 5, 1)),
        ("I walked yesterday", datetime(2029, 5, 1)),
    ]
    alone = {text: _only(text, said) for text, said in messages}
    for order in itertools.permutations(messages):
        assert {text: _only(text, said) for text, said in order} == alone
    assert alone["Since last year I commute by tram"] == Interval("2027-01-01", "2027-12-31", "year")
