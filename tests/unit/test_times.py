"""Times as archives write them: the wall clock is kept, the instant is in UTC, unknown zones are said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.rules.times import SaidTime, said_time, zone


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("iso", "zone_name", "assumed", "expected"),
    [
        (
            "2024-03-01T09:00:00",
            "Europe/Berlin",
            None,
            (at(2024, 3, 1, 8), "2024-03-01T09:00:00", "Europe/Berlin", True),
        ),
        (
            "2024-03-01T09:00:00",
            "Europe/Berlin",
            "Asia/Tokyo",
            (at(2024, 3, 1, 8), "2024-03-01T09:00:00", "Europe/Berlin", True),
        ),
        ("2024-03-01T09:00:00", None, "Asia/Tokyo", (at(2024, 3, 1), "2024-03-01T09:00:00", "Asia/Tokyo", True)),
        ("2024-03-01T09:00:00", None, None, (at(2024, 3, 1, 9), "2024-03-01T09:00:00", "UTC", False)),
        ("2024-03-01T09:00:00Z", None, "Asia/Tokyo", (at(2024, 3, 1, 9), "2024-03-01T09:00:00", "UTC", True)),
        ("2024-03-01T09:00:00+01:00", None, None, (at(2024, 3, 1, 8), "2024-03-01T09:00:00", "UTC+01:00", True)),
        # An offset and a zone: the offset's instant, the zone's wall clock.
        (
            "2024-03-01T23:30:00Z",
            "Asia/Tokyo",
            None,
            (at(2024, 3, 1, 23, 30), "2024-03-02T08:30:00", "Asia/Tokyo", True),
        ),
        ("2024-03-01", None, None, (at(2024, 3, 1), "2024-03-01T00:00:00", "UTC", False)),
        # The hour that comes twice is the first, the hour that does not exist is moved by its gap.
        (
            "2023-10-29T02:30:00",
            "Europe/Berlin",
            None,
            (at(2023, 10, 29, 0, 30), "2023-10-29T02:30:00", "Europe/Berlin", True),
        ),
        (
            "2024-03-31T02:30:00",
            "Europe/Berlin",
            None,
            (at(2024, 3, 31, 1, 30), "2024-03-31T02:30:00", "Europe/Berlin", True),
        ),
    ],
)
def test_a_time_in_its_zone(
    iso: str, zone_name: str | None, assumed: str | None, expected: tuple[datetime, str, str, bool]
) -> None:
    assert said_time(iso, zone_name, assumed) == SaidTime(*expected)


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "Europe", "a\x00b", "\ud83d"])
def test_an_unknown_zone_names_the_remedy(name: str) -> None:
    with pytest.raises(ValueError, match="IANA name"):
        zone(name)


@pytest.mark.parametrize("iso", ["yesterday", "", "2024-13-01", "8 May 2023", "\ud83d", "99999-01-01"])
def test_what_is_no_time_is_refused(iso: str) -> None:
    with pytest.raises(ValueError):
        said_time(iso, None, None)


@pytest.mark.parametrize(
    ("iso", "zone_name"),
    [
        ("0001-01-01T00:00:00+05:00", None),
        ("0001-01-01T00:00:00+05:00", "America/New_York"),
        ("9999-12-31T23:59:59-05:00", "Asia/Tokyo"),
        ("0001-01-01T00:00:00", "Asia/Tokyo"),
    ],
)
def test_a_year_out_of_range_is_refused(iso: str, zone_name: str | None) -> None:
    with pytest.raises(ValueError, match="out of range"):
        said_time(iso, zone_name, None)


@given(
    st.datetimes(datetime(1970, 1, 2), datetime(2090, 1, 1)),
    st.sampled_from(["Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "UTC"]),
)
def test_the_wall_clock_is_never_moved(moment: datetime, name: str) -> None:
    known, unknown = said_time(moment.isoformat(), name, None), said_time(moment.isoformat(), None, None)
    assert known.local == unknown.local == moment.isoformat()
    assert known.is_tz_known and not unknown.is_tz_known
    assert abs(known.at - unknown.at) <= timedelta(hours=14)
    assert known.at.utcoffset() == timedelta(0)
