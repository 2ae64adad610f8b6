"""A small home with runs of agents in it, and nights of learning over them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from small_home import Home, Silent

from hypermnesia.engine.commits import Committer, never_crash
from hypermnesia.engine.counts import Counts
from hypermnesia.engine.inline import InlineExecutor
from hypermnesia.engine.run import run_stage
from hypermnesia.inspection.household import TASK_TYPES, make_household
from hypermnesia.inspection.household_agents import run_actor
from hypermnesia.retrieval.skills import SkillFinder
from hypermnesia.skill_view import SkillTables
from hypermnesia.stages.distill_skills import DistillSkills
from hypermnesia.stages.skill_decisions import SkillDecisions
from hypermnesia.stages.toy_world import World

Row = dict[str, Any]
FINE: World = {"none": {"put": (2, 20)}, "skills": {"put": (19, 20)}}
Step = tuple[str, str | None]


def run_row(name: str, task: str, steps: Sequence[Step], *, day: int = 1, user: str = "ann", **more: Any) -> Row:
    """A row of the generic form of task sessions."""
    at = datetime(2025, 1, 1, 9) + timedelta(days=day)
    named = {"id": name, "user": user, "agent": "robot", "task": task, "time": at.isoformat() + "Z"}
    return {**named, "steps": [{"action": a, "observation": o} for a, o in steps], **more}


def household_rows(n: int, *, seed: int = 0, user: str = "ann", changed: str = "", day: int = 1) -> list[Row]:
    """Runs of the actor in the toy household, with the label that nobody is to learn from."""
    rng = random.Random(f"{seed} {day}")
    rows = []
    for number in range(n):
        house = make_household(rng, TASK_TYPES[number % len(TASK_TYPES)], is_changed=changed)
        steps = run_actor(house, rng)
        task = f"Your task is to: {house.task.text}."
        more = {"opening": house.opening, "score": float(house.is_done)}
        rows.append(run_row(f"{seed}-{day}-{number}", task, steps, day=day, user=user, **more))
    return rows


def put_row(name: str, thing: str, place: str, *, word: str = "put", day: int = 1, user: str = "ann") -> Row:
    """A run that puts a thing into a place."""
    put = f"put {thing} 1 in {place} 1" if word == "put" else f"{word} {thing} 1 to {place} 1"
    steps = [
        ("go to shelf 1", f"On the shelf 1, you see a {thing} 1."),
        (f"take {thing} 1 from shelf 1", f"You pick up the {thing} 1."),
        (f"go to {place} 1", f"On the {place} 1, you see nothing."),
        (put, f"You put the {thing} 1 there."),
    ]
    task = f"Your task is to: put a {thing} in {place}."
    return run_row(name, task, steps, day=day, user=user, opening=f"You see a shelf 1 and a {place} 1. {name}")


THINGS = ("cup", "plate", "spoon", "towel", "apple", "bottle", "brush", "pan")


def put_rows(n: int = 6, **more: Any) -> list[Row]:
    """Runs of one kind of task over several things."""
    return [put_row(f"put-{more.get('user', 'ann')}-{i}", THINGS[i % 8], "box", **more) for i in range(n)]


class SkillHome(Home):
    """A home whose nights only learn skills."""

    def __init__(self, root: Path, *, one_agent: Mapping[str, Sequence[str]] | None = None) -> None:
        super().__init__(root)
        self.root = root
        self.one_agent = dict(one_agent or {})
        self.world: World = FINE
        self.n_measured = 0

    def add(self, rows: Sequence[Row], name: str = "runs.jsonl") -> None:
        """Ingests runs."""
        path = self.root / "archives" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        self.run(path, until="ingest")

    def distiller(self, **settings: int) -> DistillSkills:
        return DistillSkills(self.lake, self.identity, self._measure, one_agent=self.one_agent, **settings)

    def learn(self, crash: Callable[[str], None] = never_crash, **settings: int) -> Counts:
        """One night; every count adds up, or it raises."""
        stage = self.distiller(**settings)
        self.n_runs += 1
        committer = Committer(self.lake, stage, f"run-{self.n_runs}", crash)
        report = run_stage(stage, committer, InlineExecutor(), Silent())
        report.counts.check(stage.name)
        return report.counts

    def _measure(self) -> World:
        self.n_measured += 1
        return self.world

    @property
    def finder(self) -> SkillFinder:
        return SkillFinder(self.lake, self.one_agent)

    @property
    def decisions(self) -> SkillDecisions:
        return SkillDecisions(self.lake, self.identity)

    @property
    def tables(self) -> SkillTables:
        return SkillTables(self.lake)

    def versions(self) -> Iterator[tuple[str, int, str]]:
        """(name, version, status) of every version."""
        for row in sorted(self.rows("skills"), key=lambda row: (row["name"], row["version"])):
            yield row["name"], row["version"], row["status"]

    def skill_digests(self) -> dict[str, str]:
        """Digests of the tables of skills."""
        names = ("sessions", "experiences", "skills", "skill_edits", "skill_uses")
        digests = self.digest()["tables"]
        return {name: digests[name] for name in names}
