"""End to end over users with known identities: proposals by name keys, the string judge, clusters."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hypermnesia.rules.anchor_keys import anchor_key
from hypermnesia.rules.clusters import ClusterAnchor, Decision, cluster
from hypermnesia.rules.name_hypotheses import MentionContext, is_bare_name, link_bare_name
from hypermnesia.rules.name_keys import proposed_pairs
from hypermnesia.rules.names import RULES_VERSION, Named, is_compatible, judge

N_USERS = 40


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("known_people", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["known_people"] = module
    spec.loader.exec_module(module)
    return module


KnownUser = Any
make_user = _load(Path(__file__).parents[1] / "fixtures" / "people.py").make_user


@dataclass
class Measured:
    joined: int = 0  # anchors that are kept under another
    merged: int = 0  # pairs of anchors in one component
    wrong: int = 0
    true: int = 0
    lost: Counter[str] = field(default_factory=Counter)

    @property
    def upper_error(self) -> float:
        """Upper end of the exact two-sided 95% interval, by Poisson's tail (wrong is small)."""
        upper = (3.69, 5.57, 7.23, 8.77, 10.24, 11.67, 13.06, 14.42, 15.76, 17.08)
        return upper[self.wrong] / self.merged if self.wrong < len(upper) else 1.0

    @property
    def recall(self) -> float:
        return (self.merged - self.wrong) / self.true


def anchors_of(user: KnownUser) -> tuple[dict[str, Named], dict[str, set[str]], dict[str, int]]:
    """Anchors as writing leaves them: by type and key, split where identifying facts conflict."""
    named: dict[str, Named] = {}
    meaning: dict[str, set[str]] = {}
    n_records: Counter[str] = Counter()
    for naming in user.namings:
        key = anchor_key(naming.surface)
        facts = user.things[naming.identity].facts
        is_full = naming.surface == user.things[naming.identity].names[0]
        part = facts.get("birth_date", "") if is_full else ""
        anchor_id = f"{naming.type}|{key}|{part}"
        named.setdefault(anchor_id, Named(naming.surface, naming.type, facts if part else {}))  # type: ignore[arg-type]
        meaning.setdefault(anchor_id, set()).add(naming.identity)
        n_records[anchor_id] += 1
    return named, meaning, n_records


def _compatible(named: Mapping[str, Named]) -> Callable[[str, str], bool]:
    return lambda x, y: is_compatible(judge(named[x], named[y]))


def measure(users: Iterable[KnownUser]) -> Measured:
    measured = Measured()
    for user in users:
        named, meaning, n_records = anchors_of(user)
        pairs = proposed_pairs({i: (n.name, n.type) for i, n in named.items()})
        verdicts = {p: judge(named[p[0]], named[p[1]]) for p in pairs}
        decisions = [
            Decision(f"{a}={b}", v.answer, a, b, "string", RULES_VERSION, v.strength)  # type: ignore[arg-type]
            for (a, b), v in verdicts.items()
            if v.answer != "unsure"
        ]
        anchors = [
            ClusterAnchor(i, n_records[i], "", n.type == "person" and is_bare_name(n.name)) for i, n in named.items()
        ]
        bare = {a.anchor_id for a in anchors if a.is_bare_name}
        result = cluster(anchors, decisions, _compatible(named), rules_version=RULES_VERSION)
        measured.joined += len(anchors) - len(set(result.kept.values()))
        for pair in combinations(sorted(set(named) - bare), 2):
            a, b = pair
            is_true = bool(meaning[a] & meaning[b])
            is_merged = result.kept[a] == result.kept[b]
            measured.true += is_true
            measured.merged += is_merged
            # An anchor that means two people is joined wrongly with whichever alias.
            measured.wrong += is_merged and not (is_true and len(meaning[a] | meaning[b]) == 1)
            if is_true and not is_merged:
                if pair not in verdicts:
                    measured.lost["proposal"] += 1
                elif verdicts[pair].answer != "same":
                    measured.lost[f"judge {verdicts[pair].rule}"] += 1
                else:
                    measured.lost["clusters"] += 1
    return measured


@pytest.fixture(scope="module")
def measured() -> Measured:
    return measure(make_user(seed) for seed in range(N_USERS))


def test_merges_of_known_users_are_right(measured: Measured) -> None:
    assert measured.joined >= 3000
    assert measured.upper_error <= 0.002, (measured.wrong, measured.merged)


def test_half_of_the_true_pairs_are_merged(measured: Measured) -> None:
    assert measured.recall >= 0.50, measured.lost
    assert measured.lost["proposal"] <= 0.02 * measured.true


def test_one_seed_gives_one_user() -> None:
    assert make_user(7) == make_user(7)
    assert make_user(7) != make_user(8)


def test_bare_names_of_a_session_mostly_mean_its_one_full_name() -> None:
    right = wrong = unresolved = 0
    for seed in range(20):
        user = make_user(seed)
        people = {i: t.names[0] for i, t in user.things.items() if t.type == "person"}
        for naming in user.namings:
            if naming.type != "person" or not is_bare_name(naming.surface):
                continue
            said = {n.identity for n in user.namings if n.session == naming.session and n.surface != naming.surface}
            here = {i: people[i] for i in said if i in people}
            link = link_bare_name(MentionContext(naming.surface, here, people))
            assert link is not None
            right += link.anchor_id == naming.identity
            wrong += link.anchor_id not in (None, naming.identity)
            unresolved += link.anchor_id is None
    assert right > 300
    assert wrong / (right + wrong) <= 0.08, (right, wrong, unresolved)
