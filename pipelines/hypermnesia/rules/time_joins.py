"""Expressions of time that stand together are one: a day and a clock, "end of" a month, a week before a day, a run."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from hypermnesia.rules.time_counting import counted, unit_at, weekday_after
from hypermnesia.rules.time_intervals import (
    Interval,
    around,
    coarser,
    cover,
    day,
    days,
    nth_weekday,
    third_of,
    week_of,
    weekend_of,
    years,
)
from hypermnesia.rules.time_reading import Reading, Setting, Shift
from hypermnesia.rules.time_tense import is_habit
from hypermnesia.rules.time_words import ORDINALS, WEEKDAY_NAMES, WEEKDAYS, any_of


@dataclass(frozen=True, slots=True)
class Found:
    """A reading and where its words stand."""

    start: int
    end: int
    reading: Reading


_CLOCK_GAP = re.compile(r"(?:,? (?:at|around|about|on)|,|@| @)? ?", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:the )?(?P<part>early|mid|late|middle of|beginning of|start of|end of|earlier|later)(?: in)?[ -](?:the )?$",
    re.IGNORECASE,
)
_PARTS = {"middle of": "mid", "beginning of": "early", "start of": "early", "end of": "late"}
_NTH = re.compile(
    rf"\b(?:the )?(?P<nth>{any_of(ORDINALS)}|[1-5](?:st|nd|rd|th))"
    rf"(?: (?P<unit>week|weekend|day|{any_of(WEEKDAY_NAMES)}))? (?:of|in) $",
    re.IGNORECASE,
)
_WEEK_OF = re.compile(r"\b(?:the )?(?P<unit>week|weekend) of (?:the )?$", re.IGNORECASE)
_AROUND = re.compile(
    r"(?<!how )(?<!what )\b(?:around|about|circa|roughly|approximately|sometime in|sometime around) (?:the )?$",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"\b(?:ever )?(?P<word>since|until|till?|before|after|prior to|by|from|as of|starting|up to)\s+(?:the )?$",
    re.IGNORECASE,
)
_RELATIONS = {"since": "since", "from": "since", "as of": "since", "starting": "since"} | {
    "until": "until", "till": "until", "til": "until", "up to": "until",
    "before": "before", "prior to": "before", "by": "before", "after": "after",
}  # fmt: skip
_RUN = re.compile(r"\s?(?:-|–|—|to|through|thru)\s?(?:the )?", re.IGNORECASE)
_RUN_LEAD = re.compile(r"\b(?:from|between) (?:the )?$", re.IGNORECASE)
_RUN_FROM = re.compile(r"\s?(?:until|till|and)\s?(?:the )?", re.IGNORECASE)
_REACH = 24  # characters in front of an expression in which its small words stand


def join(found: list[Found], setting: Setting) -> list[Found]:
    """The expressions in their order, with those that belong together made one."""
    found = _clocks(sorted(found, key=lambda f: f.start), setting)
    found = _parts(found, setting)
    found = _shifts(found, setting)
    found = _runs(found, setting.text)
    done: list[Found] = []
    for item in found:
        if item.reading.clock is None or item.reading.clock[2]:
            related = _related(item, setting.text, done[-1].end if done else 0)
            done.append(_habit(related, setting.text) if related.reading.yearless else related)
    return done


def _clocks(found: list[Found], setting: Setting) -> list[Found]:
    """A day beside a clock time is an instant, where the clock is sure or the day's words tell its half."""
    done: list[Found] = []
    for item in found:
        if done and _CLOCK_GAP.fullmatch(setting.text, done[-1].end, item.start):
            both = (done[-1], item)
            clock = next((b.reading.clock for b in both if b.reading.clock), None)
            of_day = next((b for b in both if b.reading.interval and b.reading.interval.is_day), None)
            if clock and of_day and (hour := _hour(clock, setting.text[of_day.start : of_day.end].lower())) is not None:
                assert of_day.reading.interval is not None
                moment = datetime.combine(of_day.reading.interval.first, time(hour, clock[1])).isoformat()
                done[-1] = Found(done[-1].start, item.end, Reading(Interval(moment, moment, "instant")))
                continue
        done.append(item)
    return done


