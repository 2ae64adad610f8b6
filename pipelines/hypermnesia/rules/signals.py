"""What the graph knows of a row, as search terms: who acts in it, what is done, when it happens, what it names.

Typed signals belong in the ranking, next to the words (extraction.md, "The formulation that pays"): so each row
carries them, and no question has to read the graph to rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

AGENT, PREDICATE, DAY, MONTH, YEAR, HOLDS = "ag:", "pr:", "d:", "m:", "y:", "is:"

#: Roles in which a speaker is the one that a statement is about.
ACTING = frozenset(["agent", "owner"])
LONGEST_SPAN = timedelta(days=10)  # days of a longer event are its months
MOST_SIGNALS = 512  # a row that says more is a long paste, which its words find


def row_signals(
    assertions: Iterable[Mapping[str, Any]], anchors: Mapping[str, tuple[str, str]], speaker: str | None
) -> tuple[str, ...]:
    """The signals of one row, sorted. `anchors` are mention_id -> (type, key), `speaker` is the speaker's key.

    A question states nothing: of what it asks only the predicate and the time count.
    """
    found: set[str] = set()
    for assertion in assertions:
        roles = [(role["role"], *anchors[role["mention_id"]]) for role in assertion["roles"]]
        if assertion["modality"] != "question":
            found |= {AGENT + key for role, _, key in roles if role in ACTING and key == speaker}
            found |= {HOLDS + kind for role, kind, key in roles if role not in ACTING and key != speaker}
        found |= {PREDICATE + part for part in (assertion["predicate"], *assertion["predicate"].split("_"))}
        found |= set(dates(assertion["event_start"], assertion["event_end"]))
    return tuple(sorted(found)[:MOST_SIGNALS])


def dates(start: str | None, end: str | None) -> Iterable[str]:
    """The days (of a short event), months and years of a civil interval."""
    if not start or not end:
        return
    first, last = date.fromisoformat(start[:10]), date.fromisoformat(end[:10])
    if last - first <= LONGEST_SPAN:
        for n in range((last - first).days + 1):
            yield f"{DAY}{first + timedelta(days=n)}"
    if (last - first).days <= 366:
        month = first.replace(day=1)
        while month <= last:
            yield f"{MONTH}{month.isoformat()[:7]}"
            month = (month + timedelta(days=32)).replace(day=1)
    for year in {first.year, last.year}:
        yield f"{YEAR}{year}"
