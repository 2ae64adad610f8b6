"""A question asked as of a date: which rows were said by then."""

from __future__ import annotations

from datetime import UTC, date, datetime, time


def parse_as_of(as_of: str) -> datetime:
    """An ISO date (its last moment) or time. Raises `ValueError` that says how to write it."""
    try:
        if len(as_of) == len("2023-05-08"):
            return datetime.combine(date.fromisoformat(as_of), time.max)
        return datetime.fromisoformat(as_of)
    except ValueError as error:
        raise ValueError(f"as_of {as_of!r} is no ISO date or time; write 2023-05-08 or 2023-05-08T13:56:00") from error


def is_said_after(said_local: str | None, said_at: str | None, as_of: datetime) -> bool:
    """Whether a row was said after `as_of`; a row without a time was not (unknown stays unknown).

    A wall clock is compared with the row's wall clock, a time with an offset with the row's instant.
    """
    if as_of.tzinfo is not None and said_at is not None:
        said = datetime.fromisoformat(said_at)
        return (said if said.tzinfo else said.replace(tzinfo=UTC)) > as_of
    written = said_local or said_at
    return written is not None and datetime.fromisoformat(written).replace(tzinfo=None) > as_of.replace(tzinfo=None)