def _hour(clock: tuple[int, int, bool], words: str) -> int | None:
    hour, _, is_sure = clock
    if is_sure:
        return hour
    if re.search(r"\bmorning\b", words):
        return hour % 12
    return hour % 12 + 12 if re.search(r"\b(?:tonight|tonite|night|evening|afternoon)\b", words) else None


def _parts(found: list[Found], setting: Setting) -> list[Found]:
    """ "early May", "the end of 2019", "later this week", "the first Friday of June", "the weekend of May 6"."""
    done: list[Found] = []
    for item in found:
        part = _part(item, setting) or item
        while done and done[-1].end > part.start:
            done.pop()
        done.append(part)
    return done


def _part(item: Found, setting: Setting) -> Found | None:
    interval, low = item.reading.interval, max(0, item.start - _REACH)
    if interval is None or interval.precision == "instant" or item.reading.relation != "at":
        return None
    if interval.precision == "day":
        words = _WEEK_OF.search(setting.text, low, item.start)
        if words is None or not interval.is_day:
            return None
        whole = week_of(interval.first) if words["unit"].lower() == "week" else weekend_of(interval.first)
        return Found(words.start(), item.end, Reading(whole))
    if words := _PART.search(setting.text, low, item.start):
        return Found(words.start(), item.end, Reading(_narrow(interval, words["part"].lower(), setting)))
    words = _NTH.search(setting.text, low, item.start)
    if words is None or interval.precision not in {"month", "season", "year"}:
        return None
    if words["unit"] is None and interval.precision != "month":
        return None
    return Found(words.start(), item.end, Reading(_nth_of(interval, words)))


def _narrow(interval: Interval, part: str, setting: Setting) -> Interval:
    if part in {"earlier", "later"}:
        today = setting.today
        if not interval.first <= today <= interval.last:
            return interval
        ends = (interval.first, today) if part == "earlier" else (today, interval.last)
        return days(*ends, interval.precision)
    return third_of(interval, _PARTS.get(part, part))


def _nth_of(interval: Interval, match: re.Match[str]) -> Interval | None:
    word, unit = match["nth"].lower(), (match["unit"] or "day").lower()
    n = ORDINALS[word] if word in ORDINALS else int(word[0])
    try:
        if unit in WEEKDAYS:
            return day(nth_weekday(interval, WEEKDAYS[unit], n))
        if unit == "weekend":
            return weekend_of(nth_weekday(interval, 5, n))
    except ValueError:
        return None
    if unit == "day":
        return day(interval.last if n < 0 else interval.first + timedelta(days=n - 1))
    if n < 0:
        return days(interval.last - timedelta(days=6), interval.last, "week")
    first = interval.first + timedelta(days=7 * (n - 1))
    return days(first, min(first + timedelta(days=6), interval.last), "week")


def _shifts(found: list[Found], setting: Setting) -> list[Found]:
    """ "the week before 9 June" counts from what stands behind it, "the next day" from the time told before it.

    Without one, a bare "the week before" counts from the message; any other stays unresolved.
    """
    done: list[Found] = []
    for item in reversed(found):
        shift = item.reading.shift
        if shift is None:
            done.append(item)
            continue
        behind = done[-1] if done else None
        if behind and not behind.reading.is_recurring and not setting.text[item.end : behind.start].strip(" "):
            interval = _shifted(behind.reading.interval, shift) if behind.reading.interval else None
            done[-1] = Found(item.start, behind.end, Reading(interval))
            continue
        done.append(replace(item, reading=Reading(_shifted_alone(item, shift, found, setting))))
    return done[::-1]


