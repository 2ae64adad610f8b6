"""judge_entities: a model decides what strings leave unsure; its verdicts are remembered, its failures are not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_extractor import ScriptedExtractor
from small_home import ACTIVE, IDS, NOW, Home, line, write

from hypermnesia.engine.commits import Committer, Finished
from hypermnesia.ports import Completion, Part, Request
from hypermnesia.prompts import load_prompts
from hypermnesia.rules.prompting import compact
from hypermnesia.stages.judge_entities import JudgeEntities
from hypermnesia.stages.merge_entities import MergeEntities

PROMPT = load_prompts()["same_entity"]
PAIRS = (
    "fact like agent=person:Bo_Lind object=location:Porto",
    "fact like agent=person:Bo_Lind object=location:Oporto",
    "fact own agent=person:Bo_Lind object=organization:Harrow_Tools",
    "fact own agent=person:Bo_Lind object=organization:Harrow_Tolls",
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.extractor = ScriptedExtractor()
    home.run(write(tmp_path / "a.jsonl", *(line(str(n), text, n) for n, text in enumerate(PAIRS))))
    return home


class Judge:
    """Says a verdict of each pair by the names that its call shows; keeps the calls."""

    def __init__(self, say: Callable[[str], Any]) -> None:
        self.requests: list[Request] = []
        self._say = say

    async def __call__(self, request: Request) -> Completion:
        self.requests.append(request)
        said = self._say(request.messages[-1][1])
        if isinstance(said, str):
            return Completion(request.id, said, "", "judge")
        return Completion(request.id, "ok", compact(said), "judge")


def verdict(answer: str, candidate: int = 0) -> dict[str, Any]:
    return {"verdict": answer, "candidate": candidate}


def night(home: Home, judge: Judge, since: Any = None) -> Part:
    """One night of the model's judge, committed; the strings' night came before it."""
    home.night(since=since)
    merging = MergeEntities(home.lake, IDS, ACTIVE, home.embedder.model, 2_000, since=since)
    stage = JudgeEntities(home.lake, IDS, ACTIVE, merging, "judge", PROMPT)
    parts = []
    for shard in stage.plan():
        opened = stage.open(shard)
        part = asyncio.run(opened.run_item(shard.items[0], judge))
        Committer(home.lake, stage, f"judge-{home.n_runs}").commit([Finished(shard, 0, part, is_last=True)])
        parts.append(part)
    return parts[0] if parts else Part({})


def decisions(home: Home) -> dict[tuple[str, ...], str]:
    rows = [row for row in home.rows("merges") if row["judge"] == "model"]
    return {tuple(sorted((row["left_name"], row["right_name"]))): row["decision"] for row in rows}


def same_places(shown: str) -> Any:
    return verdict("same", 1) if "porto" in shown.lower() else verdict("different")


def test_what_strings_leave_unsure_is_asked_with_what_is_said_of_both(home: Home) -> None:
    judge = Judge(same_places)
    part = night(home, judge)
    assert (part.n_in, part.n_out, part.reasons) == (2, 2, {"same": 1, "different": 1})
    assert decisions(home) == {("Oporto", "Porto"): "same", ("Harrow Tolls", "Harrow Tools"): "different"}
    shown = next(r.messages[-1][1] for r in judge.requests if "Harrow" in r.messages[-1][1])
    assert "(organization): fact own" in shown and "1. Harrow T" in shown
    merged = [a for g in home.graphs().values() for a in g.anchors if len(a.members) > 1]
    assert [len(a.members) for a in merged] == [2] and merged[0].name in ("Porto", "Oporto")


def test_verdicts_are_remembered(home: Home) -> None:
    night(home, Judge(same_places))
    again = Judge(same_places)
    part = night(home, again)
    assert again.requests == [] and part.n_in == 0


@pytest.mark.parametrize("said", ["engine_error", "refusal", "truncated", {"verdict": "maybe", "candidate": 0}])
def test_a_failed_judgment_decides_nothing_and_is_tried_again_next_night(home: Home, said: Any) -> None:
    part = night(home, Judge(lambda shown: said))
    assert (part.n_in, part.n_out, part.n_deferred) == (2, 0, 2)
    assert set(decisions(home).values()) == {"deferred"}
    assert all(len(a.members) == 1 for g in home.graphs().values() for a in g.anchors)
    after = night(home, Judge(same_places), since=NOW.replace(year=2999))
    assert after.reasons == {"same": 1, "different": 1}


def test_unsure_and_a_candidate_that_was_not_given_decide_nothing(home: Home) -> None:
    part = night(home, Judge(lambda shown: verdict("same", 2) if "porto" in shown.lower() else verdict("unsure")))
    assert part.reasons == {"unsure": 2} and decisions(home) == {}
