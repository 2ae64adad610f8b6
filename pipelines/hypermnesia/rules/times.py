"""Times as archives write them: a civil wall clock, a zone, and whether the zone is known (DESIGN 3 "Time")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class SaidTime:
    """When a message was said: `local` is the author's wall clock (ISO, no zone), `at` the instant in UTC."""

    at: datetime
    local: str
    timezone: str
    is_tz_known: bool


def zone(name: str) -> tzinfo:
    """The zone of an IANA name. Raises `ValueError` for an unknown one."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"unknown time zone {name!r}: use an IANA name such as Europe/Berlin") from error


def said_time(iso: str, zone_name: str | None, assumed_zone: str | None) -> SaidTime:
    """An ISO time in its zone: `zone_name` from the archive, else its own offset, else the assumed zone, else UTC.

    An offset and a zone together: the instant is the offset's, the wall clock the zone's. A wall clock
    that occurs twice (the end of summer time) is the first. Raises `ValueError` for what is no time.
    """
    moment = datetime.fromisoformat(iso)
    try:
        if moment.tzinfo is not None:
            if zone_name:
                moment = moment.astimezone(zone(zone_name))
            return _said(moment, zone_name or str(moment.tzinfo), is_known=True)
        name = zone_name or assumed_zone
        return _said(moment.replace(tzinfo=zone(name or "UTC")), name or "UTC", is_known=name is not None)
    except OverflowError as error:
        raise ValueError("the year is out of range") from error


def _said(moment: datetime, name: str, *, is_known: bool) -> SaidTime:
    return SaidTime(moment.astimezone(UTC), moment.replace(tzinfo=None).isoformat(), name, is_known)