def _shifted_alone(item: Found, shift: Shift, found: list[Found], setting: Setting) -> Interval | None:
    words = setting.text[item.start : item.end].lower()
    if (
        words.endswith(("before", "after", "prior", "prior to"))
        and setting.text[item.end : item.end + 2].strip(" ")[:1].isalnum()
    ):
        return None  # a clause follows: "the week before we left"
    told = [f.reading.interval for f in found if f.end <= item.start and f.reading.interval]
    if told:
        return _shifted(told[-1], shift)
    if shift.n < 0 and shift.unit != "day" and shift.is_next_to and setting.said is not None:
        return _shifted(day(setting.today), shift)
    return None


def _shifted(anchor: Interval, shift: Shift) -> Interval:
    is_back = shift.n < 0
    edge = anchor.first if is_back else anchor.last
    if shift.unit in WEEKDAYS:
        return day(weekday_after(edge, WEEKDAYS[shift.unit], 1 if not is_back else -1))
    if shift.unit == "weekend":
        found = weekend_of(edge, 0 if not is_back else -1)
        return found if is_back or found.first > edge else weekend_of(edge, 1)
    if shift.unit == "week" and shift.is_next_to:
        return (
            days(edge - timedelta(days=7), edge - timedelta(days=1), "week")
            if is_back
            else days(edge + timedelta(days=1), edge + timedelta(days=7), "week")
        )
    if shift.is_next_to and shift.unit != "day":
        return unit_at(shift.unit, edge, shift.n)
    moved = counted(shift.unit, shift.n, shift.n, edge)
    return (
        replace(moved, precision=coarser(moved.precision, anchor.precision)) if anchor.precision != "instant" else moved
    )


def _runs(found: list[Found], text: str) -> list[Found]:
    """ "from Monday to Friday", "May 3 to May 9, 2021": one interval, as precise as its coarser end."""
    done: list[Found] = []
    for item in found:
        run = _run(done[-1], item, text) if done else None
        if run:
            done[-1] = run
        else:
            done.append(item)
    return done


def _run(one: Found, two: Found, text: str) -> Found | None:
    a, b = one.reading.interval, two.reading.interval
    if a is None or b is None or "instant" in (a.precision, b.precision):
        return None
    lead = _RUN_LEAD.search(text, max(0, one.start - 12), one.start)
    gap = text[one.end : two.start]
    if not (_RUN.fullmatch(gap) or (lead and _RUN_FROM.fullmatch(gap))):
        return None
    if one.reading.yearless and not two.reading.yearless:
        a = one.reading.yearless.last_before(b.last)
    return Found(one.start, two.end, Reading(cover([a, b]), is_run=True)) if b.first > a.last else None


def _habit(item: Found, text: str) -> Found:
    """ "in spring", where a sentence tells a habit, is that of every year."""
    if not is_habit(text, item.start, item.end):
        return item
    return replace(item, reading=replace(item.reading, interval=None, is_recurring=True))


def _related(item: Found, text: str, low: int) -> Found:
    """ "around" makes it wider, and "since", "until", "by", "before" or "after" tell how the event stands to it."""
    reading, start = item.reading, item.start
    if near := _AROUND.search(text, max(low, start - _REACH), start):
        start, interval = near.start(), reading.interval
        if interval and interval.is_day:
            reading = replace(reading, interval=around(interval.first, 3, "week"))
        elif interval and interval.precision == "year":
            reading = replace(reading, interval=years(interval.first.year - 1, interval.last.year + 1))
    if reading.relation == "at" and not reading.is_recurring:
        own = re.match(r"since|until|before\b", text[start : item.end], re.IGNORECASE)
        if own:  # "since I was 17"
            return Found(start, item.end, replace(reading, relation=own[0].lower()))
        words = _RELATION.search(text, max(low, start - _REACH), start)
        is_from = words is not None and words["word"].lower() == "from"
        if words and not (
            is_from and (reading.is_run or not re.match(" on(?:wards?)?(?= [iwhst]|[.,])", text[item.end :]))
        ):
            return Found(words.start(), item.end, replace(reading, relation=_RELATIONS[words["word"].lower()]))
    return Found(start, item.end, reading)
