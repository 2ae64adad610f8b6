"""The explicit facts of an answer: what frames assert, with time, modality and the records that say it (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypermnesia.ports import Citation
from hypermnesia.retrieval.lanes import ACTS, Matched
from hypermnesia.rules.signals import ACTING

Fact = dict[str, Any]

#: Predicates of sentences that only name things.
_SAYS_NOTHING = frozenset(["mention", "show"])


#: Frames that say the same, best first, each with the citations that state it.
Told = list[tuple[Matched, list[Citation]]]


def facts(
    matched: Iterable[Matched], names: Mapping[str, str], is_single_valued: Callable[[str], bool], n: int
) -> list[Fact]:
    """At most `n` facts, best first. Frames that say the same after merging are one (DESIGN 4).

    Of a predicate that holds one value at a time the newest comes first, and the older are marked superseded.
    """
    said: dict[tuple[Any, ...], Told] = {}
    for match in matched:
        frame = match.frame
        if match.score <= ACTS or frame.predicate in _SAYS_NOTHING:
            continue  # that somebody does something, or names something, is no answer yet
        if stated := [c for c in match.citations if c.modality != "question"]:
            key = (frame.predicate, tuple((r.role, r.anchor_id) for r in frame.roles), frame.occurrence)
            said.setdefault(key, []).append((match, stated))
    found = _with_superseded(list(said.values()), names, is_single_valued)
    return [_fact(told, is_superseded, names) for told, is_superseded in found[:n]]


def _fact(told: Told, is_superseded: bool, names: Mapping[str, str]) -> Fact:
    match, stated = told[0]
    first = stated[0]
    roles: dict[str, list[str]] = {}
    for role in match.frame.roles:
        roles.setdefault(role.role, []).append(names.get(role.anchor_id, role.anchor_id))
    return {
        "frames": [one.frame.frame_id for one, _ in told],
        "predicate": match.frame.predicate,
        "roles": roles,
        "attributes": dict(first.attributes),
        "event_time": {"start": first.event_start, "end": first.event_end, "precision": first.event_precision},
        "said_at": first.said_local,
        "modality": first.modality,
        "is_negated": first.is_negated,
        "is_superseded": is_superseded,
        "score": match.score,
        "rows": list(dict.fromkeys(c.row_id for _, citations in told for c in citations)),
    }


def _with_superseded(
    found: list[Told], names: Mapping[str, str], is_single_valued: Callable[[str], bool]
) -> list[tuple[Told, bool]]:
    """The newest fact of each subject's one-value predicate before the older ones, which are marked."""
    subjects = [_subject(*told[0], names, is_single_valued) for told in found]
    newest: dict[tuple[str, ...], int] = {}
    for place, subject in enumerate(subjects):
        if subject and (subject not in newest or _when(found[place]) > _when(found[newest[subject]])):
            newest[subject] = place
    marked = [
        (told, bool(subject) and newest[subject] != place)
        for place, (told, subject) in enumerate(zip(found, subjects, strict=True))
    ]
    return sorted(marked, key=lambda pair: pair[1])


def _subject(
    match: Matched, stated: list[Citation], names: Mapping[str, str], is_single_valued: Callable[[str], bool]
) -> tuple[str, ...]:
    """Whose value of a predicate it is; empty for one that may have several, and for what does not hold."""
    frame, first = match.frame, stated[0]
    if not is_single_valued(frame.predicate) or first.modality != "done" or first.is_negated:
        return ()
    return (frame.predicate, *sorted(names.get(r.anchor_id, r.anchor_id) for r in frame.roles if r.role in ACTING))


def _when(told: Told) -> str:
    first = told[0][1][0]
    return first.event_start or first.said_local or ""
