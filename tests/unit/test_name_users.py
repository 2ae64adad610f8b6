"""End to end over users with known identities: proposals by name keys, the string judge, budgets, clusters."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hypermnesia.inspection.febrl import evaluate_febrl
from hypermnesia.inspection.merge_evaluation import evaluate_users
from hypermnesia.inspection.people import make_user
from hypermnesia.rules.name_hypotheses import MentionContext, is_bare_name, link_bare_name

N_USERS = 40
FEBRL = Path(__file__).parents[3] / "shared" / "data" / "names" / "febrl" / "dataset1.csv"


class NoLikeness:
    """Vectors of names that are near to none but themselves: what keys alone find."""

    model = "none/1"
    dimension = 64

    def embed(self, texts: Sequence[str]) -> Any:
        rows = [np.frombuffer(hashlib.blake2b(t.encode()).digest(), np.uint8).astype(np.float32) - 127.5 for t in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32)

    def embed_tokens(self, texts: Sequence[tuple[str, str]]) -> Any:
        raise NotImplementedError


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return evaluate_users(N_USERS, 0, NoLikeness())


def test_merges_of_known_users_are_right(found: dict[str, Any]) -> None:
    assert found["merges"]["n"] >= 3_000
    assert found["merges"]["error_upper"] <= 0.002, found["merges"]
    assert found["merges"]["pairs_error_upper"] <= 0.002, found["merges"]


def test_half_of_the_true_pairs_are_merged(found: dict[str, Any]) -> None:
    assert found["merges"]["recall"] >= 0.50, found["lost"]
    assert found["lost"]["proposal"]["share"] <= 0.02


def test_every_true_pair_is_joined_or_lost_at_a_gate(found: dict[str, Any]) -> None:
    lost = sum(row["n"] for row in found["lost"].values())
    true = found["merges"]["n_true_pairs"]
    assert lost == round(true * (1 - found["merges"]["recall"]))
    for row in (*found["kinds"].values(), found["total"]):
        judged = ("same_right", "same_wrong", "different_right", "different_wrong", "unsure")
        assert row["n"] == sum(row[name] for name in judged)


def test_a_user_is_needed() -> None:
    with pytest.raises(ValueError, match="at least one"):
        evaluate_users(0, 0, NoLikeness())


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


def test_birth_dates_tell_people_of_one_name_apart_in_febrl() -> None:
    if not FEBRL.exists():
        pytest.skip("FEBRL's data set is not beside this folder")
    kinds = evaluate_febrl(FEBRL)["kinds"]
    equal, equal_with = kinds["equal names, without facts"], kinds["equal names, with facts"]
    assert equal["n"] == equal_with["n"] == equal["same_right"] + equal["same_wrong"]
    assert equal_with["same_wrong"] < equal["same_wrong"]
    assert equal_with["different_right"] == equal["same_wrong"] - equal_with["same_wrong"]
    assert kinds["other names, with facts"]["same_wrong"] == 0


def test_a_file_that_is_no_febrl_is_named(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"people\.csv: no column rec_id"):
        evaluate_febrl(path)
    path.write_text("rec_id,given_name,surname,date_of_birth\n7,Jim,Rice,19900101\n")
    with pytest.raises(ValueError, match=r"people\.csv row 2: rec_id is '7'"):
        evaluate_febrl(path)
