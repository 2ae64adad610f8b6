"""`hypermnesia evaluate skills`: do skills learned from runs help an agent with tasks that nobody has done yet?

All in the toy household (`household.py`): train on runs of an actor, freeze, then unseen tasks by a novice with no
skill, with the shortest success replayed, with skills, and with skills where the world has other words for an
action, before and after a night. Labels are hidden from the learning; outcomes are compared with them here alone.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean, pstdev
from typing import Any

from hypermnesia.inspection.household import CHANGED, TASK_TYPES, Household, make_household
from hypermnesia.inspection.household_agents import run_actor, run_novice
from hypermnesia.rules.skills.abstraction import Abstraction
from hypermnesia.rules.skills.citations import check_citation, check_skill
from hypermnesia.rules.skills.curation import Curation, curate
from hypermnesia.rules.skills.distilling import Distilled, distill
from hypermnesia.rules.skills.experiences import Experience
from hypermnesia.rules.skills.matching import Match, find_skill
from hypermnesia.rules.skills.sessions import Make, Message, TaskSession, find_sessions, whole
from hypermnesia.rules.skills.versions import Citation, Skill, SkillStep, newest, varying_places

N_SESSIONS = 100
N_FEW = 20
N_TASKS = 150
N_NIGHT = 40
N_PLANTED = 2000

Find = Callable[[str], Match | None]
_AGENT = "household"


@dataclass
class Learned:
    """What nights have learned so far: all versions of skills, and experiences by what became of them."""

    make: Make
    skills: list[Skill]
    used: dict[str, Experience]
    deferred: dict[str, Experience]
    sessions: dict[str, TaskSession]
    abstractions: dict[str, Abstraction]
    last: Distilled | None = None

    def night(self, sessions: Sequence[TaskSession]) -> Curation:
        """One pass over new sessions."""
        current = newest(self.skills)
        earlier = [self.sessions[name] for name in sorted(self.sessions)]
        distilled = distill(sessions, self.make, earlier=earlier, varying=varying_places(current))
        pending = {**self.deferred, **{one.experience_id: one for one in distilled.experiences}}
        result = curate(pending.values(), self.used.values(), self.skills, distilled.tallies, self.make, _AGENT)
        decided = {i: e.decision for e in result.edits for i in e.experience_ids}
        kept = ("create", "modify", "covered", "delete")
        self.used.update({i: one for i, one in pending.items() if decided[i] in kept})
        self.deferred = {i: one for i, one in pending.items() if decided[i] == "defer"}
        self.skills += result.skills
        self.sessions.update({session.session_id: session for session in sessions})
        self.abstractions.update(distilled.abstractions)
        self.last = distilled
        return result

    def find(self, task: str) -> Match | None:
        """The skill for a task."""
        return find_skill(task, newest(self.skills))


def new_learner(make: Make) -> Learned:
    """A learner that has seen nothing."""
    return Learned(make, [], {}, {}, {}, {})


def train(
    seed: int, n: int, make: Make, *, is_changed: str = "", night: int = 0
) -> tuple[list[TaskSession], dict[str, bool], dict[str, str]]:
    """Sessions of the actor, and by session id whether each reached its goal and its task type: hidden labels."""
    rng = random.Random(f"train {seed} {night}")
    sessions: list[TaskSession] = []
    labels: dict[str, bool] = {}
    types: dict[str, str] = {}
    for number in range(n):
        kind = TASK_TYPES[number % len(TASK_TYPES)]
        house = make_household(rng, kind, is_changed=is_changed)
        steps = run_actor(house, rng)
        (session,) = find_sessions(messages_of(house, steps, f"{seed}/{night}/{number}", make), make)
        sessions.append(session)
        labels[session.session_id] = house.is_done
        types[session.session_id] = kind
    return sessions, labels, types


def messages_of(
    house: Household, steps: Iterable[tuple[str, str]], name: str, make: Make, at: str = ""
) -> list[Message]:
    """A run as messages of a conversation."""
    said = [("tool", "tool_result", house.opening), ("user", "utterance", f"Your task is to: {house.task.text}.")]
    for action, answer in steps:
        said += [("assistant", "tool_call", action), ("tool", "tool_result", answer)]
    return [
        Message(make("message", name, str(n)), name, kind, role, text, at=at, agent=_AGENT, source="household")
        for n, (role, kind, text) in enumerate(said)
    ]


def success_by_type(seed: int, n: int, find: Find, *, is_changed: str = "") -> dict[str, float]:
    """The share of unseen tasks that a novice does with what `find` gives it, by task type. Same houses for all."""
    done: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for number in range(n):
        kind = TASK_TYPES[number % len(TASK_TYPES)]
        house = make_household(random.Random(f"test {seed} {number}"), kind, is_unseen=True, is_changed=is_changed)
        run_novice(house, random.Random(f"novice {seed} {number}"), find)
        tried[kind] += 1
        done[kind] += house.is_done
    return {kind: done[kind] / tried[kind] for kind in TASK_TYPES if tried[kind]}


def shortest_traces(distilled: Distilled, sessions: Mapping[str, TaskSession], make: Make) -> list[Skill]:
    """The baseline of a memory without distillation: the shortest success of each template, as it was."""
    best: dict[str, TaskSession] = {}
    for session_id, outcome in sorted(distilled.outcomes.items()):
        if outcome.verdict != "success":
            continue
        template, session = distilled.abstractions[session_id].template, sessions[session_id]
        if template not in best or len(session.steps) < len(best[template].steps):
            best[template] = session
    skills = []
    for template, session in sorted(best.items()):
        slots = distilled.abstractions[session.session_id].slots
        steps = tuple(_replayed(step.action.text, slots, session, step) for step in session.steps)
        skills.append(Skill(make("skill", template), 1, template, (template,), steps, (), (), (), 1, 1, ()))
    return skills


def _replayed(text: str, slots: Mapping[str, str], session: TaskSession, step: Any) -> SkillStep:
    """A step of a trace: its own words, but for the types that the task names."""
    words = text.split()
    pattern: list[str] = []
    n = 0
    while n < len(words):
        is_named = n + 1 < len(words) and words[n + 1].isdigit()
        if is_named and words[n] in slots:
            pattern.append(f"{{{slots[words[n]]}}}")
        else:
            pattern += [words[n], words[n + 1]] if is_named else [words[n]]
        n += 2 if is_named else 1
    return SkillStep(tuple(pattern), None, None, (), 1, 1, (), Citation("", session.session_id, step.action))


def evaluate_seed(seed: int, make: Make, *, n_sessions: int = N_SESSIONS, n_tasks: int = N_TASKS) -> dict[str, Any]:
    """All variants of one seed, and the checks of what was learned."""
    sessions, labels, _ = train(seed, n_sessions, make)
    learned = new_learner(make)
    learned.night(sessions)
    if learned.last is None:
        raise AssertionError("a night leaves what it distilled")
    traces = shortest_traces(learned.last, learned.sessions, make)
    frozen = newest(learned.skills)
    few = new_learner(make)
    few.night(sessions[:N_FEW])
    changed = sorted(CHANGED)[seed % len(CHANGED)]
    outcome = outcome_quality(learned.last, labels)
    audit = audit_citations(learned, random.Random(f"planted {seed}"))
    by_type = {
        "none": success_by_type(seed, n_tasks, lambda _: None),
        "shortest_trace": success_by_type(seed, n_tasks, lambda task: find_skill(task, traces)),
        "skills_of_20": success_by_type(seed, n_tasks, few.find),
        "skills": success_by_type(seed, n_tasks, lambda task: find_skill(task, frozen)),
        "changed_before": success_by_type(seed, n_tasks, lambda task: find_skill(task, frozen), is_changed=changed),
    }
    night, _, _ = train(seed, N_NIGHT, make, is_changed=changed, night=1)
    learned.night(night)
    by_type["changed_after"] = success_by_type(seed, n_tasks, learned.find, is_changed=changed)
    return {
        "seed": seed,
        "changed": changed,
        "success": {variant: mean(of_one.values()) for variant, of_one in by_type.items()},
        "by_type": by_type,
        "interference": {kind: by_type["skills"][kind] - by_type["none"][kind] for kind in by_type["none"]},
        "n_skills": len(frozen),
        "outcome": outcome,
        "citations": audit,
    }


def measure_world(make: Make, *, n_sessions: int = 60, n_tasks: int = 120) -> dict[str, dict[str, tuple[int, int]]]:
    """Of unseen tasks without and with skills, by task type: (done, tried). What the publish rule compares."""
    sessions, _, _ = train(0, n_sessions, make)
    learned = new_learner(make)
    learned.night(sessions)
    found = {"none": success_by_type(0, n_tasks, lambda _: None), "skills": success_by_type(0, n_tasks, learned.find)}
    n = n_tasks // len(TASK_TYPES)
    return {name: {kind: (round(share * n), n) for kind, share in of_one.items()} for name, of_one in found.items()}


def outcome_quality(distilled: Distilled, labels: Mapping[str, bool]) -> dict[str, float]:
    """Precision and recall of success and failure against labels that the distiller never saw."""
    counts: Counter[tuple[str, bool]] = Counter()
    for session_id, outcome in distilled.outcomes.items():
        counts[outcome.verdict, labels[session_id]] += 1
    good, bad = sum(labels.values()), sum(not label for label in labels.values())
    success = counts["success", True] + counts["success", False]
    failure = counts["failure", True] + counts["failure", False]
    return {
        "success_precision": counts["success", True] / (success or 1),
        "success_recall": counts["success", True] / (good or 1),
        "failure_precision": counts["failure", False] / (failure or 1),
        "failure_recall": counts["failure", False] / (bad or 1),
        "unclear": (len(labels) - success - failure) / (len(labels) or 1),
    }


def audit_citations(learned: Learned, rng: random.Random, n_planted: int = N_PLANTED) -> dict[str, int]:
    """How many steps' own citations resolve, and how many planted ones of other words are accepted (0)."""
    experiences = {**learned.used, **learned.deferred}
    verdicts = [
        (skill, step, verdict)
        for skill in newest(learned.skills)
        for step, verdict in check_skill(skill, experiences, learned.sessions, learned.abstractions)
    ]
    names = sorted(learned.sessions)
    accepted = 0
    for number in range(n_planted if verdicts else 0):
        skill, step, _ = verdicts[number % len(verdicts)]
        foreign = _plant(step, experiences, learned, names, rng)
        verdict = check_citation(skill, step, foreign, experiences, learned.sessions, learned.abstractions)
        accepted += verdict == "ok"
    return {
        "steps": len(verdicts),
        "resolved": sum(verdict == "ok" for *_, verdict in verdicts),
        "planted": n_planted if verdicts else 0,
        "accepted": accepted,
    }


