"""The explicit facts of an answer: what frames assert, with time, modality and the records that say it (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hypermnesia.ports import Citation
from hypermnesia.retrieval.lanes import ACTS, Matched
from hypermnesia.rules.signals import ACTING

Fact = dict[str, Any]

#: Predicates of sentences that only name things.
_SAYS_NOTHING = frozenset(["mention", "show"])


def facts(
    matched: Iterable[Matched], names: Mapping[str, str], is_single_valued: Callable[[str], bool], n: int
) -> list[Fact]:
    """At most `n` facts, best first. Frames that say the same after merging are one (DESIGN 4).

    Of a predicate that holds one value at a time the newest comes first, and the older are marked superseded.
    """
    shown: dict[tuple[Any, ...], Fact] = {}
    for match in matched:
        stated = [c for c in match.citations if c.modality != "question"]
        if not stated or match.score <= ACTS or match.frame.predicate in _SAYS_NOTHING:
            continue  # that somebody does something, or names something, is no answer yet
        frame = match.frame
        key = (frame.predicate, tuple((r.role, r.anchor_id) for r in frame.roles), frame.occurrence)
        fact = shown.get(key)
        if fact is None:
            shown[key] = _fact(match, stated, names)
        else:
            fact["frames"].append(frame.frame_id)
            fact["rows"] += [c.row_id for c in stated if c.row_id not in fact["rows"]]
    return _with_superseded(list(shown.values()), is_single_valued)[:n]


def _fact(match: Matched, stated: Sequence[Citation], names: Mapping[str, str]) -> Fact:
    frame, first = match.frame, stated[0]
    roles: dict[str, list[str]] = {}
    for role in frame.roles:
        roles.setdefault(role.role, []).append(names.get(role.anchor_id, role.anchor_id))
    return {
        "frames": [frame.frame_id],
        "predicate": frame.predicate,
        "roles": roles,
        "attributes": dict(first.attributes),
        "event_time": {"start": first.event_start, "end": first.event_end, "precision": first.event_precision},
        "said_at": first.said_local,
        "modality": first.modality,
        "is_negated": first.is_negated,
        "is_superseded": False,
        "score": match.score,
        "rows": [c.row_id for c in stated],
    }


def _with_superseded(found: list[Fact], is_single_valued: Callable[[str], bool]) -> list[Fact]:
    """The newest fact of each subject's one-value predicate before the older ones, which are marked."""
    newest: dict[tuple[str, ...], Fact] = {}
    for fact in found:
        subject = _subject(fact, is_single_valued)
        if subject and (subject not in newest or _when(fact) > _when(newest[subject])):
            newest[subject] = fact
    for fact in found:
        subject = _subject(fact, is_single_valued)
        fact["is_superseded"] = bool(subject) and newest[subject] is not fact
    return sorted(found, key=lambda fact: bool(fact["is_superseded"]))


def _subject(fact: Fact, is_single_valued: Callable[[str], bool]) -> tuple[str, ...]:
    if not is_single_valued(fact["predicate"]) or fact["modality"] != "done" or fact["is_negated"]:
        return ()
    acting = sorted(name for role, names in fact["roles"].items() if role in ACTING for name in names)
    return (fact["predicate"], *acting)


def _when(fact: Fact) -> str:
    return str(fact["event_time"]["start"] or fact["said_at"] or "")
