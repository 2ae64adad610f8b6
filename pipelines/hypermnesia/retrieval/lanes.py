"""The graph's two lanes: frames that a question asks about, and what lies around where it enters (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from hypermnesia.ports import Citation, Frame, GraphReader
from hypermnesia.retrieval.entry import Entered
from hypermnesia.retrieval.tokens import distinct_terms
from hypermnesia.rules.planning import Plan
from hypermnesia.rules.signals import ACTING

MOST_FRAMES = 240

#: What each match of a frame is worth.
ACTS, RELATION, OTHER_NAMES, TIME, NUMBER, UNREAL, ASKS = 1.0, 1.0, 0.8, 0.5, 0.3, -0.4, -1.0

#: Operations for which a plan is no answer: what did not happen is not counted or listed.
_OF_FACTS = frozenset(["count", "union list", "temporal"])


@dataclass(frozen=True, slots=True)
class Matched:
    """One frame with its score for a question, and the records that it cites, best first."""

    frame: Frame
    score: float
    citations: tuple[Citation, ...]


def frames_asked(
    graph: GraphReader, user: str, said: Sequence[str], predicates: Sequence[str], planned: Plan
) -> list[Frame]:
    """Frames around the anchors that a question says: by its relation where it has one, filtered in the store first.

    Two anchors of an intersection are joined from the rarer one; what each has with a third anchor comes too.
    """
    if not said:
        return []
    relation = predicates or None
    if planned.operation == "intersection" and len(said) > 1:
        joined = [
            frame
            for pair in combinations(said[:3], 2)
            for frame in graph.frames_joining(user, pair, predicates=relation, limit=MOST_FRAMES)
        ]
        return _unique([*joined, *_sharing_a_third(graph, user, said[:3], relation)])
    return list(graph.frames_around(user, said, predicates=relation, limit=MOST_FRAMES))


def _sharing_a_third(graph: GraphReader, user: str, said: Sequence[str], relation: Sequence[str] | None) -> list[Frame]:
    """Frames of the asked anchors that share another anchor with a frame of every other asked one."""
    around = {a: graph.frames_around(user, [a], predicates=relation, limit=MOST_FRAMES) for a in said}
    others = [{r.anchor_id for f in frames for r in f.roles} - set(said) for frames in around.values()]
    shared = set.intersection(*others)
    return [f for frames in around.values() for f in frames if any(r.anchor_id in shared for r in f.roles)]


def score_frames(
    frames: Sequence[Frame],
    names: Mapping[str, str],
    said: Sequence[str],
    predicates: Sequence[str],
    question: str,
    planned: Plan,
) -> list[Matched]:
    """Frames by how well they fit the question, best first, then newest, then by id; `names` are of anchors."""
    asked, wanted, relation = distinct_terms(question), set(said), set(predicates)
    numbers = {word for word in asked if word.isdigit()}
    matched = []
    for frame in frames:
        others = (names.get(r.anchor_id, "") for r in frame.roles if r.anchor_id not in wanted)
        found = frozenset().union(*map(distinct_terms, others))
        score = ACTS * any(r.anchor_id in wanted and r.role in ACTING for r in frame.roles)
        score += RELATION * (frame.predicate in relation)
        score += OTHER_NAMES * (len(found & asked) / len(found) if found else 0.0)
        rated = sorted((-_citation_score(c, planned, numbers), c.row_id, c) for c in frame.citations)
        matched.append(Matched(frame, round(score - rated[0][0], 4), tuple(c for *_, c in rated)))
    matched.sort(key=lambda m: m.frame.frame_id)
    matched.sort(key=lambda m: (m.score, m.frame.order), reverse=True)
    return matched


def _citation_score(citation: Citation, planned: Plan, numbers: set[str]) -> float:
    score = 0.0
    if citation.modality == "question":
        score += ASKS
    elif citation.modality != "done" and planned.operation in _OF_FACTS:
        score += UNREAL
    if planned.dates and citation.event_start:
        score += TIME * planned.date_nearness(citation.event_start, citation.event_end)
    if numbers and any(value in numbers for _, value in citation.attributes):
        score += NUMBER
    return score


def _unique(frames: Iterable[Frame]) -> list[Frame]:
    return list({frame.frame_id: frame for frame in frames}.values())


def cited_rows(matched: Iterable[Matched]) -> dict[str, float]:
    """row_id -> the score of the best frame that cites it, in order."""
    rows: dict[str, float] = {}
    for match in matched:
        for citation in match.citations:
            rows.setdefault(citation.row_id, match.score)
    return rows


def base_frames(graph: GraphReader, user: str, entered: Sequence[Entered]) -> list[Frame]:
    """What lies around the entered anchors: adjacent facts with all who take part in them."""
    return list(graph.frames_around(user, [e.anchor.anchor_id for e in entered], limit=MOST_FRAMES))