def _plant(
    step: SkillStep, experiences: Mapping[str, Experience], learned: Learned, names: Sequence[str], rng: random.Random
) -> Citation:
    """A citation that is wrong in one of four ways: other session, other action, moved or invented words."""
    own = step.citation
    session = learned.sessions[own.session_id]
    true = [cited.action for cited in experiences[own.experience_id].steps if cited.pattern == step.pattern]
    way = rng.randrange(4)
    if way == 0:
        other = learned.sessions[rng.choice([name for name in names if name != own.session_id])]
        session_id = rng.choice((own.session_id, other.session_id))
        return replace(own, session_id=session_id, action=rng.choice(other.steps).action)
    if way == 1:
        return replace(own, action=rng.choice([s.action for s in session.steps if s.action not in true]))
    if way == 2:
        message = rng.choice([m for m in session.messages if m.text != own.action.text])
        return replace(own, action=replace(whole(message), text=own.action.text))
    return replace(own, action=replace(own.action, text=own.action.text + " at once", end=own.action.end + 8))


def evaluate_skills(
    make: Make, seeds: Sequence[int] = (0, 1, 2), *, n_sessions: int = N_SESSIONS, n_tasks: int = N_TASKS
) -> dict[str, Any]:
    """The evaluation over seeds: mean and deviation of each variant, and each seed's own figures."""
    runs = [evaluate_seed(seed, make, n_sessions=n_sessions, n_tasks=n_tasks) for seed in seeds]
    variants: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        for variant, share in run["success"].items():
            variants[variant].append(share)
    return {
        "seeds": list(seeds),
        "success": {name: {"mean": mean(shares), "deviation": pstdev(shares)} for name, shares in variants.items()},
        "interference": {kind: mean(run["interference"][kind] for run in runs) for kind in runs[0]["interference"]},
        "outcome": {key: mean(run["outcome"][key] for run in runs) for key in runs[0]["outcome"]},
        "citations": {key: sum(run["citations"][key] for run in runs) for key in runs[0]["citations"]},
        "runs": runs,
    }
